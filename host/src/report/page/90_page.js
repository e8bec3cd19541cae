// The page as a whole: reads what the program left in it, puts the sections in order, and keeps the theme that a person chose.

const THEMES = ["system", "light", "dark"];
const THEME_PLACE = "hyperblock:theme";

function start() {
  const main = document.getElementById("main");
  try {
    const report = JSON.parse(document.getElementById("report").textContent);
    if (report.version !== 1) throw new Error(`this page draws reports of version 1, not ${report.version}`);
    draw(report, main);
  } catch (error) {
    main.replaceChildren(el("p", { class: "warnings", role: "alert" }, "This report cannot be drawn: ", visible(error.message)));
    throw error;
  }
}

function draw(report, main) {
  const { job } = report;
  scoresAre(report.scores);
  const tables = (job.tables ?? []).map((it) => visible(it.name)).join(", ");
  document.title = `${visible(job.command)} ${tables} \u2013 hyperblock`;
  document.getElementById("top").append(
    el("div", null, el("p", { class: "program" }, "hyperblock report"), el("h1", null, titleOf(job))), themeSwitch());
  const sections = [summarySection, pairsSection, scoresSection, rulesSection, entitiesSection, weightsSection, planSection, timeSection, columnsSection]
    .map((make) => make(report)).filter(Boolean);
  main.replaceChildren(...sections);
  contents(sections);
  document.getElementById("bottom").append(el("p", null, "Made ", el("time", { datetime: report.made }, when(report.made)), " by ", value(report.program),
    job.device ? [" on ", value(job.device)] : null, ". This page is one file, and fetches nothing."));
}

/** The sections by name, of which the one that is read is told. */
function contents(sections) {
  const links = sections.map((it) => [it, el("a", { href: `#${it.id}` }, it.querySelector("h2").textContent)]);
  document.getElementById("contents").append(el("ul", null, links.map(([, link]) => el("li", null, link))));
  const seen = new Set();
  const observer = new IntersectionObserver((entries) => {
    for (const it of entries) {
      if (it.isIntersecting) seen.add(it.target);
      else seen.delete(it.target);
    }
    const first = sections.find((it) => seen.has(it));
    for (const [part, link] of links) {
      if (part === first) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }, { rootMargin: "-15% 0px -60% 0px" });
  sections.forEach((it) => observer.observe(it));
}

/** A moment, as written but readable. */
function when(moment) {
  return String(moment).replace("T", " ").replace(/:\d\d(\.\d+)?Z$/, " UTC");
}

/** System, light, dark: one button goes round. */
function themeSwitch() {
  let theme = "system";
  try {
    const kept = localStorage.getItem(THEME_PLACE);
    if (THEMES.includes(kept)) theme = kept;
  } catch {
    // Then it is as the system has it, each time.
  }
  const button = el("button", { type: "button", class: "quiet theme", on: { click: () => set(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]) } });
  function set(to) {
    theme = to;
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
    try {
      if (theme === "system") localStorage.removeItem(THEME_PLACE);
      else localStorage.setItem(THEME_PLACE, theme);
    } catch {
      // It holds for this page, then.
    }
  }
  set(theme);
  return button;
}

start();
