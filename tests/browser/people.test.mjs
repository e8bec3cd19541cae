// What a person does with a report: moves the threshold, looks at pairs, marks them, takes marks back, comes again, and takes a file of labels
// away.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { browser, download, held, open } from "./reports.mjs";

const report = held("people");
const { pairs, scores } = report;

let context;
let page;
before(async () => (context = await browser()));
after(() => context.close());
beforeEach(async () => (page = await open(context, "people")));
afterEach(async () => {
  assert.deepEqual(await page.faults(), []);
  await page.evaluate(() => localStorage.clear());
  await page.close();
});

const status = () => page.locator(".browser [role=status]").textContent();
const position = () => page.locator(".position").textContent();
const shown = () => page.locator(".records thead code").allTextContents();
const pressed = () => page.locator('.says [aria-pressed="true"]').evaluateAll((all) => all.map((it) => it.firstChild.textContent));
const ids = (pair) => [pairs.records[pair.l].id, pairs.records[pair.r].id];
const pairsTop = () => page.locator("#pairs").scrollIntoViewIfNeeded();
const number = (text) => Number(text.replaceAll(",", "").replace("\u2212", "-"));

test("the threshold moves what it decides", async () => {
  const { curve } = scores;
  const slider = page.locator("#threshold");
  const figure = async (name) => number(await page.locator(`[data-figure=${name}]`).evaluate((it) => it.firstChild.textContent));
  const at = async () => Number(await slider.inputValue());
  const start = await at();
  const best = Math.min(...curve.map((it) => Math.abs(it.threshold - scores.threshold)));
  assert.equal(Math.abs(curve[start].threshold - scores.threshold), best, "it begins at the job's own threshold");
  const seen = new Set();
  for (const key of ["Home", "ArrowRight", "ArrowRight", "End", "ArrowLeft"]) {
    await slider.press(key);
    const point = curve[await at()];
    assert.equal(await figure("kept"), point.kept);
    for (const name of ["precision", "recall", "f1"]) {
      if (typeof point[name] === "number") assert.equal(await figure(name), Number(point[name].toFixed(4)), name);
    }
    if (typeof point.entities === "number") assert.equal(await figure("entities"), point.entities);
    seen.add(await at());
  }
  assert.ok(seen.size >= Math.min(4, curve.length), "each key moves it");
  // Those who do not see the figures hear them.
  await page.waitForFunction(() => document.querySelector("output[for=threshold]").textContent.includes("Kept"));
  // The chart takes a pointer.
  const box = await page.locator("#scores svg").boundingBox();
  await page.locator("#scores svg").click({ position: { x: box.width * 0.25, y: 60 } });
  const left = await at();
  await page.locator("#scores svg").click({ position: { x: box.width * 0.9, y: 60 } });
  assert.ok((await at()) > left);
  await page.getByRole("button", { name: /^Back to/ }).click();
  assert.equal(await at(), start);
});

test("pairs are filtered, ordered and walked through", async () => {
  const found = async () => number((await page.locator(".found").textContent()).split(" ")[0]);
  assert.equal(await found(), pairs.list.length);
  assert.deepEqual(await shown(), ids(pairs.list[0]));
  await page.getByRole("button", { name: "Next" }).click();
  assert.deepEqual(await shown(), ids(pairs.list[1]));
  await page.getByRole("button", { name: "Previous" }).click();
  assert.deepEqual(await shown(), ids(pairs.list[0]));

  await page.locator("select[name=order]").selectOption("high");
  const highest = pairs.list.map((it) => it.score).sort((a, b) => b - a);
  assert.match(await position(), new RegExp(`of ${pairs.list.length}$`));
  await page.locator(".list").focus();
  await page.keyboard.press("Home");
  await page.locator(".option").first().click();
  assert.match(await page.locator(".option .points").first().textContent(), new RegExp(`^${highest[0].toFixed(2).replace("-", "\u2212").slice(0, 4)}`));

  const rule = report.rules.find((it) => pairs.list.some((pair) => pair.rule === it.name)).name;
  await page.locator("select[name=rule]").selectOption({ label: rule });
  const ofRule = pairs.list.filter((it) => it.rule === rule);
  assert.equal(await found(), ofRule.length);
  const middle = ofRule.map((it) => it.score).sort((a, b) => a - b)[ofRule.length >> 1];
  await page.getByLabel(/ from$/).fill(String(middle));
  const most = ofRule.filter((it) => it.score >= middle);
  assert.equal(await found(), most.length);
  for (const it of await page.locator(".option .points").allTextContents()) assert.ok(number(it) >= middle - 0.005);
  await page.getByLabel(/ from$/).fill("");
  await page.locator("select[name=rule]").selectOption({ label: "any" });

  for (const group of new Set(pairs.list.flatMap((it) => it.group))) {
    await page.locator(`.chips input[value=${group}]`).check();
    assert.equal(await found(), pairs.list.filter((it) => it.group.includes(group)).length, group);
  }
  await page.locator(".chips input[value=all]").check();
  const [id] = ids(pairs.list.at(-1));
  await page.getByLabel("Find").fill(id);
  assert.equal(await found(), pairs.list.filter((it) => [it.l, it.r].some((ix) => [pairs.records[ix].id, ...pairs.records[ix].values].some((text) => text?.toLowerCase().includes(id.toLowerCase())))).length);
  await page.getByLabel("Find").fill("there is no such value");
  assert.equal(await found(), 0);
  assert.equal(await position(), "No pair is like that");
  assert.ok(await page.getByRole("button", { name: "Match", exact: true }).isDisabled());
});

