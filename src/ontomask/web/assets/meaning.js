// The Meaning screen: a taxonomy for each nominal column, and a concept for each of its values.

import { buildColumnPath, buildUrl, get } from "./api.js";
import { createBuilder } from "./builder.js";
import { quoteForPython, quoteForShell, showCommands } from "./commands.js";
import { createConceptIcicle } from "./concept_icicle.js";
import { createConceptSearch, formatPath, formatPlace } from "./concept_search.js";
import { showDistance } from "./distance.js";
import { createProblemNote } from "./notes.js";
import { byId, h, setContent } from "./shared/elements.js";
import { formatCount, formatInteger, formatPercent } from "./shared/formats.js";
import {
  changeFields,
  onSession,
  session,
  showMessage,
  showProblem,
  showSavedValue,
} from "./shell.js";
import { storeFile } from "./uploads.js";

const ROLES = { quasi: "quasi-identifier", confidential: "sensitive attribute" };
// How a column is treated, by its role and type.
const TREATMENTS = {
  quasi: {
    "": "Choose the type of the values; the column cannot be masked without it.",
    numeric: "Masked by the difference between numbers.",
    set: "Masked as a set: the values of a cell together, with all concepts above them.",
    date: "Masked by the number of days between dates.",
  },
  confidential: {
    "": "Released unchanged. The type only matters for t-closeness.",
    numeric: "Released unchanged. t-closeness compares its numbers by their order.",
    nominal: "Released unchanged.",
    ordinal: "Released unchanged.",
    date: "Released unchanged.",
  },
};
// Fields that belong to a taxonomy, and go with it.
const TAXONOMY_FIELDS = [
  "format",
  "options",
  "domain",
  "mapping",
  "prefer",
  "below",
  "senses",
  "repair_codes",
];
// Fields of crosswalks and further taxonomies: they are shown here, and edited in the release file.
const CROSSWALK_FIELDS = ["crosswalk", "more_taxonomies", "combine"];
// Fields that only columns of one type have: another type drops them.
const WORD_FIELDS = [
  "taxonomy",
  "stems",
  "heads",
  "split",
  "drop_parentheses",
  ...TAXONOMY_FIELDS,
];
// Matching options: the control, the field, and what is between several values in the control.
const FLAG_CONTROLS = [
  ["repair-codes", "repair_codes"],
  ["heads", "heads"],
  ["drop-parentheses", "drop_parentheses"],
];
const CHOICE_CONTROLS = ["senses", "stems"];
const LIST_CONTROLS = [["prefer", ", "], ["below", ", "], ["split", " "]];
const TYPE_FIELDS = {
  nominal: [...WORD_FIELDS, ...CROSSWALK_FIELDS, "measure", "ground"],
  set: [...WORD_FIELDS, "separator", "columns", "long"],
  ordinal: ["levels"],
  date: ["date_format"],
};
const DEFAULTS = { measure: "sanchez", domain: "lcs" };
const FIRST_UNMAPPED = 8; // values without a concept that are shown at first
const MORE_UNMAPPED = 20;
const MOST_LEVELS = 300;
const MOST_KINDS = 24; // of a concept are listed

let chosenColumn = null;
let offered = null; // taxonomies and measures to choose from
let shownKey = ""; // what the view of the column was made of
const coverages = new Map(); // shares of records with a concept; null where that failed

const getFields = (name) => session.fields.columns?.[name] ?? {};
const getType = (fields) => fields.type ?? (fields.taxonomy ? "nominal" : "");
const hasConcepts = (type) => type === "nominal" || type === "set";
let shownConcept = null;
const icicle = createConceptIcicle(byId("icicle"), (concept) => showConcept(concept));
const builder = createBuilder({ onBuilt: useBuilt, onClosed: () => byId("build").focus() });

async function showSession(current) {
  if (current.opening) return;
  const names = listColumns(current);
  const isEmpty = !current.data || !names.length;
  byId("nothing").hidden = !isEmpty;
  byId("meaning").hidden = isEmpty;
  if (isEmpty) {
    showNothing(Boolean(current.data));
    return;
  }
  if (!names.includes(chosenColumn)) chosenColumn = findFirstColumn(names);
  showColumns(names);
  await showColumn();
  measureCoverages(names);
}

// The quasi-identifiers first, then the sensitive attributes.
function listColumns(current) {
  const columns = Object.entries(current.fields.columns ?? {});
  return Object.keys(ROLES).flatMap((role) =>
    columns.filter(([, fields]) => fields.role === role).map(([name]) => name)
  );
}

function findFirstColumn(names) {
  const wanted = decodeURIComponent(location.hash.slice(1));
  if (names.includes(wanted)) return wanted;
  return names.find((name) => hasConcepts(getType(getFields(name)))) ?? names[0];
}

