// The Method screen: choose a method and its settings, try it on a sample, and run it.

import { get } from "./api.js";
import { quoteForPython, quoteForShell, showCommands } from "./commands.js";
import { showMissingParts } from "./missing_parts.js";
import { createProblemNote } from "./notes.js";
import { showProgress, startWork } from "./progress.js";
import { createTermLink } from "./glossary_links.js";
import { byId, h, setContent } from "./shared/elements.js";
import { formatCount, formatInteger, formatNumber, formatPercent } from "./shared/formats.js";
import { changeFields, onSession, onWork, session, showProblem, showSavedValue } from "./shell.js";
import { storeFile } from "./uploads.js";

const { methods } = await get("/api/methods");
const fieldsBefore = new Map(); // of methods that were chosen before: going back finds them again
let shownMethod = null; // the name of the method whose settings are there
let controls = []; // [{setting, show(value)}]
let lastWork = null;
let shownOutcome = ""; // of the last work: nothing is announced twice

setContent(byId("methods"), methods.map(createCard));

// ---------------------------------------------------------------- the methods

function createCard(method) {
  const id = `method-${method.name}`;
  return h(
    "label",
    { class: "card", for: id },
    h("input", {
      type: "radio",
      name: "method",
      id,
      value: method.name,
      "aria-labelledby": `${id}-title`,
      "aria-describedby": `${id}-words`,
      on: { change: () => chooseMethod(method) },
    }),
    h(
      "span",
      { class: "title" },
      h("b", { id: `${id}-title` }, method.title),
      h("span", { class: "tag" }, method.promises_k ? "k-anonymity" : "no k-anonymity"),
    ),
    h(
      "span",
      { id: `${id}-words` },
      h("span", { class: "line" }, method.summary),
      h("span", { class: "line soft" }, method.help),
    ),
  );
}

function chooseMethod(method) {
  changeFields((fields) => { // after other changes: its settings may be among them
    const current = fields.method ?? {};
    if (current.name) fieldsBefore.set(current.name, current);
    const chosen = { ...(fieldsBefore.get(method.name) ?? { name: method.name }) };
    const varied = findVariedSetting(method);
    if (varied) chosen[varied.name] ??= current[varied.name] ?? varied.default;
    fields.method = chosen;
  }, `The method is now ${method.title.toLowerCase()}.`);
}

function findMethod(name) {
  return methods.find((method) => method.name === name);
}

// The setting that a method is varied by: always in the file, and kept when the method changes.
function findVariedSetting(method) {
  return method?.settings.find(({ name }) => name === method.varied_by);
}

// ---------------------------------------------------------------- settings

// Saves one setting; a default is left out of the file, but for the setting that is varied.
function saveSetting({ name, default: usual = null }, value) {
  return changeFields((fields) => {
    const isUsual = JSON.stringify(value) === JSON.stringify(usual);
    const isVaried = findMethod(fields.method.name)?.varied_by === name;
    if (isUsual && !isVaried) delete fields.method[name];
    else fields.method[name] = value;
  });
}

// How settings of each kind are shown: {element, show(value), isGroup}.
const CONTROLS = {
  choice: createChoice,
  flag: createFlag,
  columns: createColumnChoice,
  whole: createNumberInput,
  number: createNumberInput,
  text: createTextInput,
};

function createSetting(setting) {
  const id = `setting-${setting.name}`;
  const control = CONTROLS[setting.kind](setting, { id, "aria-describedby": `${id}-words` });
  controls.push({ setting, show: control.show });
  const label = control.isGroup
    ? h("span", { class: "label", id: `${id}-label` }, setting.title)
    : h("label", { for: id }, setting.title);
  return h(
    "div",
    { class: "setting", "data-setting": setting.name },
    label,
    control.element,
    h("p", { class: "soft small", id: `${id}-words` }, setting.help),
  );
}

