// The Roles screen: what each column is to others, and who is unique on those that are masked.

import { get, post, query } from "./api.js";
import { byId, fill, h, many, percent, s, whole } from "./dom.js";
import { change, failed, lines, onSession, say, session } from "./shell.js";

const ROLES = { identifier: "identifier", quasi: "quasi-identifier", confidential: "confidential", keep: "keep", drop: "drop" };
const ARTICLES = { identifier: "an identifier", quasi: "a quasi-identifier", confidential: "confidential", keep: "kept", drop: "dropped" };
const SLOW = 200; // after so many milliseconds the panel shows that it waits
const PASSING = 500; // a role that arrow keys pass by is not saved before so many milliseconds

let table = null; // the profile of the open table
let shown = null; // its name
const chosen = new Map(); // the role of each column, as the page shows it
const saving = new Map(); // columns whose role is being saved, with the role
const masked = new Map(); // what the release file said of a column before it was masked no more
const rows = new Map(); // the row of each column
const hints = new Map(); // what is missing for a column, in words

// ---------------------------------------------------------------- the session

onSession(async (now) => {
  byId("nothing").hidden = Boolean(now.data || now.opening);
  byId("roles").hidden = !now.data;
  if (!now.data) { shown = null; return; }
  const key = `${now.data} ${now.records}`;
  if (shown !== key) {
    shown = key;
    table = null;
    try {
      const found = await get("/api/columns");
      if (shown !== key) return; // another table was opened meanwhile
      table = found;
    } catch (problem) { shown = null; failed(problem); return; }
    forget();
    build();
  }
  if (table) update(session);
});

function forget() {
  for (const kept of [chosen, saving, masked, hints, rows]) kept.clear();
}

function update(now) {
  const columns = now.fields.columns ?? {};
  for (const { name } of table.columns) {
    if (!saving.has(name)) chosen.set(name, columns[name]?.role ?? null);
  }
  for (const column of table.columns) showRow(column, now);
  byId("person").value = now.fields.person ?? "";
  byId("missing").value = now.fields.missing ?? "refuse";
  if (document.activeElement !== byId("marks")) byId("marks").value = (now.fields.missing_marks ?? []).map(written).join(", ");
  showMissing(now);
  byId("take-all").disabled = !table.columns.some(differs) && (now.fields.person ?? null) === table.person;
  lines({
    shell: [`ontomask check ${now.file}`],
    python: ["from ontomask.releasefile.check import check", `check(${JSON.stringify(now.file)})`],
  });
  count();
}

// ---------------------------------------------------------------- the table of columns

function build() {
  fill(byId("columns").tBodies[0], table.columns.map(row));
  fill(byId("person"),
    h("option", { value: "" }, "nothing: each is another person's"),
    table.columns.map(({ name }) => h("option", { value: name }, name)));
}

function row(column) {
  const radios = Object.entries(ROLES).map(([role, words]) => {
    const suggested = role === column.role;
    const radio = h("input", {
      type: "radio", name: `role of ${column.name}`, value: role,
      "aria-label": `${column.name}: ${words}${suggested ? ", as suggested" : ""}`,
      on: { change: () => choose(column, role) },
    });
    return h("td", { class: "role" }, h("label", {}, h("span", { class: suggested ? "suggested" : null, title: suggested ? "suggested" : null }, radio)));
  });
  const made = h("tr", { "data-column": column.name },
    h("th", { scope: "row" }, h("span", {}, column.name), h("span", { class: "tag differs", hidden: true }, "your choice"),
      h("p", { class: "about" }, holds(column), h("span", { class: "as" })),
      h("p", { class: "about why" }, why(column)),
      h("p", { class: "about bad lacks" })),
    radios);
  rows.set(column.name, made);
  return made;
}

function holds(column) {
  const about = column.exact ? "" : "about ";
  const parts = [column.type, `${about}${whole(column.distinct)} different`];
  if (column.missing) parts.push(`${about}${whole(column.missing)} missing`);
  return parts.join(", ");
}

function why(column) {
  const role = column.person ? "identifier, and the person" : ROLES[column.role];
  return `Suggested: ${role} – ${column.reason}${/[.?]$/.test(column.reason) ? "" : "."}`;
}

function differs(column) {
  return chosen.get(column.name) !== column.role;
}