function showNothing(hasTable) {
  byId("nothing-words").textContent = hasTable
    ? "No column is a quasi-identifier or a sensitive attribute yet. Only these need a taxonomy."
    : "No table is open yet.";
  byId("nothing-link").href = hasTable ? "/roles" : "/data";
  byId("nothing-link").textContent = hasTable ? "Go to Roles" : "Open a table";
}

// ---------------------------------------------------------------- the list of columns

function showColumns(names) {
  const list = byId("columns");
  const focused = document.activeElement?.dataset?.column;
  const { scrollTop } = list;
  const choose = (name) => {
    chosenColumn = name;
    history.replaceState(null, "", `#${encodeURIComponent(name)}`);
    showColumns(names);
    showColumn();
  };
  const createItem = (name) =>
    h(
      "li",
      {},
      h(
        "button",
        {
          type: "button",
          "data-column": name,
          "aria-current": name === chosenColumn ? "true" : null,
          on: { click: () => choose(name) },
        },
        h("span", { class: "name", title: name }, name),
        h("span", { class: "facts" }),
      ),
    );
  setContent(list, names.map(createItem));
  for (const name of names) showState(name);
  list.scrollTop = scrollTop;
  list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  if (focused !== undefined) findColumnButton(focused)?.focus();
}

function findColumnButton(name) {
  const buttons = [...byId("columns").querySelectorAll("button")];
  return buttons.find((button) => button.dataset.column === name);
}

// Everything that the meaning of a column depends on.
function buildKey(name) {
  return JSON.stringify([session.data, name, getFields(name), session.fields.missing_marks]);
}

// Shows below the name of a column how far it is.
function showState(name) {
  const place = findColumnButton(name)?.querySelector(".facts");
  if (!place) return;
  const { words, isWrong } = describeState(name);
  place.classList.toggle("bad", isWrong);
  place.textContent = words;
}

function describeState(name) {
  const { role, taxonomy, columns, levels = [], ...fields } = getFields(name);
  const type = getType({ taxonomy, ...fields });
  if (type === "numeric") return { words: "numbers", isWrong: false };
  if (type === "date") return { words: "dates", isWrong: false };
  if (type === "ordinal") {
    const words = levels.length ? formatCount(levels.length, "level") : "no levels yet";
    return { words, isWrong: !levels.length };
  }
  if (!hasConcepts(type)) {
    const isWrong = role === "quasi";
    return { words: isWrong ? "no type yet" : "released unchanged", isWrong };
  }
  if (!taxonomy) return { words: "no taxonomy yet", isWrong: true };
  const coverage = coverages.get(buildKey(name));
  if (coverage === undefined) return { words: taxonomy, isWrong: false };
  if (coverage === null) return { words: "taxonomy cannot be used", isWrong: true };
  const words = `${formatPercent(coverage)} of ${columns ? "cells" : "records"} have a concept`;
  return { words, isWrong: coverage < 1 };
}

// Finds the coverage of every nominal column, one after the other.
async function measureCoverages(names) {
  for (const name of names) {
    const key = buildKey(name);
    const fields = getFields(name);
    if (!hasConcepts(getType(fields)) || !fields.taxonomy || coverages.has(key)) continue;
    try {
      const url = buildUrl(buildColumnPath(name, "meaning"), { limit: "0" });
      coverages.set(key, (await get(url)).coverage);
    } catch {
      coverages.set(key, null);
    }
    showState(name);
  }
}

// ---------------------------------------------------------------- one column

async function showColumn() {
  const name = chosenColumn;
  const fields = getFields(name);
  const type = getType(fields);
  const { columns } = fields; // of a set over several columns
  byId("column-title").textContent = columns ? `${name}: ${columns.join(", ")}` : name;
  byId("column-title").title = name;
  byId("column-role").textContent = ROLES[fields.role];
  byId("type").options[0].hidden = fields.role === "quasi" && type !== "";
  byId("type").value = type;
  byId("type").disabled = Boolean(columns);
  setContent(byId("type-words"), describeTreatment(fields, type));
  for (const part of ["ordinal", "date"]) byId(part).hidden = type !== part;
  byId("nominal").hidden = !hasConcepts(type);
  byId("separator-place").hidden = type !== "set" || fields.long || Boolean(columns);
  byId("long-place").hidden = type !== "set" || !session.fields.person || Boolean(columns);
  byId("long").checked = fields.long ?? false;
  byId("build").hidden = type === "set"; // it groups whole cells
  byId("separator").value = fields.separator ?? ";";
  showColumnCommands(name, fields, type);
  try {
    if (hasConcepts(type)) await showNominal(name, fields);
    else if (type === "ordinal") await showLevels(name, fields);
    else if (type === "date") await showDates(name, fields);
  } catch (problem) {
    showProblem(problem);
  }
}

function describeTreatment({ role, taxonomy, ground }, type) {
  if (role !== "confidential" || !taxonomy) return TREATMENTS[role][type] ?? "";
  return [
    `Released unchanged. t-closeness compares its values by ${
      ground === "semantic" ? "meaning" : "equality"
    }: `,
    h("a", { href: "/roles" }, "change it on the Roles screen"),
    ".",
  ];
}