function createChoice(setting, attributes) {
  const options = setting.choices.map(({ value, help }) =>
    h("option", { value: value ?? "" }, help)
  );
  const element = h("select", {
    ...attributes,
    on: { change: () => saveSetting(setting, element.value || null) },
  }, options);
  return { element, show: (value) => showSavedValue(element, value) };
}

function createTextInput(setting, attributes) {
  const element = h("input", {
    ...attributes,
    on: { change: () => saveSetting(setting, element.value || null) },
  });
  return { element, show: (value) => showSavedValue(element, value) };
}

function createFlag(setting, attributes) {
  const checkbox = h("input", {
    ...attributes,
    type: "checkbox",
    on: { change: () => saveSetting(setting, checkbox.checked) },
  });
  const show = (value) => {
    checkbox.checked = value === true;
  };
  return { element: h("span", { class: "flag" }, checkbox), show };
}

// A field, with a slider where the setting has a usual range.
function createNumberInput(setting, attributes) {
  const { name, title, usual, step } = setting;
  const isWhole = setting.kind === "whole";
  const field = h("input", {
    ...attributes,
    type: "number",
    placeholder: setting.optional ? "none" : null,
    min: setting.least ?? setting.above,
    max: setting.most,
    step: isWhole ? 1 : "any",
    inputmode: isWhole ? "numeric" : "decimal",
  });
  const save = () => {
    const number = field.valueAsNumber;
    if (!Number.isNaN(number)) saveSetting(setting, number);
    else if (setting.optional) saveSetting(setting, null);
    else field.value = session.fields.method[name] ?? setting.default;
  };
  field.addEventListener("change", save);
  if (usual.length < 2) return { element: field, show: (value) => showSavedValue(field, value) };

  const [low, high] = [usual[0], usual[usual.length - 1]];
  const slider = h("input", {
    type: "range",
    min: low,
    max: high,
    step,
    id: `slide-${name}`,
    "aria-label": `${title}, from ${low} to ${high}`,
  });
  slider.addEventListener("input", () => {
    field.value = slider.value;
  });
  slider.addEventListener("change", () => {
    field.value = slider.value;
    save();
  });
  field.addEventListener("input", () => {
    slider.value = field.value;
  });
  const show = (value) => {
    showSavedValue(field, value);
    if (document.activeElement !== field) showSavedValue(slider, value ?? low);
  };
  return { element: h("span", { class: "both" }, field, slider), show };
}

// Some of the sensitive attributes.
function createColumnChoice(setting, attributes) {
  const element = h("div", {
    ...attributes,
    class: "ticks",
    role: "group",
    "aria-labelledby": `${attributes.id}-label`,
  });
  const save = () => {
    const names = [...element.querySelectorAll(":checked")].map((checkbox) => checkbox.value);
    saveSetting(setting, names.length ? names : null);
  };
  const show = (value) => {
    if (element.contains(document.activeElement)) return; // it shows what was just ticked
    const names = Object.entries(session.fields.columns ?? {})
      .filter(([, column]) => column.role === "confidential")
      .map(([name]) => name);
    const labels = names.map((name) => {
      const checked = (value ?? []).includes(name);
      const checkbox = { type: "checkbox", value: name, checked, on: { change: save } };
      return h("label", {}, h("input", checkbox), name);
    });
    const nothing = h("span", { class: "soft small" }, "No column is a sensitive attribute.");
    setContent(element, names.length ? labels : nothing);
  };
  return { element, isGroup: true, show };
}

function showSettings(fields) {
  const method = findMethod(fields.name);
  const settings = method?.settings ?? [];
  const [main, others] = [true, false].map((isMain) =>
    settings.filter((setting) => setting.main === isMain)
  );
  byId("no-method").hidden = Boolean(method);
  byId("more").hidden = !others.length;
  for (const { name } of methods) byId(`method-${name}`).checked = name === method?.name;
  if (shownMethod !== (method?.name ?? null)) {
    shownMethod = method?.name ?? null;
    controls = [];
    setContent(byId("main-settings"), main.map(createSetting));
    setContent(byId("others"), others.map(createSetting));
    byId("settings-title").textContent = method ? `${method.title}: settings` : "Settings";
    showLinkedSetting();
  }
  for (const { setting, show } of controls) show(getValue(fields, setting));
  byId("more-set").textContent = others
    .filter(({ name }) => fields[name] !== undefined && fields[name] !== null)
    .map(({ name }) => `${name} ${[fields[name]].flat().join(", ")}`)
    .join(" · ");
}

