// The Result screen: one run in detail, all runs on the risk-utility map, and two runs compared.

import { buildUrl, get, post, Problem, remove } from "./api.js";
import { quoteForPython, quoteForShell, showCommands } from "./commands.js";
import { createRunMap } from "./run_map.js";
import { createTermLink } from "./glossary_links.js";
import { createCautionItem } from "./notes.js";
import { byId, h, setContent } from "./shared/elements.js";
import { capitalise, formatCount, formatNumber, formatPercent } from "./shared/formats.js";
import { drawIciclePair } from "./shared/icicle.js";
import {
  onSession,
  onWork,
  reloadSession,
  session,
  showConflict,
  showMessage,
  showProblem,
} from "./shell.js";

const DATE_FORMAT = { dateStyle: "medium", timeStyle: "short" };
// Terms of the glossary that explain the figures shown first.
const TILE_TERMS = {
  uniques: "uniqueness",
  linked: "record linkage",
  smallest: "equivalence class",
  similarity: "data utility",
};

let runs = []; // as /api/map lists them, the oldest first; `isCurrent`: as the release file says
let mapData = null; // with the axes and limits of the map
let chosenId = null; // the run that is shown
let view = "run"; // or "all"
let openTab = "risk";
let dominated = new Set();
let tickedIds = []; // at most two, the first ticked first
let lastMadeId; // of the run that was made last, as far as we know
let shownParts = ""; // what is shown of a run, so that it is not drawn again

// Of several answers only the one to the last question counts: each call returns a function that
// says whether there was no later one.
function createTurns() {
  let last = 0;
  return () => {
    const own = ++last;
    return () => own === last;
  };
}
const takeRefreshTurn = createTurns();
const takeRunTurn = createTurns();
const takePairTurn = createTurns();

const nameRun = (id) => `run ${Number(id)}`;
const buildRunPath = (id, rest = "") => `/api/runs/${encodeURIComponent(id)}${rest}`;
const findRun = (id) => runs.find((run) => run.id === id);
const describeMethod = ({ series, strength }) => [series, strength].filter(Boolean).join(", ");
const formatSeconds = (seconds) => formatNumber(Number(seconds.toPrecision(2)));

// ---------------------------------------------------------------- which run, which view

function readAddress() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  view = parameters.has("all") ? "all" : "run";
  return parameters.get("run");
}

function writeAddress() {
  const address = view === "all" ? "#all" : `#run=${chosenId}`;
  if (location.hash !== address) history.replaceState(null, "", address);
}

async function refresh(wantedId = null) {
  const isLatest = takeRefreshTurn();
  const [map, stored] = await Promise.all([get("/api/map"), get("/api/runs")]);
  if (!isLatest()) return;
  const currentIds = stored.runs.filter((run) => run.current).map((run) => run.id);
  mapData = map;
  runs = map.points.map((run) => ({ ...run, isCurrent: currentIds.includes(run.id) }));
  tickedIds = tickedIds.filter(findRun);
  byId("empty").hidden = runs.length > 0;
  byId("shown").hidden = runs.length === 0;
  if (!runs.length) {
    chosenId = null;
    showRunCommands();
    return;
  }
  chosenId = [wantedId, chosenId].find(findRun) ?? runs.at(-1).id;
  setContent(
    byId("run"),
    [...runs].reverse().map((run) =>
      h("option", { value: run.id, selected: run.id === chosenId }, labelOption(run))
    ),
  );
  await showView();
}

function labelOption(run) {
  return `${Number(run.id)}: ${describeMethod(run)}${run.isCurrent ? " (current settings)" : ""}`;
}

async function chooseRun(id, newView = "run") {
  chosenId = id;
  view = newView;
  byId("run").value = id;
  await showView();
}

async function showView() {
  const isAll = view === "all";
  for (const id of ["one", "run-label", "run-actions"]) byId(id).hidden = isAll;
  byId("all").hidden = !isAll;
  byId("view-run").setAttribute("aria-pressed", String(!isAll));
  byId("view-all").setAttribute("aria-pressed", String(isAll));
  writeAddress();
  showRunCommands();
  if (isAll) showAllRuns();
  else await showOneRun();
}

// ---------------------------------------------------------------- one run

