// The Result screen: what one run gave, and all runs on the map, two of them side by side.
import { get, post, remove, query, Problem } from "./api.js";
import { h, fill, byId, figure, percent } from "./dom.js";
import { session, onSession, onWork, reload, say, failed, lines } from "./shell.js";
import { icicles } from "./icicles.js";
import { riskMap } from "./map.js";

let runs = [];        // as /api/map tells them, the oldest first, with `current` and `title`
let around = null;    // the axes and limits of the map
let chosen = null;    // the run that is looked at
let view = "run";     // or "all"
let tab = "risk";
let worse = new Set();
let ticked = [];      // at most two, the earlier first
let lastRun;          // the run that was made last, as far as we know
let drawn = "";       // what is drawn of a run, so that it is not drawn again

// Of several answers only that to the last question counts.
const latest = () => { let last = 0; return () => { const mine = ++last; return () => mine === last; }; };
const refreshing = latest(), showing = latest(), comparing = latest();

const number = (id) => `run ${Number(id)}`;
const sentence = (words) => `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
const path = (id, rest = "") => `/api/runs/${encodeURIComponent(id)}${rest}`;
const day = (made) => new Date(made).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });

// ---------------------------------------------------------------- which run, which view

function fromAddress() {
  const found = new URLSearchParams(location.hash.slice(1));
  view = found.has("all") ? "all" : "run";
  return found.get("run");
}

function toAddress() {
  const there = view === "all" ? "#all" : `#run=${chosen}`;
  if (location.hash !== there) history.replaceState(null, "", there);
}

async function refresh(wanted = null) {
  const counts = refreshing();
  const [placed, kept] = await Promise.all([get("/api/map"), get("/api/runs")]);
  if (!counts()) return;
  const more = new Map(kept.runs.map((it) => [it.id, it]));
  around = placed;
  runs = placed.points.map((it) => ({ ...it, current: more.get(it.id)?.current ?? false }));
  ticked = ticked.filter((id) => runs.some((it) => it.id === id));
  byId("empty").hidden = runs.length > 0;
  byId("shown").hidden = runs.length === 0;
  if (!runs.length) { chosen = null; tellLines(); return; }
  const there = [wanted, chosen].find((id) => runs.some((it) => it.id === id));
  chosen = there ?? runs.at(-1).id;
  fill(byId("run"), ...[...runs].reverse().map((it) => h("option", { value: it.id, selected: it.id === chosen }, called(it))));
  await show();
}

const called = (it) => `${Number(it.id)}: ${[it.series, it.strength].filter(Boolean).join(", ")}${it.current ? " (in use)" : ""}`;

async function choose(id, where = "run") {
  chosen = id;
  view = where;
  byId("run").value = id;
  await show();
}

async function show() {
  const all = view === "all";
  byId("one").hidden = all;
  byId("run-label").hidden = byId("run-actions").hidden = all;
  byId("all").hidden = !all;
  byId("view-run").setAttribute("aria-pressed", String(!all));
  byId("view-all").setAttribute("aria-pressed", String(all));
  toAddress();
  tellLines();
  if (all) showAll(); else await showOne();
}

// ---------------------------------------------------------------- one run

async function showOne() {
  const counts = showing();
  const it = runs.find((run) => run.id === chosen);
  byId("report").href = `/runs/${encodeURIComponent(chosen)}/report`;
  byId("use").disabled = it.current;
  byId("use").textContent = it.current ? "These settings are in use" : "Use these settings";
  byId("use").title = it.current ? "The release file says these settings already." : "Put the settings of this run into the release file; Undo takes it back.";
  const parts = await get(path(chosen, "/parts")).catch((problem) => problem);
  if (!counts()) return;
  byId("summary").hidden = byId("tabs").hidden = byId("panels").hidden = parts instanceof Problem;
  if (parts instanceof Problem) throw parts;
  const now = JSON.stringify([chosen, parts.required]);
  if (now === drawn) return;
  drawn = now;
  byId("run-title").textContent = sentence([it.series, it.strength].filter(Boolean).join(", "));
  byId("run-words").textContent = `${parts.words} Made ${day(parts.made)}, in ${figure(Number(parts.seconds.toPrecision(2)))} s.`;
  fill(byId("promise"), h("h3", {}, "What holds"),
    h("p", {}, h("b", { class: parts.promised ? "good" : "bad" }, parts.promised ? "Guaranteed. " : "Not guaranteed. "), parts.guarantee),
    h("p", {}, h("b", {}, "Only measured. "), parts.measured),
    // Markup of the report's own templates, in which everything from data is escaped.
    h("details", {}, h("summary", {}, "All that holds, and all that was measured"), fragment(parts.holds)));
  fill(byId("tiles"), ...parts.tiles.map(tile));
  fill(byId("required"), ...required(parts.required));
  fill(byId("careful"), ...careful(parts));
  showTabs(parts);
}