function showRow(column, now) {
  const place = rows.get(column.name);
  const role = chosen.get(column.name);
  for (const radio of place.querySelectorAll("input")) radio.checked = radio.value === role;
  place.classList.toggle("masked", role === "quasi");
  place.querySelector(".differs").hidden = role === null || !differs(column);
  const fields = now.fields.columns?.[column.name] ?? {};
  place.querySelector(".as").textContent = saving.has(column.name) ? ". Looking at it …" : role === "quasi" ? as(fields) : "";
  fill(place.querySelector(".lacks"), saving.has(column.name) ? null : lacking(column, fields, now));
}

// How a column is masked, in words.
function as(fields) {
  if (fields.taxonomy) return `. Masked by meaning, over ${fields.taxonomy}`;
  return { numeric: ". Masked as numbers", date: ". Masked as dates", ordinal: `. Masked as ${levels(fields.levels ?? [])}` }[fields.type] ?? "";
}

function levels(some) {
  return some.length > 4 ? `${some.length} levels, ${some[0]} to ${some.at(-1)}` : `levels: ${some.join(", ")}`;
}

function lacking(column, fields, now) {
  const role = chosen.get(column.name);
  if (role === null) return "It has no role yet.";
  if (role !== "quasi") return null;
  if (!fields.taxonomy && !["numeric", "date", "ordinal"].includes(fields.type)) {
    const link = h("a", { href: "/meaning" }, "choose or build one");
    return [hints.get(column.name) ?? "It needs a taxonomy.", " On the Meaning screen you can ", link, "."];
  }
  const found = now.problems.filter(({ where }) => where[0] === "columns" && where[1] === column.name);
  return found.length ? found.map(({ what, hint }) => `${what}${hint ? `: ${hint}` : ""}`).join(". ") : null;
}

// ---------------------------------------------------------------- choosing

function choose(column, role) {
  chosen.set(column.name, role);
  saving.set(column.name, role);
  hints.delete(column.name);
  showRow(column, session);
  // The figures first: saving would have them wait.
  const shown = count();
  under(save(column, role, byKeys ? wait(PASSING) : Promise.race([shown, wait(PASSING)])));
}

const wait = (much) => new Promise((done) => setTimeout(done, much));

async function save(column, role, ready) {
  try {
    await ready;
    if (saving.get(column.name) !== role) return; // chosen anew meanwhile
    const found = await fieldsIn(column, role);
    await change((fields) => {
      if (saving.get(column.name) !== role) return false;
      take(fields, column, found);
      saving.delete(column.name);
      return undefined;
    }, `${column.name} is ${ARTICLES[role]} now.`);
  } catch (problem) {
    failed(problem);
  } finally {
    if (saving.get(column.name) === role) saving.delete(column.name);
    update(session);
  }
}

// Arrow keys pass roles by that nobody wants.
let byKeys = false;
byId("columns").addEventListener("keydown", (event) => { byKeys = event.key.startsWith("Arrow"); });
byId("columns").addEventListener("pointerdown", () => { byKeys = false; });

// Nobody leaves before it is saved.
const works = new Set();

function under(work) {
  works.add(work);
  work.finally(() => works.delete(work));
}

document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[href]");
  if (!works.size || !link || link.getAttribute("href").startsWith("#") || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  say("Saving first …");
  while (works.size) await Promise.allSettled([...works]);
  location.assign(link.href);
});
addEventListener("beforeunload", (event) => { if (works.size) event.preventDefault(); });

// What the release file will say of a column in a role; a taxonomy is made where one is needed.
async function fieldsIn(column, role) {
  if (role === "quasi" && masked.has(column.name)) return { fields: masked.get(column.name), marks: column.missing_marks };
  if (role !== "quasi" && role !== "confidential") return { fields: { role }, marks: [] };
  const found = await get(query(`/api/columns/${encodeURIComponent(column.name)}/suggestion`, { role }));
  const fields = { ...found.fields };
  if (found.lacks) hints.set(column.name, found.lacks);
  if (found.make) {
    try {
      const made = await post("/api/taxonomies", { column: column.name, ...found.make });
      delete fields.type; // a taxonomy says it
      Object.assign(fields, { taxonomy: made.file, format: "child-parent" });
    } catch (problem) {
      hints.set(column.name, `${problem.message}.`);
    }
  }
  return { fields, marks: role === "quasi" ? found.missing_marks : [] };
}

function take(fields, column, found) {
  fields.columns ??= {};
  const before = fields.columns[column.name];
  if (before?.role === "quasi") masked.set(column.name, before);
  fields.columns[column.name] = found.fields;
  if (found.fields.role !== "quasi") return;
  const marks = [...new Set([...(fields.missing_marks ?? []), ...found.marks])];
  if (marks.length) fields.missing_marks = marks;
  const words = found.fields.taxonomy || found.fields.type === "nominal";
  if (column.missing && words && (fields.missing ?? "refuse") === "refuse") fields.missing = "category";
}

