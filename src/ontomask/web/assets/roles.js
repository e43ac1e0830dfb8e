// The Roles screen: the role of each column, and the uniqueness of the quasi-identifiers.

import { buildColumnPath, buildUrl, get, post } from "./api.js";
import { quoteForPython, quoteForShell, showCommands } from "./commands.js";
import { formatHint } from "./notes.js";
import { byId, h, s, setContent } from "./shared/elements.js";
import { capitalise, formatCount, formatInteger, formatPercent } from "./shared/formats.js";
import { changeFields, onSession, session, showMessage, showProblem, wait } from "./shell.js";

const ROLES = {
  identifier: "direct identifier",
  quasi: "quasi-identifier",
  confidential: "sensitive attribute",
  keep: "keep",
  drop: "drop",
};
const ROLES_IN_SENTENCES = {
  identifier: "a direct identifier",
  quasi: "a quasi-identifier",
  confidential: "a sensitive attribute",
  keep: "kept",
  drop: "dropped",
};
// How t-closeness compares the values of a sensitive attribute with a taxonomy.
const GROUNDS = {
  equal: ["by equality", "All different values are equally distant."],
  semantic: ["by meaning", "Values with a similar meaning are close."],
};
const PLAIN_TYPES = ["numeric", "date", "ordinal"]; // these need no taxonomy
const SLOW = 200; // ms after which the panel shows that it waits
const PASSING = 500; // ms for which a role that arrow keys pass by is not saved

let profile = null; // of the open table
let profileKey = null;
const chosenRoles = new Map(); // the role of each column, as the page shows it
const rolesBeingSaved = new Map(); // by column
const maskedFields = new Map(); // the fields of columns that were masked before
const rows = new Map(); // the row of each column
const hints = new Map(); // what a column lacks, in words

// ---------------------------------------------------------------- the session

onSession(async (current) => {
  byId("nothing").hidden = Boolean(current.data || current.opening);
  byId("roles").hidden = !current.data;
  if (!current.data) {
    profileKey = null;
    return;
  }
  const key = `${current.data} ${current.records}`;
  if (profileKey !== key && !await loadProfile(key)) return;
  if (profile) showSession();
});

// Returns false where it failed, or another table was opened meanwhile.
async function loadProfile(key) {
  profileKey = key;
  profile = null;
  try {
    const loaded = await get("/api/columns");
    if (profileKey !== key) return false;
    profile = loaded;
  } catch (problem) {
    profileKey = null;
    showProblem(problem);
    return false;
  }
  for (const map of [chosenRoles, rolesBeingSaved, maskedFields, hints, rows]) map.clear();
  createControls();
  return true;
}

// The name that a column has in the release file: its own, or that of the set it is in.
function findEntry(fields, name) {
  const sets = Object.entries(fields.columns ?? {});
  return sets.find(([, { columns }]) => columns?.includes(name))?.[0] ?? name;
}

// The role of a column in the release file; null where nobody has decided it.
function findRole(fields, name) {
  const role = fields.columns?.[findEntry(fields, name)]?.role ?? null;
  return role === "undecided" ? null : role;
}

function showSession() {
  const { fields, file } = session;
  for (const { name } of profile.columns) {
    if (!rolesBeingSaved.has(name)) chosenRoles.set(name, findRole(fields, name));
  }
  for (const column of profile.columns) showRow(column);
  byId("person").value = fields.person ?? "";
  byId("linked-label").hidden = !fields.person;
  byId("linked").value = fields.linked ?? "";
  byId("weight").value = fields.weight ?? "";
  showWeight();
  byId("missing").value = fields.missing ?? "refuse";
  if (document.activeElement !== byId("marks")) byId("marks").value = formatMarks(fields);
  showMissing();
  const isAsSuggested = (fields.person ?? null) === profile.person;
  byId("take-all").disabled = isAsSuggested && !profile.columns.some(differsFromSuggestion);
  showCommands({
    shell: [`ontomask check ${quoteForShell(file)}`],
    python: ["from ontomask.releasefile.check import check", `check(${quoteForPython(file)})`],
  });
  countUniques();
}

