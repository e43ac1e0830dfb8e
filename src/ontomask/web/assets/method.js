// The method screen: one of the methods, its settings, a quick try, and the whole run.

import { get } from "./api.js";
import { byId, figure, fill, h, many, percent, whole } from "./dom.js";
import { change, lines, onSession, onWork, session } from "./shell.js";
import { missingParts } from "./missing_parts.js";
import { begin, sentence, showProgress } from "./progress.js";

// What a method was set to before another was chosen: going back finds it again.
const before = new Map();
let methods = [];
let shown = null; // the name of the method whose settings are there
let controls = []; // [{setting, show(value)}]

const { methods: found } = await get("/api/methods");
methods = found;
fill(byId("methods"), methods.map(card));

// ---------------------------------------------------------------- the methods

function card(method) {
  const id = `method-${method.name}`;
  const line = (words, look = "") => h("span", { class: `line ${look}` }, words);
  return h("label", { class: "card", for: id },
    h("input", { type: "radio", name: "method", id, value: method.name, "aria-labelledby": `${id}-title`, "aria-describedby": `${id}-words`, on: { change: () => choose(method) } }),
    h("span", { class: "title" }, h("b", { id: `${id}-title` }, method.title), h("span", { class: "tag" }, method.promises_k ? "promises a k" : "no k")),
    h("span", { id: `${id}-words` }, line(method.promises), line(method.costs, "soft")));
}

function choose(method) {
  const now = session.fields.method ?? {};
  if (now.name) before.set(now.name, now);
  const chosen = before.get(method.name) ?? { name: method.name };
  for (const setting of method.settings) {
    if (["k", "alpha"].includes(setting.name)) chosen[setting.name] ??= now[setting.name] ?? setting.default;
  }
  change((fields) => { fields.method = chosen; }, `${method.title} it is.`);
}

// ---------------------------------------------------------------- its settings

// Save one setting; what is as usual is left out of the file, but for k and alpha.
function set(setting, value) {
  return change((fields) => {
    const usual = JSON.stringify(value) === JSON.stringify(setting.default ?? null);
    if (usual && !["k", "alpha"].includes(setting.name)) delete fields.method[setting.name];
    else fields.method[setting.name] = value;
  });
}

function setting(it) {
  const id = `setting-${it.name}`;
  const about = { id, "aria-describedby": `${id}-words` };
  const make = { choice, flag, columns, whole: number, number, text }[it.kind];
  const made = make(it, about);
  controls.push({ setting: it, show: made.show });
  const label = made.group ? h("span", { class: "label", id: `${id}-label` }, it.title) : h("label", { for: id }, it.title);
  return h("div", { class: "setting", "data-setting": it.name }, label, made.element, h("p", { class: "soft small", id: `${id}-words` }, it.words));
}

function choice(it, about) {
  const options = it.choices.map((one) => h("option", { value: one.value ?? "" }, one.words));
  const element = h("select", { ...about, on: { change: () => set(it, element.value || null) } }, options);
  return { element, show: (value) => { element.value = value ?? ""; } };
}

function flag(it, about) {
  const element = h("input", { ...about, type: "checkbox", on: { change: () => set(it, element.checked) } });
  return { element: h("span", { class: "flag" }, element), show: (value) => { element.checked = value === true; } };
}

function number(it, about) {
  const optional = it.optional ? { placeholder: "none" } : {};
  const element = h("input", { ...about, ...optional, type: "number", min: it.least, max: it.most, step: it.kind === "whole" ? 1 : "any", inputmode: it.kind === "whole" ? "numeric" : "decimal" });
  const save = () => {
    const given = element.valueAsNumber;
    if (!Number.isNaN(given)) set(it, given);
    else if (it.optional) set(it, null);
    else element.value = session.fields.method[it.name] ?? it.default;
  };
  element.addEventListener("change", save);
  if (it.low === null) return { element, show: (value) => { element.value = value ?? ""; } };
  const slide = h("input", { type: "range", min: it.low, max: it.high, step: it.step, id: `slide-${it.name}`, "aria-label": `${it.title}, from ${it.low} to ${it.high}` });
  slide.addEventListener("input", () => { element.value = slide.value; });
  slide.addEventListener("change", save);
  element.addEventListener("input", () => { slide.value = element.value; });
  const show = (value) => { element.value = value ?? ""; slide.value = value ?? it.low; };
  return { element: h("span", { class: "both" }, element, slide), show };
}

function columns(it, about) {
  const element = h("div", { ...about, class: "ticks", role: "group", "aria-labelledby": `${about.id}-label` });
  const show = (value) => {
    const names = Object.entries(session.fields.columns ?? {}).filter(([, column]) => column.role === "confidential").map(([name]) => name);
    const boxes = names.map((name) => h("input", { type: "checkbox", value: name, checked: (value ?? []).includes(name) }));
    const save = () => { const ticked = boxes.filter((box) => box.checked).map((box) => box.value); set(it, ticked.length ? ticked : null); };
    for (const box of boxes) box.addEventListener("change", save);
    if (element.contains(document.activeElement)) return; // it shows what was just ticked
    fill(element, names.length ? boxes.map((box) => h("label", {}, box, box.value)) : h("span", { class: "soft small" }, "No column is confidential."));
  };
  return { element, group: true, show };
}

function text(it, about) {
  const element = h("input", { ...about, on: { change: () => set(it, element.value || null) } });
  return { element, show: (value) => { element.value = value ?? ""; } };
}