async function takeAll() {
  const others = table.columns.filter(differs);
  const button = byId("take-all");
  button.disabled = true;
  for (const column of others) { chosen.set(column.name, column.role); saving.set(column.name, column.role); showRow(column, session); }
  count(table.person);
  try {
    const found = [];
    for (const column of others) found.push([column, await fieldsIn(column, column.role)]);
    await change((fields) => {
      for (const [column, it] of found) {
        if (saving.get(column.name) === column.role) { take(fields, column, it); saving.delete(column.name); }
      }
      if (table.person === null) delete fields.person; else fields.person = table.person;
    }, "All columns are as suggested.");
  } catch (problem) {
    failed(problem);
  } finally {
    for (const column of others) if (saving.get(column.name) === column.role) saving.delete(column.name);
    update(session);
  }
}

byId("take-all").addEventListener("click", () => under(takeAll()));
byId("person").addEventListener("change", (event) => {
  const name = event.target.value;
  count(name || null);
  under(change((fields) => { if (name) fields.person = name; else delete fields.person; },
    name ? `Records with the same ${name} are one person's.` : "Every record is another person's."));
});

// ---------------------------------------------------------------- missing values

byId("missing").addEventListener("change", (event) => under(change((fields) => { fields.missing = event.target.value; })));
byId("marks").addEventListener("change", (event) => {
  const marks = [...new Set(event.target.value.split(",").map((it) => it.trim()).filter(Boolean).map((it) => (it === '""' ? "" : it)))];
  under(change((fields) => { if (marks.length) fields.missing_marks = marks; else delete fields.missing_marks; }));
});

function written(mark) {
  return mark === "" ? '""' : mark;
}

function showMissing(now) {
  const fields = now.fields.columns ?? {};
  const some = table.columns.filter(({ name, missing }) => missing && chosen.get(name) === "quasi");
  const listed = some.map(({ name, missing }) => `${name} (${whole(missing)})`).join(", ");
  const plain = some.filter(({ name }) => ["numeric", "date", "ordinal"].includes(fields[name]?.type));
  let words = "No quasi-identifier has missing values.";
  if (some.length) words = `Missing values: ${listed}.`;
  if (plain.length && now.fields.missing === "category") words += ` Numbers, dates and levels have no value for it: ${plain.map(({ name }) => name).join(", ")}.`;
  const wrong = some.length && ((now.fields.missing ?? "refuse") === "refuse" || (plain.length && now.fields.missing === "category"));
  byId("missing-words").className = wrong ? "bad small" : "soft small";
  fill(byId("missing-words"), words, wrong ? " Choose what becomes of these records." : null);
}

// ---------------------------------------------------------------- who is unique

let asked = null; // the request that is under way
let counted = ""; // what the panel shows

async function count(person = session.fields.person ?? null) {
  const columns = table.columns.map(({ name }) => name).filter((name) => chosen.get(name) === "quasi");
  const path = query("/api/classes", { column: columns, person });
  const key = `${path} ${session.data} ${JSON.stringify(session.fields.missing_marks ?? [])}`;
  if (key === counted) return;
  counted = key;
  asked?.abort();
  const mine = new AbortController();
  asked = mine;
  const panel = byId("panel");
  panel.setAttribute("aria-busy", "true");
  const slow = setTimeout(() => panel.classList.add("slow"), SLOW);
  try {
    const found = await get(path, mine.signal);
    if (asked === mine) showClasses(found, columns);
  } catch (problem) {
    if (problem.name === "AbortError") return;
    counted = "";
    failed(problem);
  } finally {
    clearTimeout(slow);
    if (asked === mine) { panel.classList.remove("slow"); panel.setAttribute("aria-busy", "false"); }
  }
}