// ---------------------------------------------------------------- the table of columns

function createControls() {
  setContent(byId("columns").tBodies[0], profile.columns.map(createRow));
  const nobody = "none: each record is a different person";
  for (const [id, none] of [["person", nobody], ["weight", "none"]]) {
    setContent(
      byId(id),
      h("option", { value: "" }, none),
      profile.columns.map(({ name }) => h("option", { value: name }, name)),
    );
  }
}

function createRow(column) {
  const row = h(
    "tr",
    { "data-column": column.name },
    h(
      "th",
      { scope: "row" },
      h("span", {}, column.name),
      h("span", { class: "tag differs", hidden: true }, "your choice"),
      h("p", { class: "about" }, describeContents(column), h("span", { class: "as" })),
      h("p", { class: "about" }, describeSuggestion(column)),
      h("p", { class: "about bad lacks" }),
      h("p", { class: "about ground" }),
      h("p", { class: "about family" }),
    ),
    Object.keys(ROLES).map((role) => createRoleCell(column, role)),
  );
  rows.set(column.name, row);
  return row;
}

function createRoleCell(column, role) {
  const isSuggested = role === column.role;
  const radio = h("input", {
    type: "radio",
    name: `role of ${column.name}`,
    value: role,
    "aria-label": `${column.name}: ${ROLES[role]}${isSuggested ? ", as suggested" : ""}`,
    on: { change: () => chooseRole(column, role) },
  });
  const ring = isSuggested ? { class: "suggested", title: "suggested" } : {};
  return h("td", { class: "role" }, h("label", {}, h("span", ring, radio)));
}

function describeContents({ exact, type, distinct, missing }) {
  const about = exact ? "" : "about ";
  const parts = [type, `${about}${formatCount(distinct, "distinct value")}`];
  if (missing) parts.push(`${about}${formatInteger(missing)} missing`);
  return parts.join(", ");
}

function describeSuggestion({ person, role, reason }) {
  const why = `${reason}${/[.?]$/.test(reason) ? "" : "."}`;
  if (role === "undecided") return `No suggestion – ${why}`;
  const suggestion = person ? "direct identifier and person column" : ROLES[role];
  return `Suggested: ${suggestion} – ${why}`;
}

function differsFromSuggestion({ name, role }) {
  return role !== "undecided" && chosenRoles.get(name) !== role;
}

function showRow(column) {
  const row = rows.get(column.name);
  const role = chosenRoles.get(column.name);
  const entry = findEntry(session.fields, column.name);
  const fields = session.fields.columns?.[entry] ?? {};
  const isSaving = rolesBeingSaved.has(column.name);
  for (const radio of row.querySelectorAll("input")) radio.checked = radio.value === role;
  row.classList.toggle("masked", role === "quasi");
  row.querySelector(".differs").hidden = role === null || !differsFromSuggestion(column);
  row.querySelector(".as").textContent = isSaving
    ? ". Checking …"
    : role === "quasi"
    ? describeMasking(fields) + (entry === column.name ? "" : `, in the set ${entry}`)
    : "";
  setContent(row.querySelector(".lacks"), isSaving ? null : describeLacks(column, fields));
  showFamily(row.querySelector(".family"), column.name);
  showGround(row.querySelector(".ground"), column, isSaving ? {} : fields);
}

// At the first column of a family: whether it is masked as one set.
function showFamily(place, name) {
  const family = profile.families.find(({ columns }) => columns[0] === name);
  if (!family) return;
  const set = findEntry(session.fields, name);
  const isSet = set !== name;
  const words = isSet ? "Mask them one by one" : "Mask them as one set";
  const columns = isSet ? session.fields.columns[set].columns : family.columns;
  const change = isSet ? () => separateSet(set) : () => combineColumns(family);
  setContent(
    place,
    `${columns[0]} to ${columns.at(-1)} have values of the same kind. `,
    h("button", { type: "button", on: { click: () => guardSaving(change()) } }, words),
  );
}

