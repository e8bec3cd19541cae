// A table of values that would like to be more than values. Each of them stands on the page as text, and none of them does anything.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { browser, held, open } from "./reports.mjs";

const report = held("hostile");
const { pairs } = report;

let context;
before(async () => (context = await browser()));
after(() => context.close());

/** What a value looks like: characters that cannot be seen stand by name. Written apart from the page's own. */
function seen(text) {
  const names = { 0: "NUL", 9: "TAB", 10: "LF", 13: "CR" };
  const is_unseen = (code) =>
    code < 0x20 || (code >= 0x7f && code <= 0x9f) || code === 0xad || code === 0x61c || code === 0x180e || (code >= 0x200b && code <= 0x200f) ||
    (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) || code === 0x2800 || code === 0x3164 || (code >= 0xfe00 && code <= 0xfe0f) ||
    code === 0xfeff || (code >= 0xfff9 && code <= 0xfffb) || (code >= 0xd800 && code <= 0xdfff) || (code >= 0xe0000 && code <= 0xe007f) || code === 0x34f || code === 0x115f;
  const one = (it) => {
    const code = it.codePointAt(0);
    return is_unseen(code) ? `\u27e8${names[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`}\u27e9` : it;
  };
  return Array.from(text, one).join("");
}

/** The values of a CSV file. */
function cells(text) {
  const found = text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\n]*))(?:,|\n|$)/g);
  return Array.from(found, ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain);
}

test("fifty hostile values and more are in the report", () => {
  const written = new Set(cells(readFileSync(process.env.HYPERBLOCK_HOSTILE, "utf8")).filter((it) => it.trim()));
  const there = new Set(pairs.records.flatMap((it) => [it.id, ...it.values]).filter((it) => it !== null));
  // Of a long one there is the beginning, and how many characters more there are.
  const begun = (it) => it.match(/^(.+)\u2026\(\d+ more characters\)$/s)?.[1];
  const missing = [...there].filter((it) => !written.has(it) && !(begun(it) && [...written].some((whole) => whole.startsWith(begun(it)))));
  assert.deepEqual(missing, [], "all are of the table");
  assert.ok(there.size >= 50, `${there.size} values`);
});

test("each of them is text", async () => {
  const page = await open(context, "hostile");
  await page.locator("#pairs").scrollIntoViewIfNeeded();
  const elements = () => page.evaluate(() => ["script", "style", "img", "iframe", "object", "embed", "link", "base", "meta", "form", "a[href^='javascript']", "[onerror]", "[onload]", "[style*=expression]"].map((it) => `${it} ${document.querySelectorAll(it).length}`));
  const before = await elements();
  assert.equal(before[0], "script 2", "the report, and the page's own");
  assert.equal(before[2], "img 0");
  for (const [ix, pair] of pairs.list.entries()) {
    if (ix) await page.keyboard.press("j");
    const records = [pairs.records[pair.l], pairs.records[pair.r]];
    const shown = await page.evaluate(() => {
      // Of a long value there is a part at first.
      for (const it of document.querySelectorAll(".records button")) it.click();
      return {
        ids: Array.from(document.querySelectorAll(".records thead code"), (it) => it.textContent),
        rows: Array.from(document.querySelectorAll(".records tbody tr"), (it) => Array.from(it.children, (cell) => cell.textContent)),
      };
    });
    assert.deepEqual(shown.ids, records.map((it) => seen(it.id)));
    const said = (it) => (it === null ? "missing" : it === "" ? "empty" : seen(it));
    assert.deepEqual(shown.rows, pairs.columns.map((name, at) => [seen(name), ...records.map((it) => said(it.values[at]))]));
  }
  assert.deepEqual(await elements(), before);
  assert.equal(await page.evaluate(() => window.__hacked), undefined);
  assert.deepEqual(await page.faults(), []);
});

test("they go through filters, marks and exports unharmed", async () => {
  const page = await open(context, "hostile");
  await page.locator("#pairs").scrollIntoViewIfNeeded();
  for (const _ of pairs.list) await page.keyboard.press("m");
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export labels" }).first().click()]);
  const text = readFileSync(await file.path(), "utf8");
  const all = cells(text);
  for (const pair of pairs.list) for (const ix of [pair.l, pair.r]) assert.ok(all.includes(pairs.records[ix].id), JSON.stringify(pairs.records[ix].id));
  for (const it of ["<img", "\u202e", "</script>", "(", "\\"]) await page.getByLabel("Find").fill(it);
  assert.equal(await page.evaluate(() => window.__hacked), undefined);
  assert.deepEqual(await page.faults(), []);
});