function showClasses(found, columns) {
  const people = found.unit === "people";
  const uniques = people ? found.unique_people : found.unique_records;
  const all = people ? found.people : found.records;
  const unit = people ? (uniques === 1 ? "person" : "people") : uniques === 1 ? "record" : "records";
  byId("uniques").textContent = whole(uniques);
  byId("uniques-words").textContent = `unique ${unit}`;
  byId("panel").dataset.uniques = uniques;
  byId("panel").dataset.columns = columns.length;
  const what = columns.length ? `${percent(found.share)} of ${whole(all)} ${people ? "people hold what nobody else holds" : "are like no other"} on ${many(columns.length, "column")}.`
    : "No column is a quasi-identifier yet, so nothing is masked: whoever knows what is kept of a person can look it up.";
  const more = people && columns.length ? ` Records that are like no other: ${whole(found.unique_records)}.` : "";
  byId("uniques-share").textContent = what + more;
  fill(byId("sizes"), histogram(found), asTable(found));
  fill(byId("adds"), columns.length ? adds(found) : h("p", { class: "soft small" }, "None is masked."));
}

function range({ least, most }) {
  return most === null ? `${least}+` : most === least ? `${least}` : `${least}–${most}`;
}

// Records by the size of their class.
function histogram(found) {
  const [width, height, top, foot] = [310, 150, 20, 36];
  const most = Math.max(...found.sizes.map(({ records }) => records), 1);
  const step = width / found.sizes.length;
  const people = found.unit === "people" ? "people" : "records";
  const bars = found.sizes.map((it, place) => {
    const tall = it.records ? Math.max((it.records / most) * (height - top - foot), 1.5) : 0;
    const x = place * step;
    return [
      s("rect", { x: x + 4, y: height - foot - tall, width: step - 8, height: tall, rx: 1.5, class: it.least === 1 ? "one" : "more" }),
      it.records ? s("text", { x: x + step / 2, y: height - foot - tall - 5, "text-anchor": "middle", class: "value" }, short(it.records)) : null,
      s("text", { x: x + step / 2, y: height - foot + 15, "text-anchor": "middle" }, range(it)),
    ];
  });
  const words = found.sizes.filter(({ records }) => records).map((it) => `${many(it.records, "record")} in classes of ${range(it)}`).join("; ");
  return s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Records by how many ${people} share their values: ${words}.` },
    s("line", { x1: 0, x2: width, y1: height - foot + .5, y2: height - foot + .5, class: "zero" }),
    bars,
    s("text", { x: width / 2, y: height - 3, "text-anchor": "middle" }, `${people} that share the same values`));
}

// 12,345 as 12k
function short(n) {
  if (n < 10_000) return whole(n);
  const [much, unit] = n < 999_500 ? [1e3, "k"] : [1e6, "M"];
  return `${n / much < 10 ? (n / much).toFixed(1) : Math.round(n / much)}${unit}`;
}

function asTable(found) {
  const people = found.unit === "people" ? "people" : "records";
  const open = byId("sizes").querySelector("details")?.open;
  return h("details", { open: Boolean(open) }, h("summary", {}, "As a table"), h("table", {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, `${people} that share`), h("th", { scope: "col", class: "number" }, "classes"), h("th", { scope: "col", class: "number" }, "records"))),
    h("tbody", {}, found.sizes.map((it) => h("tr", {}, h("th", { scope: "row" }, range(it)), h("td", { class: "number" }, whole(it.classes)), h("td", { class: "number" }, whole(it.records)))))));
}

// How many would no longer be unique without each column; and how many are on it alone.
function adds(found) {
  const people = found.unit === "people" ? "people" : "records";
  const sorted = [...found.columns].sort((a, b) => b.uniques - a.uniques || b.alone - a.alone);
  const rows = sorted.map((it) => h("tr", { "data-adds": it.column, "data-uniques": it.uniques },
    h("th", { scope: "row", title: it.column }, it.column),
    h("td", { class: "bar-cell", "aria-hidden": "true" }, h("span", { class: "track" }, it.uniques ? h("i", { style: `width: ${(100 * (it.share ?? 0)).toFixed(2)}%` }) : null)),
    h("td", { class: "number" }, whole(it.uniques)),
    h("td", { class: "number soft" }, whole(it.alone))));
  return [
    h("table", { class: "adds" },
      h("caption", { class: "hidden" }, `Unique ${people} by column`),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "column"), h("td", { class: "bar-cell" }), h("th", { scope: "col", class: "number" }, "through it"), h("th", { scope: "col", class: "number" }, "on it alone"))),
      h("tbody", {}, rows)),
    h("p", { class: "soft small" }, `Without the column, so many ${people} would not be unique. At 0, the other columns tell them apart anyway.`),
  ];
}

// ---------------------------------------------------------------- words that are read once

const words = byId("words");
words.open = localStorage.getItem("roles-read") === null;
words.addEventListener("toggle", () => { if (!words.open) localStorage.setItem("roles-read", "yes"); });