test("a pair shows its records, what differs in them, and why", async () => {
  const place = pairs.list.findIndex((it) => it.marks.some((mark) => mark.left.length && mark.right.length) && it.why);
  await page.locator(".option").nth(place).click();
  const pair = pairs.list[place];
  const { column, left } = pair.marks.find((it) => it.left.length && it.right.length);
  const cell = page.locator(".records tbody tr").nth(column).locator("td").first();
  const characters = Array.from(pairs.records[pair.l].values[column]);
  assert.deepEqual(await cell.locator("mark").allTextContents(), left.map(([from, to]) => characters.slice(from, to).join("")));
  assert.equal(await cell.textContent(), pairs.records[pair.l].values[column]);
  assert.equal(await page.locator(".reason details").count(), pair.why.rules.length);
  if (pair.why.score) {
    const adds = await page.locator(".reason tbody tr").evaluateAll((rows) => rows.map((it) => [it.children[0].textContent, it.children[2].textContent]));
    const steps = adds.filter(([name]) => name !== "Before looking" && name !== "Total").map(([, text]) => number(text));
    assert.deepEqual(steps, pair.why.score.steps.map((it) => Number(it.adds.toFixed(2))));
    assert.equal(number(adds.at(-1)[1]), Number(pair.why.score.total.toFixed(2)));
  }
});

test("pairs are marked by keyboard, marks are taken back, and survive a reload", async () => {
  await pairsTop();
  for (const key of ["m", "n", "u", "m"]) await page.keyboard.press(key);
  assert.deepEqual(await page.locator(".option .state").evaluateAll((all) => all.slice(0, 5).map((it) => it.textContent)), ["match", "no match", "unsure", "match", ""]);
  assert.match(await position(), /^Pair 5 of/);
  await page.keyboard.press("z");
  assert.match(await position(), /^Pair 4 of/);
  assert.deepEqual(await pressed(), []);
  assert.match(await status(), /^Undone/);
  await page.keyboard.press("z");
  assert.match(await position(), /^Pair 3 of/);
  await page.keyboard.press("k");
  assert.deepEqual(await pressed(), ["No match"]);
  await page.keyboard.press("k");
  assert.deepEqual(await pressed(), ["Match"]);
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.getByRole("button", { name: "Unsure" }).click();
  assert.match(await page.locator(".progress-text").textContent(), /^[0-3] of /);

  await page.reload();
  await page.locator("#summary").waitFor();
  assert.deepEqual(await page.locator(".option .state").evaluateAll((all) => all.slice(0, 4).map((it) => it.textContent)), ["match", "no match", "unsure", ""]);
  assert.ok(await page.getByRole("button", { name: "Undo" }).isDisabled(), "undo ends with the page");
  await page.locator("select[name=label]").selectOption("no match");
  assert.deepEqual(await shown(), ids(pairs.list[1]));
  // The same mark once more takes it away.
  await pairsTop();
  await page.keyboard.press("n");
  assert.deepEqual(await pressed(), []);
  await page.keyboard.press("z");
  assert.deepEqual(await pressed(), ["No match"]);
});