function combineColumns(family) {
  return changeFields((fields) => {
    for (const name of family.columns) {
      takeFromSet(fields, name);
      delete fields.columns[name];
    }
    fields.columns[family.name] = family.fields;
  }, `${formatCount(family.columns.length, "column")} are now the set ${family.name}.`);
}

function separateSet(set) {
  const names = session.fields.columns[set].columns;
  return changeFields((fields) => {
    for (const name of names) takeFromSet(fields, name);
  }, `The columns of ${set} are now masked one by one.`);
}

// Takes a column out of its set, to be masked by itself; a set of one column is none.
function takeFromSet(fields, name) {
  const set = findEntry(fields, name);
  if (set === name) return;
  const { type: _type, columns, ...alone } = fields.columns[set];
  const rest = columns.filter((other) => other !== name);
  fields.columns[name] = { ...alone };
  if (rest.length > 1) {
    fields.columns[set] = { ...fields.columns[set], columns: rest };
  } else {
    delete fields.columns[set];
    for (const other of rest) fields.columns[other] = { ...alone };
  }
}

// The distance between the values of a sensitive attribute in t-closeness: a control if it has a
// taxonomy, else where to give it one. A control stays while it is used.
function showGround(place, { name }, { role, type, taxonomy, ground = "equal" }) {
  if (role !== "confidential" || PLAIN_TYPES.includes(type)) {
    setContent(place);
  } else if (!taxonomy) {
    const link = h("a", { href: `/meaning#${encodeURIComponent(name)}` }, "choose a taxonomy");
    setContent(place, "To compare its values by meaning in t-closeness, ", link, ".");
  } else {
    const select = place.querySelector("select") ?? createGroundSelect(name);
    if (!place.contains(select)) {
      const label = h("label", {}, "t-closeness compares values ", select);
      setContent(place, label, " ", h("span"));
    }
    select.value = ground;
    place.lastElementChild.textContent = GROUNDS[ground]?.[1] ?? "";
  }
}

function createGroundSelect(name) {
  const save = (event) => guardSaving(saveGround(name, event.target.value));
  const options = Object.entries(GROUNDS).map(([value, [words]]) => h("option", { value }, words));
  const label = `${name}: t-closeness compares values`;
  return h("select", { "aria-label": label, on: { change: save } }, options);
}

function saveGround(name, ground) {
  return changeFields((fields) => {
    if (ground === "semantic") fields.columns[name].ground = ground;
    else delete fields.columns[name].ground;
  }, `t-closeness compares ${name} ${GROUNDS[ground][0]}.`);
}

function describeMasking({ taxonomy, type, levels = [] }) {
  if (taxonomy) return `. Masked with the taxonomy ${taxonomy}`;
  const words = {
    numeric: ". Masked as numbers",
    date: ". Masked as dates",
    ordinal: `. Masked as ${describeLevels(levels)}`,
  };
  return words[type] ?? "";
}

function describeLevels(levels) {
  if (levels.length <= 4) return `levels: ${levels.join(", ")}`;
  return `${levels.length} levels, ${levels[0]} to ${levels.at(-1)}`;
}

function describeLacks({ name }, fields) {
  const role = chosenRoles.get(name);
  if (role === null) return "Choose a role for this column.";
  if (role !== "quasi") return null;
  if (!fields.taxonomy && !PLAIN_TYPES.includes(fields.type)) {
    const link = h("a", { href: "/meaning" }, "choose or build one");
    return [
      hints.get(name) ?? "This column needs a taxonomy.",
      " On the Meaning screen, you can ",
      link,
      ".",
    ];
  }
  const entry = findEntry(session.fields, name);
  return session.problems
    .filter(({ where }) => where[0] === "columns" && where[1] === entry)
    .map(({ what, hint }) => `${capitalise(what)}. ${hint ? formatHint(hint) : ""}`)
    .join(" ");
}