function tile(it) {
  const was = it.before === null ? null : [h("span", { class: "soft" }, it.before), h("span", { class: "soft arrow", "aria-hidden": "true" }, " → "), h("span", { class: "hidden" }, " before, after: ")];
  return h("div", { class: "tile", "data-tile": it.name }, h("dt", {}, it.words),
    h("dd", {}, was, h("b", {}, it.after)),
    h("dd", { class: "soft small" }, it.better === "lower" ? "lower is better" : "higher is better"));
}

function required(found) {
  if (!found.length) return [h("h3", {}, "What is required"), h("p", { class: "soft" }, "Nothing yet. On the ", h("a", { href: "/release" }, "Release screen"), " you can say what must hold before anything is released.")];
  return [h("h3", {}, "What is required"), h("ul", { class: "checks" }, ...found.map((it) => h("li", { "data-required": it.name },
    it.reasons.length ? [h("b", { class: "bad" }, "✗ Not met. "), it.reasons.join(" ")] : [h("b", { class: "good" }, "✓ Met. "), `${sentence(it.words)}.`])))];
}

function careful(parts) {
  const ended = (words) => `${sentence(words).replace(/\.$/, "")}.`;
  const all = [...new Set([...parts.cautions, ...parts.warnings].map(ended))];
  return all.length ? [h("div", { class: "caution", role: "note" }, h("h3", {}, "Before you publish this"), h("ul", {}, ...all.map((it) => h("li", {}, it))))] : [];
}

// Whole markup from our own templates; never words put together here.
function fragment(html) {
  const made = document.createElement("template");
  made.innerHTML = html;
  // Wide tables can be scrolled by keys.
  for (const it of made.content.querySelectorAll(".wide")) { it.tabIndex = 0; it.setAttribute("role", "group"); it.setAttribute("aria-label", "Table"); }
  return made.content;
}

// ---------------------------------------------------------------- tabs

function showTabs(parts) {
  if (!parts.tabs.some((it) => it.name === tab)) tab = parts.tabs[0].name;
  fill(byId("tabs"), ...parts.tabs.map((it) => h("button", {
    type: "button", role: "tab", id: `tab-${it.name}`, "data-tab": it.name, "aria-controls": `panel-${it.name}`,
    on: { click: () => open(it.name), keydown: turn },
  }, it.title)));
  fill(byId("panels"), ...parts.tabs.map((it) => h("div", {
    role: "tabpanel", id: `panel-${it.name}`, "aria-labelledby": `tab-${it.name}`, tabindex: "0",
  }, fragment(it.html))));
  const place = byId("icicles");
  if (place) icicles(place, parts.taxonomies);
  open(tab);
}

function open(name) {
  tab = name;
  for (const it of byId("tabs").children) {
    const on = it.dataset.tab === name;
    it.setAttribute("aria-selected", String(on));
    it.tabIndex = on ? 0 : -1;
    byId(`panel-${it.dataset.tab}`).hidden = !on;
  }
}

function turn(event) {
  const all = [...byId("tabs").children], at = all.indexOf(event.currentTarget);
  const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  const found = all[(next + all.length) % all.length];
  open(found.dataset.tab);
  found.focus();
}

// ---------------------------------------------------------------- all runs

const map = riskMap(byId("map"), (id) => choose(id), (found) => { worse = found; verdicts(); });

function showAll() {
  list();
  map.show(around, chosen);
  sideBySide();
}