function showSettings(given) {
  const method = methods.find((it) => it.name === given.name);
  byId("no-method").hidden = Boolean(method);
  byId("more").hidden = !method || method.settings.every((it) => it.chief);
  for (const it of methods) byId(`method-${it.name}`).checked = it === method;
  if (shown !== (method?.name ?? null)) {
    shown = method?.name ?? null;
    controls = [];
    const all = method?.settings ?? [];
    fill(byId("chief"), all.filter((it) => it.chief).map(setting));
    fill(byId("others"), all.filter((it) => !it.chief).map(setting));
    fill(byId("settings-title"), method ? `${method.title}: settings` : "Settings");
  }
  for (const { setting: it, show } of controls) show(given[it.name] ?? it.default ?? null);
  const changed = (method?.settings ?? []).filter((it) => !it.chief && given[it.name] !== undefined && given[it.name] !== null);
  fill(byId("more-set"), changed.length ? changed.map((it) => `${it.name} ${[given[it.name]].flat().join(", ")}`).join(" · ") : "");
}

// ---------------------------------------------------------------- trying and running

byId("try").addEventListener("click", () => begin("try", { sample: Number(byId("sample").value) }));
byId("run").addEventListener("click", () => begin("run"));
let work = null;

function showWork(now) {
  work = now;
  ready();
  if (showProgress(now)) {
    fill(byId("outcome"));
    told = "";
    return;
  }
  showOutcome();
}

function ready() {
  const complete = session && session.data && session.problems.length === 0;
  for (const id of ["try", "run"]) byId(id).disabled = !complete || work?.state === "working";
}

let told = ""; // what is shown of the last work: nothing is said twice

function showOutcome() {
  if (!work || work.state === "working" || work.kind === "release") return;
  const same = work.kind !== "try" || !work.result || asNow(work.result.figures);
  const key = `${work.count} ${same}`;
  if (told === key) return;
  told = key;
  const place = byId("outcome");
  const warned = work.warnings.length ? h("ul", { class: "small" }, work.warnings.map((it) => h("li", {}, it))) : null;
  if (work.state === "cancelled") fill(place, h("p", { class: "soft" }, `Cancelled after ${whole(work.seconds)} s. Nothing was kept.`));
  else if (work.state === "failed") fill(place, h("div", { class: "note bad" }, h("p", {}, h("b", {}, "It did not work. "), work.error.message), work.error.hint ? h("p", { class: "soft" }, sentence(work.error.hint)) : null));
  else if (work.state !== "done") fill(place);
  else if (work.kind === "run") fill(place, h("p", {}, h("b", { class: "good" }, `Run ${work.result.run} is done`), ` after ${figure(work.seconds)} s.`), warned, h("p", {}, h("a", { class: "main", id: "to-result", href: `/result#run=${work.result.run}` }, "See the result")));
  else fill(place, tried(work.result, same), warned);
}

function tried(result, same) {
  const it = result.figures;
  const tile = (value, words) => h("div", { class: "tile" }, h("b", {}, value), h("span", {}, words));
  const part = result.sampled_from ? `${many(result.records, "record")} of ${whole(result.sampled_from)}` : `all ${many(result.records, "record")}`;
  return [
    h("h3", { id: "tried" }, `On ${part}`),
    same ? null : h("p", { class: "note" }, "The settings have changed since; try again to see what they give."),
    h("p", {}, result.guarantee),
    h("div", { class: "tiles" },
      tile(percent(it.linkage_nearest), "of the records linked by meaning"),
      tile(whole(it.uniques), "records unique"),
      it.semantic_quality === null ? null : tile(percent(it.semantic_quality), "similarity to the original values"),
      tile(figure(it.sse_per_record), "squared error per record")),
    it.unmet.length ? h("ul", {}, it.unmet.map((one) => h("li", { class: "bad" }, one))) : null,
    it.notes.length ? h("ul", { class: "small soft" }, it.notes.map((one) => h("li", {}, one))) : null,
    result.sampled_from ? h("p", { class: "soft small" }, "In a sample rare combinations are rarer still, so the loss comes out too high: on the whole table it is usually less.") : null,
  ];
}

// Whether the figures are those of the settings of now.
function asNow(figures) {
  const given = session?.fields.method ?? {};
  const method = methods.find((it) => it.name === given.name);
  if (!method || figures.method !== given.name) return false;
  return method.settings.every((it) => {
    const now = given[it.name] ?? it.default ?? null;
    const then = ["k", "alpha"].includes(it.name) ? figures[it.name] : figures.settings[it.name] ?? it.default ?? null;
    return JSON.stringify(now) === JSON.stringify(then);
  });
}

// ---------------------------------------------------------------- all of it

onSession((now) => {
  const given = now.fields.method ?? {};
  showSettings(given);
  missingParts(byId("missing-parts"), now, "method", "Before it can run");
  ready();
  showOutcome();
  const strength = given.alpha === undefined ? ` --k ${given.k ?? 5}` : ` --alpha ${given.alpha}`;
  lines({
    shell: [
      "# a quick try; chance begins with the seed in --seed-file FILE or ONTOMASK_SEED",
      `ontomask compare ${now.file} --methods ${given.name ?? "microaggregation"}${strength} --sample ${byId("sample").value}`,
      "# the whole table, which is written then",
      `ontomask mask ${now.file}`,
    ],
    python: ["import ontomask as om", `release = om.release("${now.file}")`, "print(release.guarantee)", "print(release.evaluation)"],
  });
});
onWork(showWork);