test("marks are exported as labels that --truth takes", async () => {
  const labels = ["match", "no match", "unsure"];
  const sample = pairs.list.filter((it) => typeof it.sampled_with === "number");
  assert.ok(sample.length > 0, "the report was made with --label-sample");
  const said = new Map();
  await pairsTop();
  for (const [ix, pair] of pairs.list.entries()) {
    if (typeof pair.sampled_with !== "number" && ix % 7) await page.keyboard.press("j");
    else {
      const label = pair.sampled_with ? (pair.truth ?? labels[ix % 3]) : labels[ix % 3];
      said.set(pair, label);
      await page.keyboard.press(label[0]);
    }
  }
  const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const file = (list, columns) => {
    const line = (pair) => {
      const [left, right] = [pairs.records[pair.l], pairs.records[pair.r]];
      const cells = { source_a: left.source, id_a: left.id, source_b: right.source, id_b: right.id, label: said.get(pair), sampled_with: pair.sampled_with };
      return columns.map((it) => quoted(String(cells[it]))).join(",");
    };
    return [columns.join(","), ...list.filter((it) => said.has(it)).map(line), ""].join("\n");
  };
  const { columns } = report.labels;
  const ofSample = await download(page, "Export labels of the sample");
  assert.equal(ofSample.name, "labels.csv");
  assert.equal(ofSample.text, file(sample, columns));
  const ofAll = await download(page, "Export all marks");
  assert.equal(ofAll.text, file(pairs.list, columns.filter((it) => it !== "sampled_with")));
  assert.match(await page.locator(".progress-text").textContent(), new RegExp(`^${sample.length} of ${sample.length} pairs of the sample marked`));
  // `cargo xtask browser` gives them to the program.
  if (process.env.HYPERBLOCK_EXPORTED) {
    mkdirSync(process.env.HYPERBLOCK_EXPORTED, { recursive: true });
    for (const [name, text] of [["labels.csv", ofSample.text], ["marks.csv", ofAll.text]]) writeFileSync(join(process.env.HYPERBLOCK_EXPORTED, name), text);
  }
});

test("keys are left alone where somebody types, and can be switched off", async () => {
  await pairsTop();
  await page.getByLabel("Find").fill("");
  await page.getByLabel("Find").pressSequentially("mnu");
  assert.equal(await page.evaluate(() => Object.keys(localStorage).length), 0);
  await page.getByLabel("Find").fill("");
  await page.locator(".list").focus();
  await page.keyboard.press("ArrowDown");
  assert.match(await position(), /^Pair 2 of/);
  await page.keyboard.press("?");
  const help = page.getByRole("dialog");
  assert.ok(await help.isVisible());
  await page.keyboard.press("m");
  await help.getByLabel("Keys are on").uncheck();
  await page.keyboard.press("Escape");
  await page.keyboard.press("m");
  assert.equal(await page.evaluate(() => Object.keys(localStorage).length), 0);
  // What is out of sight is not marked.
  await page.getByRole("button", { name: "Help" }).click();
  await help.getByLabel("Keys are on").check();
  await page.getByRole("button", { name: "Close" }).click();
  await page.evaluate(() => {
    document.activeElement.blur();
    scrollTo(0, document.documentElement.scrollHeight);
  });
  await page.waitForFunction(() => document.querySelector(".browser").getBoundingClientRect().bottom < 0);
  await page.keyboard.press("m");
  assert.equal(await page.evaluate(() => Object.keys(localStorage).length), 0);
});

test("time has a lane for each who works", async () => {
  const { lanes } = report.timeline;
  assert.deepEqual([...new Set(lanes.map((it) => it.kind))], ["job", "host", "place"]);
  const rows = await page.locator("#time tbody tr").evaluateAll((all) => all.map((it) => [it.children[0].textContent, it.querySelectorAll(".bar").length]));
  assert.equal(rows.length, lanes.reduce((n, it) => n + 1 + it.rows.length, 0));
  for (const lane of lanes) {
    const at = rows.findIndex(([name]) => name === lane.name);
    assert.ok(at >= 0 && rows[at][1] > 0, lane.name);
    for (const [ix, it] of lane.rows.entries()) {
      assert.ok(rows[at + 1 + ix][0].startsWith(it.name) && rows[at + 1 + ix][1] === it.spans.length, it.name);
    }
  }
  // Several places have a lane each.
  const places = held("plan").timeline.lanes.filter((it) => it.kind === "place").map((it) => it.name);
  assert.deepEqual(places.filter((it) => it.startsWith("place")), ["place 1: cpu (1 thread)", "place 2: cpu (1 thread)"]);
});

test("a theme is chosen, and stays", async () => {
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const button = page.getByRole("button", { name: /^Theme/ });
  await button.click();
  const light = await paper();
  await button.click();
  assert.equal(await button.textContent(), "Theme: dark");
  const dark = await paper();
  assert.notEqual(dark, light);
  await page.reload();
  await page.locator("#summary").waitFor();
  assert.equal(await paper(), dark);
});

test("a browser that keeps nothing is no secret", async () => {
  await page.addInitScript(() => {
    Storage.prototype.getItem = Storage.prototype.setItem = () => {
      throw new Error("denied");
    };
  });
  await page.reload();
  await page.locator("#summary").waitFor();
  assert.match(await page.locator(".progress .warnings").textContent(), /Export/);
  await pairsTop();
  await page.keyboard.press("m");
  assert.equal((await page.locator(".option .state").first().textContent()), "match");
});