function list() {
  fill(byId("runs").tBodies[0], ...[...runs].reverse().map((it) => h("tr", { "data-run": it.id, class: it.id === chosen ? "chosen" : null },
    h("td", {}, h("input", { type: "checkbox", "aria-label": `Compare ${number(it.id)}`, checked: ticked.includes(it.id), on: { change: (event) => tick(it.id, event.target.checked) } })),
    h("th", { scope: "row" }, h("button", { type: "button", class: "link", "aria-label": `Look at ${number(it.id)}`, on: { click: () => choose(it.id) } }, String(Number(it.id)))),
    h("td", {}, it.series, it.current ? h("span", { class: "soft small block" }, "in use") : null),
    h("td", { class: "number" }, figure(it.k ?? it.alpha)),
    h("td", { class: "small", title: it.holds }, it.guarantee),
    h("td", { class: "number" }, percent(it.linked)),
    h("td", { class: "number" }, figure(it.sse)),
    h("td", { class: "number" }, figure(Number(it.seconds.toPrecision(2)))),
    h("td", { class: "verdict small" }),
    h("td", { class: "small", title: it.unmet.join(" ") }, Object.keys(session?.fields?.require ?? {}).length ? (it.unmet.length ? h("span", { class: "bad" }, "✗ not met") : h("span", { class: "good" }, "✓ met")) : "–"),
    h("td", { class: "actions" },
      h("button", { type: "button", class: "plain", "data-use": it.id, disabled: it.current, "aria-label": `Use the settings of ${number(it.id)}`, on: { click: () => use(it.id) } }, "Use"),
      h("button", { type: "button", class: "plain", "data-forget": it.id, "aria-label": `Forget ${number(it.id)}`, on: { click: () => forget(it.id) } }, "Forget")))));
}

function verdicts() {
  for (const row of byId("runs").tBodies[0].rows) {
    const bad = worse.has(row.dataset.run);
    row.classList.toggle("dominated", bad);
    row.querySelector(".verdict").textContent = bad ? "dominated" : "no";
  }
}

function tick(id, on) {
  ticked = ticked.filter((other) => other !== id);
  if (on) ticked = [...ticked, id].slice(-2);
  for (const row of byId("runs").tBodies[0].rows) row.querySelector("input").checked = ticked.includes(row.dataset.run);
  sideBySide().catch(failed);
}

async function sideBySide() {
  byId("two").hidden = ticked.length < 2;
  byId("list-words").textContent = ["Tick two runs to see them side by side.", "Tick one more to see the two side by side.", "The two ticked are side by side below."][ticked.length];
  if (ticked.length < 2) return;
  const counts = comparing(), [first, second] = [...ticked].sort((a, b) => a - b);
  const found = await get(query("/api/compare", { first, second }));
  if (!counts()) return;
  const names = [first, second].map((id) => `Run ${Number(id)}`);
  const [one, other] = [first, second].map((id) => runs.find((it) => it.id === id));
  byId("two-title").textContent = `${names[0]} and ${names[1].toLowerCase()} side by side`;
  fill(byId("two-body"),
    h("p", {}, summary(found.rows, names)),
    one.promised !== other.promised ? h("p", { class: "small soft" }, "One of the two promises classes, the other changes values. Figures about classes take masked values for true, which after swapping or noise they are not: look at those about linkage first.") : null,
    found.differences.length ? table(["told differently", ...names], found.differences.map((it) => [it.name, it.first, it.second])) : h("p", { class: "soft" }, "Both were told the same."),
    ...["risk", "utility"].map((part) => [h("h4", {}, part === "risk" ? "Risk" : "Utility"),
      figures(found.rows.filter((it) => it.part === part), names)]));
}

function summary(rows, names) {
  const of = (which) => rows.filter((it) => it.which === which).length;
  return `${names[0]} is better by ${of("first")} figures, ${names[1].toLowerCase()} by ${of("second")}; ${of("same")} are the same. They do not weigh the same: begin with what your readers need.`;
}