byId("type").addEventListener("change", async (event) => {
  const name = chosenColumn;
  const type = event.target.value;
  const levels = type === "ordinal" ? await sortValues(name) : [];
  changeColumn(name, (fields) => {
    const own = TYPE_FIELDS[type] ?? [];
    for (const field of Object.values(TYPE_FIELDS).flat()) {
      if (!own.includes(field)) delete fields[field];
    }
    setField(fields, "type", type);
    if (levels.length) fields.levels ??= levels;
  }, `The type of ${name} was changed.`);
});

byId("separator").addEventListener("change", (event) => {
  const separator = event.target.value.trim();
  const message = "The text between the values was changed.";
  const edit = (fields) => setField(fields, "separator", separator === ";" ? "" : separator);
  changeColumn(chosenColumn, edit, message);
});

byId("long").addEventListener("change", (event) => {
  const isLong = event.target.checked;
  const message = isLong ? "The rows of a person are one set." : "Each cell is a set.";
  changeColumn(chosenColumn, (fields) => setField(fields, "long", isLong || ""), message);
});

// Changes the fields of one column.
function changeColumn(name, edit, message) {
  return changeFields((fields) => edit(fields.columns[name]), message);
}

// Sets a field, or removes it where it has no value.
function setField(fields, field, value) {
  if (value) fields[field] = value;
  else delete fields[field];
}

function showColumnCommands(name, fields, type) {
  const { file, data } = session;
  const { taxonomy, format, mapping } = fields;
  const check = `ontomask check ${quoteForShell(file)}`;
  if (!hasConcepts(type) || !taxonomy || fields.columns || fields.crosswalk) {
    showCommands({
      shell: [check],
      python: [
        "from ontomask.releasefile.model import load_release_file",
        `load_release_file(${quoteForPython(file)}).columns[${quoteForPython(name)}]`,
      ],
    });
    return;
  }
  const formatFlag = format ? ` --format ${quoteForShell(format)}` : "";
  const flags = [
    formatFlag,
    fields.repair_codes ? " --repair-codes" : "",
    fields.heads ? " --heads" : "",
    fields.drop_parentheses ? " --drop-parentheses" : "",
    ...[...CHOICE_CONTROLS, ...LIST_CONTROLS.map(([field]) => field)].flatMap((field) =>
      [fields[field] ?? []].flat().map((value) => ` --${field} ${quoteForShell(value)}`)
    ),
    typeof mapping === "string" ? ` --corrections ${quoteForShell(mapping)}` : "",
  ].join("");
  const matching = [...FLAG_CONTROLS, ...LIST_CONTROLS.map(([field]) => [null, field])];
  const options = [...matching.map(([, field]) => field), ...CHOICE_CONTROLS];
  const settings = ["measure", "domain", "mapping", ...options]
    .filter((field) => fields[field] !== undefined)
    .map((field) => `, ${field}=${quoteForPython(fields[field])}`)
    .join("");
  const source = quoteForShell(taxonomy);
  const formatArgument = format ? `, ${quoteForPython(format)}` : "";
  showCommands({
    shell: [
      `ontomask map ${quoteForShell(data)} --column ${quoteForShell(name)} ` +
      `--taxonomy ${source}${flags}`,
      `ontomask taxonomy search ${source}${formatFlag} WORDS`,
      check,
    ],
    python: [
      "import ontomask as om",
      `taxonomy = om.load_taxonomy(${quoteForPython(taxonomy)}${formatArgument})`,
      `om.Nominal(${quoteForPython(name)}, taxonomy${settings})`,
    ],
  });
}

// ---------------------------------------------------------------- nominal columns

async function showNominal(name, fields) {
  const { taxonomy } = fields;
  const key = buildKey(name);
  await showTaxonomies(taxonomy);
  if (chosenColumn !== name || buildKey(name) !== key) return; // another one by now
  const isBundled = offered.bundled.some((bundled) => bundled.name === taxonomy);
  byId("edit").hidden = !taxonomy || isBundled;
  if (!taxonomy) {
    showNoMeaning(null);
    return;
  }
  if (shownKey === key) return;
  shownKey = ""; // what is shown is of before, and its suggestions, too
  byId("lost").inert = true;
  const spinner = h("span", { class: "spinner", "aria-hidden": "true" });
  setContent(
    byId("trouble"),
    h("p", { class: "soft" }, spinner, " Matching values with concepts …"),
  );
  let meaning;
  try {
    meaning = await get(buildColumnPath(name, "meaning"));
  } catch (problem) {
    if (chosenColumn !== name || buildKey(name) !== key) return;
    coverages.set(key, null);
    showState(name);
    showNoMeaning(createProblemNote(problem));
    return;
  }
  if (chosenColumn !== name || buildKey(name) !== key) return;
  coverages.set(key, meaning.coverage);
  showState(name);
  shownKey = key;
  await showMeaning(name, fields, meaning);
}