async function showOneRun() {
  const isLatest = takeRunTurn();
  const run = findRun(chosenId);
  byId("report").href = `/runs/${encodeURIComponent(chosenId)}/report`;
  byId("use").disabled = run.isCurrent;
  byId("use").textContent = run.isCurrent ? "These are the current settings" : "Use these settings";
  byId("use").title = run.isCurrent
    ? "The release file already has these settings."
    : "Copy the settings of this run into the release file. Undo reverts this.";
  const parts = await get(buildRunPath(chosenId, "/parts")).catch((problem) => problem);
  if (!isLatest()) return;
  for (const id of ["summary", "tabs", "panels"]) byId(id).hidden = parts instanceof Problem;
  if (parts instanceof Problem) throw parts;
  const newParts = JSON.stringify([chosenId, parts.required]);
  if (newParts === shownParts) return;
  shownParts = newParts;
  showSummary(run, parts);
  showTabs(parts);
}

function showSummary(run, parts) {
  const date = new Date(parts.made).toLocaleString("en-GB", DATE_FORMAT);
  byId("run-title").textContent = capitalise(describeMethod(run));
  const seconds = formatSeconds(parts.seconds);
  byId("run-words").textContent = `${parts.words} Run on ${date} (${seconds} s).`;
  const verdict = parts.promised
    ? h("b", { class: "good" }, "Guaranteed. ")
    : h("b", { class: "bad" }, "Not guaranteed. ");
  setContent(
    byId("promise"),
    h("h3", {}, "Guarantee"),
    h("p", {}, verdict, parts.guarantee),
    h("p", {}, h("b", {}, "Measured, not guaranteed. "), parts.measured),
    h(
      "details",
      {},
      h("summary", {}, "All guarantees and measurements"),
      parseMarkup(parts.holds),
    ),
  );
  setContent(byId("tiles"), parts.tiles.map(createTile));
  setContent(
    byId("required"),
    h("h3", {}, "Requirements"),
    describeRequirements(parts.required),
  );
  setContent(byId("careful"), createCautions(parts.cautions, parts.warnings));
}

function createTile({ name, words, before, after, better }) {
  const change = before === null ? null : [
    h("span", { class: "soft" }, before),
    h("span", { class: "soft arrow", "aria-hidden": "true" }, " → "),
    h("span", { class: "hidden" }, " before, after: "),
  ];
  const direction = better === "lower" ? "lower is better" : "higher is better";
  return h(
    "div",
    { class: "tile", "data-tile": name },
    h("dt", {}, TILE_TERMS[name] ? createTermLink(TILE_TERMS[name], words) : words),
    h("dd", {}, change, h("b", {}, after)),
    h("dd", { class: "soft small" }, direction),
  );
}

function describeRequirements(requirements) {
  if (!requirements.length) {
    return h(
      "p",
      { class: "soft" },
      "None yet. You can set requirements on the ",
      h("a", { href: "/release" }, "Release screen"),
      ".",
    );
  }
  const items = requirements.map(({ name, words, reasons }) =>
    h(
      "li",
      { "data-required": name },
      reasons.length
        ? [h("b", { class: "bad" }, "✗ Not met. "), reasons.join(" ")]
        : [h("b", { class: "good" }, "✓ Met. "), `${capitalise(words)}.`],
    )
  );
  return h("ul", { class: "checks" }, items);
}

function createCautions(cautions, warnings) {
  const sentences = warnings.map((warning) => `${capitalise(warning).replace(/\.$/, "")}.`);
  const said = new Set(cautions.map(({ text }) => text));
  const others = [...new Set(sentences)].filter((text) => !said.has(text));
  const items = [...cautions, ...others.map((text) => ({ text }))].map(createCautionItem);
  if (!items.length) return null;
  return h(
    "div",
    { class: "caution", role: "note" },
    h("h3", {}, "Check before you publish"),
    h("ul", {}, items),
  );
}

// Markup of the report's own templates, in which everything from data is escaped; never text that
// is put together here.
function parseMarkup(markup) {
  const template = document.createElement("template");
  template.innerHTML = markup;
  // Wide tables can be scrolled by keys.
  for (const wide of template.content.querySelectorAll(".wide")) {
    wide.tabIndex = 0;
    wide.setAttribute("role", "group");
    wide.setAttribute("aria-label", "Table");
  }
  return template.content;
}