// Shows the setting that the address names, wherever it is.
function showLinkedSetting() {
  const wanted = document.getElementById(location.hash.slice(1));
  if (!wanted) return;
  byId("more").open ||= byId("more").contains(wanted);
  wanted.focus();
}

function getValue(fields, { name, default: usual }) {
  return fields[name] ?? usual ?? null;
}

// ---------------------------------------------------------------- the population

// Saves the size or the table of the population; null where it has none.
function savePopulation(field, value, message) {
  return changeFields((fields) => {
    const population = { ...(fields.population ?? {}), [field]: value };
    if (value === null) delete population[field];
    if (Object.keys(population).length) fields.population = population;
    else delete fields.population;
  }, message);
}

byId("population-size").addEventListener("change", (event) => {
  const size = event.target.valueAsNumber;
  savePopulation("size", Number.isNaN(size) ? null : size);
});
byId("population-table").addEventListener("change", (event) => {
  savePopulation("table", event.target.value || null);
});
byId("population-file").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (!file) return;
  try {
    const { name } = await storeFile(file);
    await savePopulation("table", name, `The population is now in ${name}.`);
  } catch (problem) {
    showProblem(problem);
  } finally {
    event.target.value = "";
  }
});

async function showPopulation({ fields, data }) {
  const { size, table = "" } = fields.population ?? {};
  showSavedValue(byId("population-size"), size);
  const { tables } = await get("/api/files");
  const names = tables.map(({ name }) => name).filter((name) => name !== data);
  if (table && !names.includes(table)) names.push(table);
  setContent(
    byId("population-table"),
    h("option", { value: "" }, "none"),
    names.map((name) => h("option", { value: name }, name)),
  );
  byId("population-table").value = table;
}

// ---------------------------------------------------------------- trying and running

byId("try").addEventListener("click", () => {
  startWork("try", { sample: Number(byId("sample").value) });
});
byId("run").addEventListener("click", () => startWork("run"));

function showWork(work) {
  lastWork = work;
  showReadiness();
  if (showProgress(work)) {
    setContent(byId("outcome"));
    shownOutcome = "";
  } else {
    showOutcome();
  }
}

function showReadiness() {
  const isComplete = session && session.data && session.problems.length === 0;
  const isReady = isComplete && lastWork?.state !== "working";
  for (const id of ["try", "run"]) byId(id).disabled = !isReady;
}

function showOutcome() {
  if (!lastWork || lastWork.state === "working" || lastWork.kind === "release") return;
  const { kind, count, result } = lastWork;
  const isCurrent = kind !== "try" || !result || hasCurrentSettings(result.figures);
  const outcome = `${count} ${isCurrent}`;
  if (shownOutcome === outcome) return;
  shownOutcome = outcome;
  setContent(byId("outcome"), describeOutcome(lastWork, isCurrent));
}

function describeOutcome({ state, kind, seconds, warnings, error, result }, isCurrent) {
  if (state === "cancelled") {
    const words = `Cancelled after ${formatInteger(seconds)} s. Nothing was stored.`;
    return h("p", { class: "soft" }, words);
  }
  if (state === "failed") {
    const { message, hint } = error;
    return createProblemNote({ message, hint }, "The table could not be masked.");
  }
  if (state !== "done") return null;
  const warned = warnings.length
    ? h("ul", { class: "small" }, warnings.map((warning) => h("li", {}, warning)))
    : null;
  if (kind === "try") return [describeTrial(result, isCurrent), warned];
  const link = { class: "main", id: "to-result", href: `/result#run=${result.run}` };
  return [
    h(
      "p",
      {},
      h("b", { class: "good" }, `Run ${Number(result.run)} is done`),
      ` (${formatNumber(seconds)} s).`,
    ),
    warned,
    h("p", {}, h("a", link, "Show the result")),
  ];
}