function showNoMeaning(note) {
  byId("known").hidden = true;
  shownKey = "";
  setContent(byId("trouble"), note);
}

async function showMeaning(name, fields, meaning) {
  setContent(
    byId("trouble"),
    meaning.notes.map((note) => h("div", { class: "note" }, h("p", {}, note))),
  );
  byId("known").hidden = false;
  showCoverage(meaning);
  byId("repair-place").hidden = !meaning.repairs;
  showMatchingOptions(fields);
  showUnmapped(name, fields, meaning);
  showCorrected(name, fields, meaning.corrected);
  showMeasures(fields);
  setContent(
    byId("find"),
    createConceptSearch({
      id: "find-concept",
      label: "Find a concept",
      getAddress: () => buildColumnPath(name, "concepts"),
      onChoose: ({ concept }) => showConcept(concept, true),
    }),
  );
  setContent(byId("concept"));
  icicle.draw(await get(buildColumnPath(name, "masses")));
  await offerValues(name);
}

async function showTaxonomies(taxonomy) {
  offered = await get("/api/taxonomies");
  const { bundled, files } = offered;
  const createGroup = (label, options) => options.length ? h("optgroup", { label }, options) : null;
  const isListed = [...bundled, ...files].some(({ name }) => name === taxonomy);
  setContent(
    byId("taxonomy"),
    h("option", { value: "" }, taxonomy ? "none" : "choose one"),
    createGroup(
      "Bundled",
      bundled.map(({ name, there: isThere }) => {
        const words = isThere ? name : `${name} (needs the package simple_icd_10_cm)`;
        return h("option", { value: name, disabled: !isThere }, words);
      }),
    ),
    createGroup(
      "Files in the working folder",
      files.map(({ name }) => h("option", { value: name }, name)),
    ),
    taxonomy && !isListed ? h("option", { value: taxonomy }, taxonomy) : null,
  );
  byId("taxonomy").value = taxonomy ?? "";
  byId("taxonomy-words").textContent = [
    describeTaxonomy(taxonomy),
    ...describeCrosswalk(getFields(chosenColumn)),
  ].join(" ");
}

// What the release file says of crosswalks and further taxonomies.
function describeCrosswalk({ crosswalk, more_taxonomies: more = [], combine = "mean" }) {
  if (!crosswalk) return [];
  const tables = [crosswalk].flat().map((table) => table.file ?? table).join(", ");
  if (!more.length) return [`The crosswalk ${tables} translates the values.`];
  const kind = combine === "min" ? "minimum" : "mean";
  return [
    `Distances are the ${kind} of those in this taxonomy and in ${more.join(", ")}, where the ` +
    `crosswalk ${tables} leads. Change this in the release file.`,
  ];
}

function describeTaxonomy(taxonomy) {
  if (!taxonomy) {
    return "Choose a bundled taxonomy or a file in the working folder (child-parent table, OBO, OWL, " +
      "SKOS and others), or build a taxonomy from the values.";
  }
  const bundled = offered.bundled.find(({ name }) => name === taxonomy);
  return bundled?.about ?? "A file in the working folder.";
}

byId("taxonomy").addEventListener("change", (event) => {
  attachTaxonomy(chosenColumn, event.target.value);
});

byId("taxonomy-file").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  const name = chosenColumn;
  if (!file) return;
  try {
    const stored = await storeFile(file);
    await attachTaxonomy(name, stored.name);
  } catch (problem) {
    showProblem(problem);
  } finally {
    event.target.value = "";
  }
});

function attachTaxonomy(name, taxonomy) {
  const message = taxonomy
    ? `${name} now has the taxonomy ${taxonomy}.`
    : `${name} now has no taxonomy.`;
  return changeColumn(name, (fields) => setTaxonomy(fields, taxonomy), message);
}

// A column with a taxonomy is nominal without saying so.
function setTaxonomy(fields, taxonomy) {
  for (const field of [...TAXONOMY_FIELDS, ...CROSSWALK_FIELDS]) delete fields[field];
  setField(fields, "taxonomy", taxonomy);
  if (!taxonomy) {
    delete fields.ground; // without a taxonomy there is no semantic distance
    fields.type ??= "nominal";
  } else if (fields.type === "nominal") delete fields.type;
}