// ---------------------------------------------------------------- tabs

function showTabs({ tabs, taxonomies }) {
  if (!tabs.some(({ name }) => name === openTab)) openTab = tabs[0].name;
  setContent(
    byId("tabs"),
    tabs.map(({ name, title }) =>
      h("button", {
        type: "button",
        role: "tab",
        id: `tab-${name}`,
        "data-tab": name,
        "aria-controls": `panel-${name}`,
        on: { click: () => showTab(name), keydown: handleTabKey },
      }, title)
    ),
  );
  setContent(
    byId("panels"),
    tabs.map(({ name, html }) =>
      h("div", {
        role: "tabpanel",
        id: `panel-${name}`,
        "aria-labelledby": `tab-${name}`,
        tabindex: "0",
      }, parseMarkup(html))
    ),
  );
  if (byId("icicles")) drawIciclePair(byId("icicles"), taxonomies);
  showTab(openTab);
}

function showTab(name) {
  openTab = name;
  for (const tab of byId("tabs").children) {
    const isOpen = tab.dataset.tab === name;
    tab.setAttribute("aria-selected", String(isOpen));
    tab.tabIndex = isOpen ? 0 : -1;
    byId(`panel-${tab.dataset.tab}`).hidden = !isOpen;
  }
}

function handleTabKey(event) {
  const tabs = [...byId("tabs").children];
  const index = tabs.indexOf(event.currentTarget);
  const next = {
    ArrowRight: (index + 1) % tabs.length,
    ArrowLeft: (index - 1 + tabs.length) % tabs.length,
    Home: 0,
    End: tabs.length - 1,
  }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  showTab(tabs[next].dataset.tab);
  tabs[next].focus();
}

// ---------------------------------------------------------------- all runs

const map = createRunMap(byId("map"), (id) => chooseRun(id), (newDominated) => {
  dominated = newDominated;
  showVerdicts();
});

function showAllRuns() {
  setContent(byId("runs").tBodies[0], [...runs].reverse().map(createRunRow));
  // Runs that treat columns differently cannot be ranked: they are in the list only.
  const { table } = findRun(chosenId);
  map.show({ ...mapData, points: mapData.points.filter((run) => run.table === table) }, chosenId);
  showPair().catch(showProblem);
}

function createRunRow(run) {
  const { id } = run;
  const name = nameRun(id);
  const isTicked = tickedIds.includes(id);
  const checkbox = h("input", {
    type: "checkbox",
    "aria-label": `Compare ${name}`,
    checked: isTicked,
    on: { change: (event) => tickRun(id, event.target.checked) },
  });
  const openButton = h("button", {
    type: "button",
    class: "link",
    "aria-label": `Show ${name}`,
    on: { click: () => chooseRun(id) },
  }, String(Number(id)));
  const useButton = h("button", {
    type: "button",
    class: "plain",
    "data-use": id,
    disabled: run.isCurrent,
    "aria-label": `Use the settings of ${name}`,
    on: { click: () => useSettings(id) },
  }, "Use");
  const deleteButton = h("button", {
    type: "button",
    class: "plain",
    "data-delete": id,
    "aria-label": `Delete ${name}`,
    on: { click: () => deleteRun(id) },
  }, "Delete");
  return h(
    "tr",
    { "data-run": id, class: id === chosenId ? "chosen" : null },
    h("td", {}, checkbox),
    h("th", { scope: "row" }, openButton),
    h(
      "td",
      {},
      run.series,
      run.isCurrent ? h("span", { class: "soft small block" }, "current settings") : null,
      run.differs.length
        ? h("span", { class: "soft small block" }, `other columns: ${run.differs.join("; ")}`)
        : null,
    ),
    h("td", {}, run.strength || "none"),
    h("td", { class: "small", title: run.holds }, run.guarantee),
    h("td", { class: "number" }, formatPercent(run.linked)),
    h("td", { class: "number" }, formatNumber(run.sse)),
    h("td", { class: "number" }, formatSeconds(run.seconds)),
    h("td", { class: "verdict small" }),
    h("td", { class: "small", title: run.unmet.join(" ") }, describeUnmet(run)),
    h("td", { class: "actions" }, useButton, deleteButton),
  );
}