// ---------------------------------------------------------------- choosing a role

function chooseRole(column, role) {
  chosenRoles.set(column.name, role);
  rolesBeingSaved.set(column.name, role);
  hints.delete(column.name);
  showRow(column);
  // The figures first: saving would have them wait.
  const counting = countUniques();
  const ready = isKeyUsed ? wait(PASSING) : Promise.race([counting, wait(PASSING)]);
  guardSaving(saveRole(column, role, ready));
}

async function saveRole(column, role, ready) {
  const isLatest = () => rolesBeingSaved.get(column.name) === role;
  try {
    await ready;
    if (!isLatest()) return; // another role was chosen meanwhile
    const suggestion = await suggestFields(column, role);
    await changeFields((fields) => {
      if (!isLatest()) return false;
      applyFields(fields, column, suggestion);
      rolesBeingSaved.delete(column.name);
      return true;
    }, `${column.name} is now ${ROLES_IN_SENTENCES[role]}.`);
  } catch (problem) {
    showProblem(problem);
  } finally {
    if (isLatest()) rolesBeingSaved.delete(column.name);
    showSession();
  }
}

// Arrow keys pass through roles that the user does not want.
let isKeyUsed = false;
byId("columns").addEventListener("keydown", (event) => {
  isKeyUsed = event.key.startsWith("Arrow");
});
byId("columns").addEventListener("pointerdown", () => {
  isKeyUsed = false;
});

// The fields of a column in a role, as {fields, marks}; the marks are codes for missing values. A
// taxonomy is made if one is needed.
async function suggestFields({ name, missing_marks: marks }, role) {
  if (role === "quasi" && maskedFields.has(name)) return { fields: maskedFields.get(name), marks };
  if (role !== "quasi" && role !== "confidential") return { fields: { role }, marks: [] };
  const suggestion = await get(buildUrl(buildColumnPath(name, "suggestion"), { role }));
  const fields = { ...suggestion.fields };
  if (suggestion.lacks) hints.set(name, suggestion.lacks);
  if (suggestion.make) {
    try {
      const taxonomy = await post("/api/taxonomies", { column: name, ...suggestion.make });
      delete fields.type; // a taxonomy says it
      Object.assign(fields, { taxonomy: taxonomy.file, format: "child-parent" });
    } catch (problem) {
      hints.set(name, `${problem.message}.`);
    }
  }
  return { fields, marks: role === "quasi" ? suggestion.missing_marks : [] };
}

function applyFields(fields, column, suggestion) {
  fields.columns ??= {};
  takeFromSet(fields, column.name);
  const before = fields.columns[column.name];
  if (before?.role === "quasi") maskedFields.set(column.name, before);
  fields.columns[column.name] = suggestion.fields;
  if (suggestion.fields.role !== "quasi") return;
  const marks = [...new Set([...(fields.missing_marks ?? []), ...suggestion.marks])];
  if (marks.length) fields.missing_marks = marks;
  if (column.missing && (fields.missing ?? "refuse") === "refuse") {
    fields.missing = "category";
  }
}

async function takeSuggestions() {
  const changed = profile.columns.filter(differsFromSuggestion);
  const isLatest = ({ name, role }) => rolesBeingSaved.get(name) === role;
  byId("take-all").disabled = true;
  for (const column of changed) {
    chosenRoles.set(column.name, column.role);
    rolesBeingSaved.set(column.name, column.role);
    showRow(column);
  }
  countUniques(profile.person);
  try {
    const suggestions = new Map();
    for (const column of changed) {
      suggestions.set(column, await suggestFields(column, column.role));
    }
    await changeFields((fields) => {
      for (const [column, suggestion] of suggestions) {
        if (!isLatest(column)) continue;
        applyFields(fields, column, suggestion);
        rolesBeingSaved.delete(column.name);
      }
      if (profile.person === null) {
        delete fields.person;
        stopLinking(fields);
      } else fields.person = profile.person;
    }, "All columns have their suggested roles.");
  } catch (problem) {
    showProblem(problem);
  } finally {
    for (const column of changed.filter(isLatest)) rolesBeingSaved.delete(column.name);
    showSession();
  }
}