function showCoverage(meaning) {
  const { coverage, records, values, lost_values: unmapped, missing, ways } = meaning;
  const mapped = `${formatCount(values - unmapped, "value")} of ${formatInteger(values)}`;
  const absent = missing ? ` ${formatCount(missing, "record has", "records have")} no value.` : "";
  const [concepts, levels] = [
    formatCount(meaning.concepts, "concept"),
    formatCount(meaning.levels, "level"),
  ];
  setContent(
    byId("coverage"),
    h(
      "p",
      {},
      h("b", { id: "covered" }, formatPercent(coverage)),
      ` of ${formatCount(records, "record")} have a concept: ${mapped}.${absent}`,
      h("span", { class: "soft" }, ` The taxonomy has ${concepts} on ${levels}.`),
      meaning.flat
        ? h(
          "b",
          { id: "flat" },
          " Flat: no meaning yet. All values are equally different; press “Build a taxonomy” to group them.",
        )
        : null,
    ),
    h(
      "div",
      { class: "share", "aria-hidden": "true" },
      ways.map((way, i) =>
        h("span", {
          style: `flex: ${way.records / (records || 1)} 0 0; background: ${getWayColour(way, i)}`,
        })
      ),
    ),
    h(
      "ul",
      { class: "ways-of" },
      ways.map((way, i) =>
        h(
          "li",
          {},
          h("i", { style: `background: ${getWayColour(way, i)}` }),
          `${describeMatch(way)}: ${formatCount(way.values, "value")}, ` +
            formatCount(way.records, "record"),
        )
      ),
    ),
  );
}

function getWayColour({ outcome }, index) {
  if (outcome === "unmapped" || outcome === "ambiguous") return "var(--bad)";
  if (outcome === "corrected") return "var(--good)";
  return `color-mix(in srgb, var(--accent) ${Math.max(90 - 22 * index, 24)}%, var(--page))`;
}

function describeMatch({ outcome, reading }) {
  return {
    mapped: `by ${reading}`,
    corrected: "assigned by you",
    ambiguous: `several concepts (${reading})`,
    unmapped: "no concept",
  }[outcome];
}

function showMatchingOptions(fields) {
  for (const [id, field] of FLAG_CONTROLS) byId(id).checked = Boolean(fields[field]);
  for (const field of CHOICE_CONTROLS) {
    const value = fields[field] === null ? "none" : fields[field] ?? "";
    const select = byId(field);
    select.querySelector("[data-own]")?.remove();
    if (![...select.options].some((option) => option.value === value)) {
      select.append(h("option", { value, "data-own": true }, value)); // a language, say
    }
    select.value = value;
  }
  for (const [field, between] of LIST_CONTROLS) {
    showSavedValue(byId(field), [fields[field] ?? []].flat().join(between));
  }
}

function changeMatching(field, value) {
  const message = "The matching options were changed.";
  changeColumn(chosenColumn, (fields) => setField(fields, field, value), message);
}

for (const [id, field] of FLAG_CONTROLS) {
  byId(id).addEventListener("change", (event) => changeMatching(field, event.target.checked));
}
for (const field of CHOICE_CONTROLS) {
  byId(field).addEventListener("change", (event) => changeMatching(field, event.target.value));
}
for (const [field, between] of LIST_CONTROLS) {
  byId(field).addEventListener("change", (event) => {
    const parts = event.target.value.split(between.trim() || /\s+/);
    const values = parts.map((part) => part.trim()).filter(Boolean);
    changeMatching(field, values.length ? values : null);
  });
}

// ---------------------------------------------------------------- values without a concept

let unmappedShown = FIRST_UNMAPPED;
let unmappedColumn = null;

function showUnmapped(name, fields, meaning) {
  const { lost: unmapped, lost_values: values, lost_records: records } = meaning;
  byId("lost").hidden = !unmapped.length;
  byId("accept-place").hidden = typeof fields.mapping === "string";
  setContent(byId("accepted"));
  byId("lost").inert = false;
  if (unmappedColumn !== name) {
    unmappedColumn = name;
    unmappedShown = FIRST_UNMAPPED;
  }
  if (!unmapped.length) return;
  const title = `${formatCount(values, "value")} without a concept`;
  byId("lost-title").textContent = `${title}, in ${formatCount(records, "record")}`;
  const isFile = typeof fields.mapping === "string";
  setContent(
    byId("lost-words"),
    isFile
      ? `The concepts of values are listed in the file ${fields.mapping}. Add these values there.`
      : "Assign a concept to each value: choose a suggestion, or search for another concept.",
    describeProposedSettings(meaning.proposed, fields),
  );
  setContent(
    byId("lost-values"),
    unmapped.slice(0, unmappedShown).map((value) => createUnmappedItem(name, value, isFile)),
  );
  const rest = formatInteger(unmapped.length - unmappedShown);
  const which = values > unmapped.length ? " of the most frequent" : "";
  const more = byId("lost-more");
  more.hidden = unmapped.length <= unmappedShown;
  more.textContent = `Show more (${rest}${which})`;
  more.onclick = () => {
    unmappedShown += MORE_UNMAPPED;
    showUnmapped(name, fields, meaning);
  };
}

