// Marks as a file of labels that `--truth` takes as it is. Where pairs were drawn with known probabilities, those stand beside the labels:
// without them, what is estimated would lean towards what was drawn. So such pairs have a file of their own.

/** The columns of the file. */
function labelColumns(report, isSampled) {
  const { labels, pairs } = report;
  const several = pairs.records.some((it) => it.source !== null && it.source !== undefined);
  const columns = labels?.columns ?? (several ? ["source_a", "id_a", "source_b", "id_b", "label"] : ["id_a", "id_b", "label"]);
  const plain = columns.filter((it) => it !== "sampled_with");
  return isSampled ? [...plain, "sampled_with"] : plain;
}

/** The file: all marked pairs, or those alone that were drawn to be labelled. */
function labelsFile(report, marks, isSampled) {
  const { pairs, job } = report;
  const columns = labelColumns(report, isSampled);
  const rows = [];
  for (const pair of pairs.list) {
    const label = marks.of(pairKey(pairs, pair));
    if (!label || (isSampled && !isNumber(pair.sampled_with))) continue;
    let [a, b] = [pairs.records[pair.l], pairs.records[pair.r]];
    if (job.is_link && a.side === 1 && b.side === 0) [a, b] = [b, a];
    const cells = { source_a: a.source, id_a: a.id, source_b: b.source, id_b: b.id, label, sampled_with: pair.sampled_with };
    rows.push(columns.map((it) => cell(cells[it])).join(","));
  }
  return `${[columns.join(","), ...rows].join("\n")}\n`;
}

/** A cell as RFC 4180 has it. */
function cell(content) {
  const text = String(content ?? "");
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Hands a file to the person. */
function save(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = el("a", { href: address, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