byId("take-all").addEventListener("click", () => guardSaving(takeSuggestions()));
byId("person").addEventListener("change", (event) => {
  const name = event.target.value;
  const message = name
    ? `Records with the same ${name} belong to the same person.`
    : "Each record belongs to a different person.";
  countUniques(name || null);
  guardSaving(changeFields((fields) => {
    if (name) fields.person = name;
    else {
      delete fields.person;
      stopLinking(fields);
    }
  }, message));
});

function stopLinking(fields) {
  delete fields.linked;
  delete fields.link_price;
}

byId("linked").addEventListener("change", (event) => {
  const linked = event.target.value;
  const message = linked
    ? "A pseudonym links the records of each person."
    : "The records of a person are not linked.";
  guardSaving(changeFields((fields) => {
    stopLinking(fields);
    if (linked) fields.linked = linked;
  }, message));
});

byId("weight").addEventListener("change", (event) => {
  const name = event.target.value;
  const message = name
    ? `${name} says how many people of the population each record stands for.`
    : "The table has no sampling weights.";
  guardSaving(changeFields((fields) => {
    if (name) fields.weight = name;
    else delete fields.weight;
  }, message));
});

// What the sampling weights are for, or what is wrong with them.
function showWeight() {
  const problem = session.problems.find(({ where }) => where[0] === "weight");
  byId("weight-words").className = problem ? "bad small" : "soft small";
  byId("weight-words").textContent = problem
    ? `${capitalise(problem.what)}. ${formatHint(problem.hint)}`
    : "For a sample: how many people of the population each record stands for.";
}

// ---------------------------------------------------------------- leaving

// The page is not left before everything is saved.
const unsaved = new Set();

function guardSaving(promise) {
  unsaved.add(promise);
  promise.finally(() => unsaved.delete(promise));
}

document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[href]");
  const leaves = link && !link.getAttribute("href").startsWith("#");
  if (!unsaved.size || !leaves || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  showMessage("Saving …");
  while (unsaved.size) await Promise.allSettled([...unsaved]);
  location.assign(link.href);
});
addEventListener("beforeunload", (event) => {
  if (unsaved.size) event.preventDefault();
});

// ---------------------------------------------------------------- missing values

const EMPTY_MARK = '""'; // how the empty text is typed

byId("missing").addEventListener("change", (event) => {
  guardSaving(changeFields((fields) => {
    fields.missing = event.target.value;
  }));
});
byId("marks").addEventListener("change", (event) => {
  const words = event.target.value.split(",").map((word) => word.trim()).filter(Boolean);
  const marks = [...new Set(words.map((word) => word === EMPTY_MARK ? "" : word))];
  guardSaving(changeFields((fields) => {
    if (marks.length) fields.missing_marks = marks;
    else delete fields.missing_marks;
  }));
});

function formatMarks({ missing_marks: marks = [] }) {
  return marks.map((mark) => mark === "" ? EMPTY_MARK : mark).join(", ");
}

function showMissing() {
  const { missing: treatment = "refuse" } = session.fields;
  const incomplete = profile.columns.filter(({ name, missing }) =>
    missing && chosenRoles.get(name) === "quasi" && findEntry(session.fields, name) === name
  );
  const isWrong = incomplete.length > 0 && treatment === "refuse";
  const counts = incomplete.map(({ name, missing }) => `${name} (${formatInteger(missing)})`);
  byId("missing-words").className = isWrong ? "bad small" : "soft small";
  setContent(
    byId("missing-words"),
    incomplete.length
      ? `Missing values: ${counts.join(", ")}.`
      : "No quasi-identifier has missing values.",
    isWrong ? " Choose how to treat these records." : null,
  );
}