function describeProposedSettings({ repair_codes: repairsCodes, missing_marks: marks }, fields) {
  if (repairsCodes && !fields.repair_codes) {
    const repair = () => byId("repair-codes").click();
    const button = { type: "button", class: "link", id: "repair", on: { click: repair } };
    return [
      " Some values look like codes that have lost zeros or the decimal point: ",
      h("button", button, "restore them"),
      ".",
    ];
  }
  if (!marks.length || fields.role !== "quasi") return null; // marks are of quasi-identifiers
  const addMarks = () =>
    changeFields((release) => {
      release.missing_marks = [...new Set([...(release.missing_marks ?? []), ...marks])];
    });
  const button = { type: "button", class: "link", id: "add-marks", on: { click: addMarks } };
  return [
    ` ${marks.map((mark) => JSON.stringify(mark)).join(", ")} may be marks for missing values: `,
    h("button", button, "treat them as missing"),
    ".",
  ];
}

byId("accept-list").addEventListener("click", listAccepted);

// Lists the best suggestions of many values; only the button below the list assigns them.
async function listAccepted() {
  const name = chosenColumn;
  const url = buildUrl(buildColumnPath(name, "accepted"), { least: byId("accept-score").value });
  let accepted;
  try {
    ({ accepted } = await get(url));
  } catch (problem) {
    showProblem(problem);
    return;
  }
  if (name !== chosenColumn) return;
  const assignAll = () => {
    setContent(byId("accepted"));
    changeColumn(name, (fields) => {
      const added = accepted.map(({ value, suggestion }) => [value, suggestion.concept]);
      fields.mapping = { ...(fields.mapping ?? {}), ...Object.fromEntries(added) };
    }, `${formatCount(accepted.length, "value")} got the suggested concept.`);
  };
  const items = accepted.map(({ value, records, suggestion }) =>
    h(
      "li",
      { "data-accepted": value },
      h("b", {}, value),
      ` (${formatCount(records, "record")}): `,
      createConceptName(suggestion),
      h("small", {}, ` ${suggestion.score.toFixed(2)}, ${formatPlace(suggestion.path)}`),
    )
  );
  const button = { type: "button", class: "main", id: "accept-all", on: { click: assignAll } };
  setContent(
    byId("accepted"),
    accepted.length
      ? [
        h("ul", { class: "corrected" }, items),
        h("button", button, `Assign these ${formatCount(accepted.length, "concept")}`),
      ]
      : h("p", { class: "soft" }, "No suggestion has this score and no equal."),
  );
}

function createUnmappedItem(name, { value, records, ambiguous, nearest }, isFile) {
  const assign = ({ concept, label }) => assignConcept(name, value, concept, label);
  const createSuggestion = ({ concept, label, path }) =>
    h(
      "button",
      {
        type: "button",
        "data-means": concept,
        disabled: isFile,
        title: formatPath(path),
        on: { click: () => assign({ concept, label }) },
      },
      createConceptName({ concept, label }),
      h("small", {}, formatPlace(path)),
    );
  const search = createConceptSearch({
    label: h("span", { class: "hidden" }, `Search for a concept for ${value}`),
    getAddress: () => buildColumnPath(name, "concepts"),
    onChoose: assign,
  });
  search.querySelector("input").placeholder = "Search for another concept";
  search.querySelector("input").disabled = isFile;
  const note = ambiguous ? ", several concepts have this name" : "";
  return h(
    "li",
    { "data-value": value },
    h(
      "div",
      { class: "value" },
      h("span", { title: value }, value),
      h("small", {}, formatCount(records, "record"), note),
    ),
    h("div", { class: "near" }, nearest.map(createSuggestion), search),
  );
}

// The label of a concept, and its identifier in brackets if that is different.
function createConceptName({ concept, label }) {
  return [label, label === concept ? null : h("span", { class: "soft" }, ` (${concept})`)];
}

async function assignConcept(name, value, concept, label) {
  const list = byId("lost-values");
  const index = [...list.children].findIndex((item) => item.dataset.value === value);
  const isSaved = await changeColumn(name, (fields) => {
    fields.mapping = { ...(fields.mapping ?? {}), [value]: concept };
  }, `The concept of ${value} is now ${label}.`);
  if (!isSaved) return;
  // The list is made again then: the focus goes to what follows.
  const observer = new MutationObserver(() => {
    observer.disconnect();
    const next = list.children[Math.max(index, 0)]?.querySelector("button, input");
    (next ?? byId("column-title")).focus();
  });
  observer.observe(list, { childList: true });
}

function showCorrected(name, { mapping }, corrected) {
  byId("corrected").hidden = !corrected.length;
  byId("corrected-title").textContent = `${
    formatCount(corrected.length, "value")
  } with a concept assigned by you`;
  const createUndo = (value) =>
    h("button", {
      type: "button",
      class: "plain",
      "data-undo": value,
      "aria-label": `Remove the concept of ${value}`,
      on: { click: () => removeCorrection(name, value) },
    }, "Remove");
  setContent(
    byId("corrected-values"),
    corrected.map(({ value, records, concept, label }) =>
      h(
        "li",
        { "data-value": value },
        h(
          "span",
          { class: "name-of" },
          h("b", {}, value),
          ` (${formatCount(records, "record")}): `,
          createConceptName({ concept, label }),
        ),
        typeof mapping === "string"
          ? h("span", { class: "soft small" }, `in ${mapping}`)
          : createUndo(value),
      )
    ),
  );
}

