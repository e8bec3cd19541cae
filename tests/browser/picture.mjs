// The picture of a report that the README shows: its top, with a pair that is marked and one that is looked at.

import { browser, held, open } from "./reports.mjs";

const { pairs } = held("people");
const context = await browser();
const page = await open(context, "people");
await page.emulateMedia({ colorScheme: "light" });
await page.setViewportSize({ width: 1280, height: 1000 });
await page.locator("#pairs").scrollIntoViewIfNeeded();
// A match with slips of the pen, of which there is something to see; those before it are done.
const slips = (pair) => pair.marks.reduce((n, it) => n + it.left.length, 0);
const wanted = pairs.list.findIndex((it, ix) => ix > 4 && it.kept && slips(it) > 2 && slips(it) < 9);
const place = wanted < 0 ? 0 : wanted;
const before = Math.max(0, place - 3);
await page.locator(".option").nth(before).click();
for (const pair of pairs.list.slice(before, place)) await page.keyboard.press((pair.truth ?? "unsure")[0]);
await page.locator(".option").nth(place).click();
await page.evaluate(() => {
  scrollTo(0, 0);
  document.activeElement.blur();
});
await page.waitForTimeout(500);
const pane = await page.locator(".panes").boundingBox();
await page.setViewportSize({ width: 1280, height: Math.min(1520, Math.round(pane.y) + 700) });
await page.screenshot({ path: process.argv[2] });
await context.close();