// ---------------------------------------------------------------- who is unique

let request = null; // the one under way
let countedKey = ""; // what the panel shows

async function countUniques(person = session.fields.person ?? null) {
  const columns = profile.columns
    .map(({ name }) => name)
    .filter((name) => chosenRoles.get(name) === "quasi");
  const url = buildUrl("/api/classes", { column: columns, person });
  const { missing_marks: marks = [], linked = "" } = session.fields;
  const key = `${url} ${session.data} ${JSON.stringify(marks)} ${linked}`;
  if (key === countedKey) return;
  countedKey = key;
  request?.abort();
  const ownRequest = new AbortController();
  request = ownRequest;
  const panel = byId("panel");
  panel.setAttribute("aria-busy", "true");
  const slowTimer = setTimeout(() => panel.classList.add("slow"), SLOW);
  try {
    const classes = await get(url, ownRequest.signal);
    if (request === ownRequest) showClasses(classes, columns);
  } catch (problem) {
    if (problem.name === "AbortError") return;
    countedKey = "";
    showProblem(problem);
  } finally {
    clearTimeout(slowTimer);
    if (request === ownRequest) {
      panel.classList.remove("slow");
      panel.setAttribute("aria-busy", "false");
    }
  }
}

function showClasses(classes, columns) {
  const isPeople = classes.unit === "people";
  const isLinked = isPeople && Boolean(session.fields.linked);
  const uniques = isLinked
    ? classes.linked_unique_people
    : isPeople
    ? classes.unique_people
    : classes.unique_records;
  const [singular, plural] = isPeople ? ["person", "people"] : ["record", "records"];
  byId("uniques").textContent = formatInteger(uniques);
  byId("uniques-words").textContent = `unique ${uniques === 1 ? singular : plural}${
    isLinked ? ", by all their records" : ""
  }`;
  byId("uniques-share").textContent = describeUniques(classes, columns.length);
  byId("panel").dataset.uniques = uniques;
  byId("panel").dataset.columns = columns.length;
  setContent(byId("sizes"), drawHistogram(classes), createSizesTable(classes));
  setContent(
    byId("adds"),
    columns.length
      ? createContributions(classes)
      : h("p", { class: "soft small" }, "There are no quasi-identifiers yet."),
  );
}

function describeUniques(classes, columns) {
  if (!columns) {
    return "No column is a quasi-identifier yet, so nothing is masked. Anybody who knows some " +
      "values of a person can find the person's record.";
  }
  const isPeople = classes.unit === "people";
  const total = formatInteger(isPeople ? classes.people : classes.records);
  const share = formatPercent(classes.share);
  if (isPeople && session.fields.linked) {
    return `${formatPercent(classes.linked_unique_people / Math.max(classes.people, 1))} of ` +
      `${total} people are alone with all their records, which a pseudonym links. ` +
      `By single records: ${formatCount(classes.unique_people, "person", "people")}, as in the ` +
      "table and the list below.";
  }
  const combination = `combination of values in ${formatCount(columns, "quasi-identifier")}`;
  return isPeople
    ? `${share} of ${total} people have a ${combination} that nobody else has. ` +
      `Unique records: ${formatInteger(classes.unique_records)}.`
    : `${share} of ${total} records have a unique ${combination}.`;
}

function formatRange({ least, most }) {
  return most === null ? `${least}+` : most === least ? `${least}` : `${least}–${most}`;
}

