// What all tests of the page stand on: the reports that were made for them, a browser, and a page that tells of everything it should not do.
//
// HYPERBLOCK_REPORTS is the folder of the reports, HYPERBLOCK_CHROMIUM the browser. `cargo xtask browser` sets both.

import { chromium } from "playwright-core";
import { mkdtempSync, readFileSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";

const folder = process.env.HYPERBLOCK_REPORTS;
assert.ok(folder, "HYPERBLOCK_REPORTS names the folder of the reports: run `cargo xtask browser`");

/** The reports, by name. */
export const names = readdirSync(folder).filter((it) => it.endsWith(".html")).map((it) => basename(it, ".html")).sort();

/** What a report holds, as the program wrote it. */
export function held(name) {
  const text = readFileSync(join(folder, `${name}.html`), "utf8");
  const [, json] = text.match(/<script type="application\/json" id="report">(.*?)<\/script>/s);
  return JSON.parse(json);
}

/** A browser that nothing else uses, and that asks nobody for anything. */
export async function browser() {
  const context = await chromium.launchPersistentContext(mkdtempSync(join(tmpdir(), "hyperblock-")), {
    executablePath: process.env.HYPERBLOCK_CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    viewport: { width: 1280, height: 900 },
    acceptDownloads: true,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
  });
  // Machines of tests are busy.
  context.setDefaultTimeout(120_000);
  return context;
}

/** A report in a page of its own. `faults` fills with all that no report may do: errors, requests, violations, dialogs. */
export async function open(context, name) {
  const page = await context.newPage();
  const faults = [];
  const address = pathToFileURL(join(folder, `${name}.html`)).href;
  page.on("console", (it) => faults.push(`console: ${it.text()}`));
  page.on("pageerror", (it) => faults.push(`error: ${it.message}`));
  page.on("dialog", (it) => faults.push(`dialog: ${it.message()}`) && it.dismiss());
  page.on("popup", () => faults.push("a window of its own"));
  page.on("request", (it) => it.url() === address || it.url().startsWith("blob:") || faults.push(`request: ${it.url()}`));
  await page.addInitScript(() => {
    window.violations = [];
    document.addEventListener("securitypolicyviolation", (it) => window.violations.push(`${it.violatedDirective} ${it.blockedURI}`));
  });
  await page.goto(address);
  await page.locator("#summary").waitFor();
  page.faults = async () => [...faults, ...(await page.evaluate(() => window.violations)).map((it) => `policy: ${it}`)];
  return page;
}

/** The text of a file that the page hands out. */
export async function download(page, button) {
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: button, exact: true }).click()]);
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
}