function describeTrial({ figures, records, sampled_from: total, guarantee }, isCurrent) {
  const { linkage_nearest, linkage_people, uniques, semantic_quality, sse_per_record } = figures;
  const { unmet, notes } = figures;
  const isLinked = linkage_people !== null;
  const createTile = (value, words) =>
    h("div", { class: "tile" }, h("b", {}, value), h("span", {}, words));
  const createList = (sentences, listClass, itemClass) =>
    sentences.length
      ? h(
        "ul",
        { class: listClass },
        sentences.map((sentence) => h("li", { class: itemClass }, sentence)),
      )
      : null;
  const part = total
    ? `${formatInteger(records)} of ${formatCount(total, "record")}`
    : `all ${formatCount(records, "record")}`;
  const outdated = "The settings have changed since. Try again to see their effect.";
  const caveat =
    "A sample has fewer similar records than the whole table, so its information loss " +
    "is usually higher.";
  return [
    h("h3", { id: "tried" }, `On ${part}`),
    isCurrent ? null : h("p", { class: "note" }, outdated),
    h("p", {}, guarantee),
    h(
      "div",
      { class: "tiles" },
      createTile(formatPercent(isLinked ? linkage_people : linkage_nearest), [
        `of the ${isLinked ? "people" : "records"} linked correctly by `,
        createTermLink("record linkage"),
        isLinked ? `; record by record: ${formatPercent(linkage_nearest)}` : null,
      ]),
      createTile(formatInteger(uniques), [
        createTermLink("uniqueness", "unique"),
        isLinked ? " people" : " records",
      ]),
      semantic_quality === null ? null : createTile(
        formatPercent(semantic_quality),
        "semantic quality (similarity to the original values)",
      ),
      createTile(formatNumber(sse_per_record), [
        "SSE per record (",
        createTermLink("information loss"),
        ")",
      ]),
    ),
    createList(unmet, null, "bad"),
    createList(notes, "small soft", null),
    total ? h("p", { class: "soft small" }, caveat) : null,
  ];
}

// Whether figures were made with the settings that the release file has now.
function hasCurrentSettings(figures) {
  const fields = session?.fields.method ?? {};
  const method = findMethod(fields.name);
  if (!method || figures.method !== fields.name) return false;
  return method.settings.every((setting) => {
    const { name } = setting;
    // The figures hold k, window and alpha apart from the other settings.
    const used = ["k", "window", "alpha"].includes(name)
      ? figures[name]
      : getValue(figures.settings, setting);
    return JSON.stringify(getValue(fields, setting)) === JSON.stringify(used);
  });
}

// ---------------------------------------------------------------- begin

onSession((current) => {
  const fields = current.fields.method ?? {};
  showSettings(fields);
  showPopulation(current).catch(showProblem);
  showMissingParts(byId("missing-parts"), current, "method", "Before you can run this");
  showReadiness();
  showOutcome();
  const file = quoteForShell(current.file);
  const varied = findVariedSetting(findMethod(fields.name ?? "microaggregation"));
  const setting = varied ? `:${varied.name}=${fields[varied.name] ?? varied.default}` : "";
  const method = quoteForShell(`${fields.name ?? "microaggregation"}${setting}`);
  const sample = byId("sample").value;
  showCommands({
    shell: [
      "# try on a sample; --seed-file FILE or ONTOMASK_SEED sets the seed",
      `ontomask compare ${file} --methods ${method} --sample ${sample}`,
      "# mask the whole table and write it",
      `ontomask mask ${file}`,
    ],
    python: [
      "import ontomask as om",
      `release = om.run_release_file(${quoteForPython(current.file)})`,
      "print(release.guarantee)",
      "print(release.evaluation)",
    ],
  });
});
onWork(showWork);