function describeUnmet({ unmet }) {
  if (!Object.keys(session?.fields?.require ?? {}).length) return "none";
  return unmet.length
    ? h("span", { class: "bad" }, "✗ not met")
    : h("span", { class: "good" }, "✓ met");
}

function showVerdicts() {
  for (const row of byId("runs").tBodies[0].rows) {
    const isDominated = dominated.has(row.dataset.run);
    const isOnMap = findRun(row.dataset.run).table === findRun(chosenId).table;
    row.classList.toggle("dominated", isDominated);
    row.querySelector(".verdict").textContent = isOnMap
      ? (isDominated ? "yes" : "no")
      : "not comparable: other columns";
  }
}

// ---------------------------------------------------------------- comparing two runs

function tickRun(id, isTicked) {
  const others = tickedIds.filter((other) => other !== id);
  tickedIds = isTicked ? [...others, id].slice(-2) : others;
  for (const row of byId("runs").tBodies[0].rows) {
    row.querySelector("input").checked = tickedIds.includes(row.dataset.run);
  }
  showPair().catch(showProblem);
}

async function showPair() {
  byId("two").hidden = tickedIds.length < 2;
  byId("list-words").textContent = [
    "Tick two runs to compare them.",
    "Tick one more run to compare the two.",
    "The two ticked runs are compared below.",
  ][tickedIds.length];
  if (tickedIds.length < 2) return;
  const isLatest = takePairTurn();
  const [first, second] = [...tickedIds].sort((a, b) => a - b);
  const { rows, differences, columns } = await get(buildUrl("/api/compare", { first, second }));
  if (!isLatest()) return;
  const names = [first, second].map((id) => capitalise(nameRun(id)));
  const isMixed = findRun(first).promised !== findRun(second).promised;
  const caveat = "Only one of the two runs guarantees k-anonymity; the other perturbs values. " +
    "Figures about equivalence classes treat perturbed values as true values, so compare the " +
    "figures about record linkage first.";
  byId("two-title").textContent = `Comparison of ${nameRun(first)} and ${nameRun(second)}`;
  setContent(
    byId("two-body"),
    columns.length
      ? h(
        "p",
        {},
        `The runs treat columns differently, so most figures cannot be ranked. In ${
          names[0].toLowerCase()
        }: ${columns.join("; ")}.`,
      )
      : h("p", {}, summariseFigures(rows, names)),
    isMixed ? h("p", { class: "small soft" }, caveat) : null,
    differences.length
      ? createDifferencesTable(differences, names)
      : h("p", { class: "soft" }, "Both runs have the same settings."),
    [["risk", "Disclosure risk"], ["utility", "Data utility"]].map(([part, title]) => [
      h("h4", {}, title),
      createFiguresTable(rows.filter((row) => row.part === part), names),
    ]),
  );
}

function summariseFigures(rows, [firstName, secondName]) {
  const [first, second, same] = ["first", "second", "same"].map((which) =>
    rows.filter((row) => row.which === which).length
  );
  return `${firstName} is better in ${
    formatCount(first, "figure")
  }, ${secondName.toLowerCase()} in ` +
    `${second}; ${same} are equal. Start with the figures that matter for your use of the data.`;
}

function createDifferencesTable(differences, names) {
  const title = "Different settings";
  const headers = [title, ...names].map((name) => h("th", { scope: "col" }, name));
  const rows = differences.map(({ name, first, second }) =>
    h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, first), h("td", {}, second))
  );
  return createScrollable(
    title,
    h("table", {}, h("thead", {}, h("tr", {}, headers)), h("tbody", {}, rows)),
  );
}

