// Every report opens without a word of complaint, fetches nothing, is small enough, and is accessible at level AA: narrow and wide, light
// and dark.

import { AxeBuilder } from "@axe-core/playwright";
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browser, held, names, open } from "./reports.mjs";

const LEVEL_AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** Options of the list are made alike: some of them stand for all, since axe looks at each of them for long. */
const OPTIONS = 8;

let context;
before(async () => (context = await browser()));
after(() => context.close());

for (const name of names) {
  test(`${name} is below 2 MB`, () => {
    const bytes = statSync(join(process.env.HYPERBLOCK_REPORTS, `${name}.html`)).size;
    assert.ok(bytes < 2_000_000, `${bytes} bytes`);
  });

  test(`${name} opens, and is accessible`, async () => {
    const page = await open(context, name);
    assert.deepEqual(await page.faults(), []);
    const sections = await page.locator("main > section h2").allTextContents();
    assert.ok(sections.includes("Summary"), sections);
    const report = held(name);
    assert.equal(sections.includes("Pairs"), Boolean(report.pairs), "pairs are drawn if they are there");
    assert.equal(sections.includes("Plan"), Boolean(report.plan?.nodes?.length), "the plan is drawn if it is there");
    // What is closed is looked at too.
    await page.evaluate((most) => {
      for (const it of document.querySelectorAll("details")) it.open = true;
      for (const it of document.querySelectorAll(`.option:nth-child(n + ${most + 1})`)) it.remove();
      for (const it of document.querySelectorAll("#scores tbody tr:nth-child(n + 4), .predicates li:nth-child(n + 4)")) it.remove();
    }, OPTIONS);
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      for (const width of [360, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${name} is ${wide} pixels wide at ${width}`);
        const found = await new AxeBuilder({ page }).withTags(LEVEL_AA).options({ resultTypes: ["violations"] }).analyze();
        const said = found.violations.map((it) => `${it.id}: ${it.nodes.map((node) => `${node.target} ${node.failureSummary}`).join("\n")}`);
        assert.deepEqual(said, [], `${name}, ${colorScheme}, ${width}`);
      }
    }
    assert.deepEqual(await page.faults(), []);
    await page.close();
  });
}