// Records by the size of their class.
function drawHistogram({ unit, sizes }) {
  const [width, height, top, bottom] = [310, 150, 20, 36];
  const floor = height - bottom;
  const most = Math.max(...sizes.map(({ records }) => records), 1);
  const step = width / sizes.length;
  const bars = sizes.map((size, i) => {
    const { records, least } = size;
    const barHeight = records ? Math.max((records / most) * (floor - top), 1.5) : 0;
    const middle = { x: (i + 0.5) * step, "text-anchor": "middle" };
    return [
      s("rect", {
        x: i * step + 4,
        y: floor - barHeight,
        width: step - 8,
        height: barHeight,
        rx: 1.5,
        class: least === 1 ? "one" : "more",
      }),
      records
        ? s("text", { ...middle, y: floor - barHeight - 5, class: "value" }, abbreviate(records))
        : null,
      s("text", { ...middle, y: floor + 15 }, formatRange(size)),
    ];
  });
  const description = sizes
    .filter(({ records }) => records)
    .map((size) => `${formatCount(size.records, "record")} in classes of ${formatRange(size)}`)
    .join("; ");
  return s(
    "svg",
    {
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": `Records by the number of ${unit} with the same values: ${description}.`,
    },
    s("line", { x1: 0, x2: width, y1: floor + 0.5, y2: floor + 0.5, class: "zero" }),
    bars,
    s(
      "text",
      { x: width / 2, y: height - 3, "text-anchor": "middle" },
      `${unit} with the same values`,
    ),
  );
}

// 12,345 as 12k
function abbreviate(number) {
  if (number < 10_000) return formatInteger(number);
  const [size, unit] = number < 999_500 ? [1e3, "k"] : [1e6, "M"];
  const scaled = number / size;
  return `${scaled < 10 ? scaled.toFixed(1) : Math.round(scaled)}${unit}`;
}

function createSizesTable({ unit, sizes }) {
  const wasOpen = byId("sizes").querySelector("details")?.open;
  const rows = sizes.map((size) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, formatRange(size)),
      h("td", { class: "number" }, formatInteger(size.classes)),
      h("td", { class: "number" }, formatInteger(size.records)),
    )
  );
  const header = h(
    "tr",
    {},
    h("th", { scope: "col" }, `class size (${unit})`),
    h("th", { scope: "col", class: "number" }, "classes"),
    h("th", { scope: "col", class: "number" }, "records"),
  );
  return h(
    "details",
    { open: Boolean(wasOpen) },
    h("summary", {}, "Show as a table"),
    h("table", {}, h("thead", {}, header), h("tbody", {}, rows)),
  );
}

// How many would not be unique without each column, and how many are unique by it alone.
function createContributions({ unit, columns }) {
  const rows = [...columns]
    .sort((a, b) => b.uniques - a.uniques || b.alone - a.alone)
    .map(({ column, uniques, share, alone }) => {
      const width = `width: ${(100 * (share ?? 0)).toFixed(2)}%`;
      const bar = h("span", { class: "track" }, uniques ? h("i", { style: width }) : null);
      return h(
        "tr",
        { "data-adds": column, "data-uniques": uniques },
        h("th", { scope: "row", title: column }, column),
        h("td", { class: "bar-cell", "aria-hidden": "true" }, bar),
        h("td", { class: "number" }, formatInteger(uniques)),
        h("td", { class: "number soft" }, formatInteger(alone)),
      );
    });
  const header = h(
    "tr",
    {},
    h("th", { scope: "col" }, "column"),
    h("td", { class: "bar-cell" }),
    h("th", { scope: "col", class: "number" }, "unique only with this column"),
    h("th", { scope: "col", class: "number" }, "unique by this column alone"),
  );
  const pronoun = unit === "people" ? "who" : "that";
  const explanation = `“Unique only with this column” counts the ${unit} ${pronoun} would not ` +
    "be unique without it.";
  return [
    h(
      "table",
      { class: "adds" },
      h("caption", { class: "hidden" }, `Unique ${unit} by column`),
      h("thead", {}, header),
      h("tbody", {}, rows),
    ),
    h("p", { class: "soft small" }, explanation),
  ];
}

// ---------------------------------------------------------------- words that are read once

const explanations = byId("words");
explanations.open = localStorage.getItem("roles-read") === null;
explanations.addEventListener("toggle", () => {
  if (!explanations.open) localStorage.setItem("roles-read", "yes");
});