function removeCorrection(name, value) {
  changeColumn(name, (fields) => {
    delete fields.mapping[value];
    if (!Object.keys(fields.mapping).length) delete fields.mapping;
  }, `The concept of ${value} was removed.`);
}

// ---------------------------------------------------------------- a concept

// Shows what is known of a concept; where it was not opened in the drawing, in that, too.
async function showConcept(identifier, isElsewhere = false) {
  const name = chosenColumn;
  shownConcept = identifier;
  let details;
  try {
    details = await get(buildUrl(buildColumnPath(name, "concept"), { identifier }));
  } catch (problem) {
    showProblem(problem);
    return;
  }
  if (name !== chosenColumn || identifier !== shownConcept) return; // another one was chosen since
  const { concept, label, path } = details;
  if (isElsewhere) icicle.showConcept(concept, path.map((above) => above.concept));
  const createTerm = ([title, description]) =>
    description ? [h("dt", {}, title), h("dd", {}, description)] : [];
  setContent(
    byId("concept"),
    h(
      "div",
      { class: "panel facts-of" },
      h("h4", { id: "concept-name", tabindex: "-1" }, createConceptName({ concept, label })),
      h("dl", {}, describeConcept(details).map(createTerm)),
    ),
  );
}

function describeConcept(
  { label, labels, path, at_or_below, exactly, values, parents, children, kinds },
) {
  const synonyms = labels.filter((other) => other !== label).slice(0, 12);
  const listedKinds = children.slice(0, MOST_KINDS);
  const unlisted = `and ${formatInteger(kinds - listedKinds.length)} more`;
  return [
    ["path", formatPath(path) || "the root"],
    [
      "records",
      at_or_below
        ? `${formatInteger(at_or_below)} at or below it, ${
          formatInteger(exactly)
        } with exactly this`
        : "none",
    ],
    ["values", values.map(([value, count]) => `${value} (${formatInteger(count)})`).join(", ")],
    ["synonyms", synonyms.join(", ")],
    [
      parents.length > 1 ? "parents" : "parent",
      parents.length ? h("span", { class: "near" }, parents.map(createConceptButton)) : null,
    ],
    [
      "children",
      kinds
        ? h(
          "span",
          { class: "near" },
          listedKinds.map(createConceptButton),
          kinds > MOST_KINDS ? h("span", { class: "soft" }, unlisted) : null,
        )
        : "none",
    ],
  ];
}

function createConceptButton({ concept, label, records }) {
  const show = async () => {
    await showConcept(concept, true);
    byId("concept-name")?.focus();
  };
  return h(
    "button",
    { type: "button", class: "plain", "data-go": concept, on: { click: show } },
    label,
    records ? h("span", { class: "soft" }, ` ${formatInteger(records)}`) : null,
  );
}

// ---------------------------------------------------------------- distances

function showMeasures({ measure = DEFAULTS.measure, domain = DEFAULTS.domain }) {
  setContent(
    byId("measure"),
    offered.measures.map((name) => h("option", { value: name }, name.replaceAll("_", " "))),
  );
  byId("measure").value = measure;
  const select = byId("domain");
  select.querySelector("[data-own]")?.remove();
  if (!["lcs", "taxonomy"].includes(domain)) {
    select.append(h("option", { value: domain, "data-own": true }, `the branch below ${domain}`));
  }
  select.value = domain;
}

for (const [field, usual] of Object.entries(DEFAULTS)) {
  byId(field).addEventListener("change", (event) => {
    const value = event.target.value === usual ? null : event.target.value;
    const message = "The distance settings were changed.";
    changeColumn(chosenColumn, (fields) => setField(fields, field, value), message);
  });
}

async function getValues(name, parameters) {
  return (await get(buildUrl(buildColumnPath(name, "values"), parameters))).values;
}

async function offerValues(name) {
  const values = (await getValues(name, { limit: 200 })).map(({ value }) => value);
  for (const id of ["first", "second"]) setOptions(id, values);
  if (!values.includes(byId("first").value) || !values.includes(byId("second").value)) {
    byId("first").value = values[0] ?? "";
    byId("second").value = values[1] ?? values[0] ?? "";
  }
  await showChosenDistance();
}

function setOptions(id, values) {
  setContent(byId(`${id}-values`), values.map((value) => h("option", { value })));
}

async function showChosenDistance() {
  const [first, second] = [byId("first").value, byId("second").value];
  if (!first || !second) {
    setContent(byId("apart"));
    return;
  }
  const url = buildUrl(buildColumnPath(chosenColumn, "distance"), { first, second });
  await showDistance(byId("apart"), url, first, second);
}