function createFiguresTable(figures, names) {
  const verdicts = {
    first: `${names[0]} is better`,
    second: `${names[1]} is better`,
    same: "equal",
    "": "cannot be ranked",
  };
  const createCell = (figure, which) =>
    h("td", { class: `number${figure.which === which ? " better" : ""}` }, figure[which]);
  const header = h(
    "tr",
    {},
    h("th", { scope: "col" }, "figure"),
    names.map((name) => h("th", { scope: "col", class: "number" }, name)),
    h("th", { scope: "col" }, "better when"),
    h("th", { scope: "col" }, "better run"),
  );
  const rows = figures.map((figure) =>
    h(
      "tr",
      { "data-figure": figure.name, title: figure.meaning },
      h("th", { scope: "row" }, figure.title),
      createCell(figure, "first"),
      createCell(figure, "second"),
      h("td", { class: "small soft" }, figure.better === "neither" ? "" : figure.better),
      h("td", { class: "small" }, verdicts[figure.which]),
    )
  );
  return createScrollable(
    "Figures of both runs",
    h("table", { class: "both" }, h("thead", {}, header), h("tbody", {}, rows)),
  );
}

function createScrollable(label, table) {
  return h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": label }, table);
}

// ---------------------------------------------------------------- what can be done with a run

async function useSettings(id) {
  try {
    await post(buildRunPath(id, "/settings"), { revision: session.revision });
    await reloadSession();
    const message = `The release file now has the settings of ${nameRun(id)}. Undo reverts this.`;
    showMessage(message, "good");
    await refresh();
  } catch (problem) {
    await showConflict(problem);
  }
}

async function deleteRun(id) {
  try {
    await remove(buildRunPath(id));
    const restoreButton = h("button", {
      type: "button",
      id: "restore",
      on: { click: () => restoreRun(id) },
    }, "Restore");
    const words = `${capitalise(nameRun(id))} was deleted. `;
    setContent(byId("notice"), h("p", { class: "notice" }, words, restoreButton));
    await refresh();
    restoreButton.focus();
  } catch (problem) {
    showProblem(problem);
  }
}

async function restoreRun(id) {
  try {
    await post(buildRunPath(id, "/restore"));
    setContent(byId("notice"));
    await refresh(id);
    showMessage(`${capitalise(nameRun(id))} was restored.`, "good");
  } catch (problem) {
    showProblem(problem);
  }
}

// ---------------------------------------------------------------- the same as commands

function showRunCommands() {
  const file = session?.file ?? "release.yaml";
  if (view === "all" && runs.length) {
    const methods = [...new Set(runs.map((run) => run.argument))].join(",");
    const words = quoteForShell(methods);
    const list = quoteForPython(methods.split(","));
    showCommands({
      shell: [`ontomask compare ${quoteForShell(file)} --methods ${words} --output compare.html`],
      python: [
        "from ontomask.releasefile.compare import compare_file",
        "",
        `comparison, _ = compare_file(${quoteForPython(file)}, ${list})`,
        "print(comparison)",
      ],
    });
    return;
  }
  const run = findRun(chosenId);
  const warning = "# The release file has other settings now: press “Use these settings” first.";
  const before = run && !run.isCurrent ? [warning] : [];
  showCommands({
    shell: [...before, `ontomask mask ${quoteForShell(file)}`],
    python: [
      ...before,
      "import ontomask as om",
      "",
      `release = om.run_release_file(${quoteForPython(file)})`,
      "print(release.guarantee)",
      "print(release.evaluation)",
    ],
  });
}

// ---------------------------------------------------------------- begin

function refreshOrComplain(wantedId = null) {
  refresh(wantedId).catch(showProblem);
}

byId("run").addEventListener("change", (event) => {
  chooseRun(event.target.value).catch(showProblem);
});
byId("view-run").addEventListener("click", () => chooseRun(chosenId).catch(showProblem));
byId("view-all").addEventListener("click", () => chooseRun(chosenId, "all").catch(showProblem));
byId("use").addEventListener("click", () => useSettings(chosenId));
byId("delete").addEventListener("click", () => deleteRun(chosenId));
addEventListener("hashchange", () => {
  if (/^#(all|run=)/.test(location.hash)) refreshOrComplain(readAddress());
});
addEventListener("focus", () => refreshOrComplain()); // another tab may have deleted a run
chosenId = readAddress();
onSession(() => refreshOrComplain());
onWork((work) => {
  const madeId = work.kind === "run" && work.state === "done" ? work.result?.run ?? null : null;
  const isNew = lastMadeId !== undefined && madeId && madeId !== lastMadeId;
  if (isNew) refreshOrComplain(madeId);
  lastMadeId = madeId ?? lastMadeId ?? null;
});