function table(heads, rows) {
  return h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": heads[0] }, h("table", {},
    h("thead", {}, h("tr", {}, ...heads.map((it) => h("th", { scope: "col" }, it)))),
    h("tbody", {}, ...rows.map(([name, ...cells]) => h("tr", {}, h("th", { scope: "row" }, name), ...cells.map((it) => h("td", {}, it)))))));
}

function figures(rows, names) {
  const words = { first: `${names[0]} is better`, second: `${names[1]} is better`, same: "the same", "": "–" };
  const cell = (it, which) => h("td", { class: `number${it.which === which ? " better" : ""}` }, it[which]);
  return h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Figures of both runs" }, h("table", { class: "both" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "figure"), ...names.map((it) => h("th", { scope: "col", class: "number" }, it)), h("th", { scope: "col" }, "better when"), h("th", { scope: "col" }, "which is better"))),
    h("tbody", {}, ...rows.map((it) => h("tr", { "data-figure": it.name, title: it.meaning },
      h("th", { scope: "row" }, it.title), cell(it, "first"), cell(it, "second"),
      h("td", { class: "small soft" }, it.better === "neither" ? "" : it.better), h("td", { class: "small" }, words[it.which]))))));
}

// ---------------------------------------------------------------- what can be done with a run

async function use(id) {
  try {
    await post(path(id, "/settings"), { revision: session.revision });
    await reload();
    say(`The release file has the settings of ${number(id)} now; Undo takes it back.`, "good");
    await refresh();
  } catch (problem) {
    if (problem.status === 409) await reload();
    failed(problem);
  }
}

async function forget(id) {
  try {
    await remove(path(id));
    const back = h("button", { type: "button", id: "restore", on: { click: () => restore(id) } }, "Take it back");
    fill(byId("notice"), h("p", { class: "notice" }, `${sentence(number(id))} is forgotten. `, back));
    await refresh();
    back.focus();
  } catch (problem) {
    failed(problem);
  }
}

async function restore(id) {
  try {
    await post(path(id, "/restore"));
    fill(byId("notice"));
    await refresh(id);
    say(`${sentence(number(id))} is back.`, "good");
  } catch (problem) {
    failed(problem);
  }
}

// ---------------------------------------------------------------- the same as commands

const quoted = (name) => (/^[\w.,:=+/-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`);

function tellLines() {
  const file = session?.file ?? "release.yaml";
  const it = runs.find((run) => run.id === chosen);
  const python = ["import ontomask as om", ""];
  if (view === "all" && runs.length) {
    const methods = [...new Set(runs.map((run) => run.argument))].join(",");
    lines({
      shell: [`ontomask compare ${quoted(file)} --methods ${quoted(methods)} --output compare.html`],
      python: ["from ontomask.releasefile.compare import compare_file", "",
        `found, _ = compare_file(${JSON.stringify(file)}, ${JSON.stringify(methods.split(","))})`, "print(found)"],
    });
    return;
  }
  const other = it && !it.current ? ["# The release file says something else now: press Use these settings first."] : [];
  lines({
    shell: [...other, `ontomask mask ${quoted(file)}`],
    python: [...other, ...python, `release = om.release(${JSON.stringify(file)})`, "print(release.guarantee)", "print(release.evaluation)"],
  });
}

// ---------------------------------------------------------------- begin

byId("run").addEventListener("change", (event) => choose(event.target.value).catch(failed));
byId("view-run").addEventListener("click", () => choose(chosen).catch(failed));
byId("view-all").addEventListener("click", () => choose(chosen, "all").catch(failed));
byId("use").addEventListener("click", () => use(chosen));
byId("forget").addEventListener("click", () => forget(chosen));
addEventListener("hashchange", () => { if (/^#(all|run=)/.test(location.hash)) refresh(fromAddress()).catch(failed); });
addEventListener("focus", () => refresh().catch(failed)); // another tab may have forgotten a run
chosen = fromAddress();
onSession(() => refresh().catch(failed));
onWork((work) => {
  const run = work.kind === "run" && work.state === "done" ? work.result?.run ?? null : null;
  if (lastRun !== undefined && run && run !== lastRun) refresh(run).catch(failed); // it has just been made
  lastRun = run ?? lastRun ?? null;
});