for (const id of ["first", "second"]) {
  const input = byId(id);
  let timer = null;
  const suggest = async () => {
    const search = input.value.slice(0, 200);
    const matches = (await getValues(chosenColumn, { search, limit: 50 })).map(({ value }) =>
      value
    );
    setOptions(id, matches);
    if (matches.includes(input.value)) showChosenDistance();
  };
  input.addEventListener("change", showChosenDistance);
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(suggest, 200);
  });
}

// ---------------------------------------------------------------- building a taxonomy

byId("build").addEventListener("click", () => builder.open(chosenColumn, true));
byId("edit").addEventListener("click", () => builder.open(chosenColumn, false));

async function useBuilt(name, { file, concepts, left_over_values: leftOver }) {
  const isSaved = await changeColumn(name, (fields) => {
    setTaxonomy(fields, file);
    fields.format = "child-parent";
  }, `${name} now has the taxonomy ${file} (${formatCount(concepts, "concept")}).`);
  if (isSaved && leftOver) {
    showMessage(
      `${formatCount(leftOver, "value is", "values are")} not in the taxonomy yet.`,
      "bad",
    );
  }
  return isSaved;
}

// ---------------------------------------------------------------- levels

// The values of a column in their natural order; whole numbers are numbers.
async function sortValues(name) {
  const values = (await getValues(name, { limit: MOST_LEVELS })).map(({ value }) => value);
  values.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  return values.map((value) => /^-?(0|[1-9]\d{0,14})$/.test(value) ? Number(value) : value);
}

async function showLevels(name, { levels = [] }) {
  setContent(byId("levels"), levels.map((level, i) => createLevel(name, level, i, levels.length)));
  byId("levels-afresh").onclick = async () => {
    setLevels(name, await sortValues(name), "The levels are now the sorted values.");
  };
  byId("levels-turn").onclick = () => {
    setLevels(name, [...levels].reverse(), "The order was reversed.");
  };
  byId("levels-turn").disabled = levels.length < 2;
  const url = buildUrl(buildColumnPath(name, "values"), { limit: 1000 });
  const { values, distinct } = await get(url);
  if (chosenColumn !== name) return;
  const known = new Set([...levels, ...(session.fields.missing_marks ?? [])].map(String));
  const absent = values.filter(({ value }) => !known.has(value));
  const canAdd = distinct <= MOST_LEVELS;
  setContent(
    byId("levels-wrong"),
    absent.length ? createAbsentNote(name, levels, absent, canAdd) : null,
  );
}

function setLevels(name, levels, message) {
  return changeColumn(name, (fields) => {
    fields.levels = levels;
  }, message);
}

function createLevel(name, level, index, count) {
  const createButton = (way, words, arrow, isLast, step) =>
    h("button", {
      type: "button",
      class: "plain",
      "data-way": way,
      "aria-label": `Move ${level} ${words}`,
      disabled: isLast,
      on: { click: () => shiftLevel(name, index, step) },
    }, arrow);
  return h(
    "li",
    { "data-level": level },
    h(
      "span",
      {},
      h("b", {}, String(level)),
      createButton("up", "lower", "↑", index === 0, -1),
      createButton("down", "higher", "↓", index === count - 1, 1),
    ),
  );
}

function createAbsentNote(name, levels, absent, canAdd) {
  const count = formatCount(absent.length, "value is", "values are");
  const examples = absent.slice(0, 8)
    .map(({ value, records }) => `${value} (${formatInteger(records)})`)
    .join(", ");
  const addAll = () => {
    const added = absent.map(({ value }) => value);
    setLevels(
      name,
      [...levels, ...added],
      "The values were added as the highest levels. Move them to their places.",
    );
  };
  const button = { type: "button", class: "plain", id: "levels-add", on: { click: addAll } };
  return h(
    "div",
    { class: "note bad" },
    h("p", {}, `${count} not among the levels: ${examples}${absent.length > 8 ? " …" : ""}`),
    canAdd ? h("button", button, "Add them at the end") : null,
  );
}

async function shiftLevel(name, index, step) {
  await changeColumn(name, ({ levels }) => {
    [levels[index], levels[index + step]] = [levels[index + step], levels[index]];
  }, "The order was changed.");
  const item = byId("levels").children[index + step];
  const button = item?.querySelector(`[data-way=${step < 0 ? "up" : "down"}]`);
  (button?.disabled ? item.querySelector("button:not(:disabled)") : button)?.focus();
}

// ---------------------------------------------------------------- dates

async function showDates(name, { date_format: format = "" }) {
  showSavedValue(byId("date-format"), format);
  const values = (await getValues(name, { limit: 5 })).map(({ value }) => value);
  byId("date-examples").textContent = values.length ? `In the table: ${values.join(", ")}` : "";
}

byId("date-format").addEventListener("change", (event) => {
  const format = event.target.value.trim();
  const message = "The date format was changed.";
  changeColumn(chosenColumn, (fields) => setField(fields, "date_format", format), message);
});

onSession(showSession);
