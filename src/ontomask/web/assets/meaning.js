// The Meaning screen: a taxonomy for each column of words, and a concept for each value.

import { get, Problem, query, send } from "./api.js";
import { showApart } from "./apart.js";
import { builder } from "./builder.js";
import { conceptSearch, way } from "./concept_search.js";
import { byId, fill, h, many, percent, whole } from "./dom.js";
import { icicle } from "./icicle.js";
import { change, failed, lines, onSession, say, session } from "./shell.js";

const ROLES = { quasi: "quasi-identifier", confidential: "confidential" };
const WORDS = {
  quasi: { "": "Say what its values are: nothing can be masked before.", nominal: "", numeric: "Masked by size: numbers that are close are alike.", ordinal: "", date: "Masked by the number of days between dates." },
  confidential: { "": "Released as it is. What its values are matters for t-closeness only.", nominal: "Released as it is; its meaning is watched by t-closeness.", numeric: "Released as it is; how far its numbers are apart is watched by t-closeness.", ordinal: "Released as it is.", date: "Released as it is." },
};
// Fields that only columns of one type have: another type drops them.
const ONLY_FOR = { nominal: ["taxonomy", "format", "options", "measure", "domain", "mapping", "prefer", "repair_codes", "stems", "heads"], ordinal: ["levels"], date: ["date_format"] };
// What belongs to a taxonomy, and goes with it.
const OF_TAXONOMY = ["format", "options", "domain", "mapping", "prefer", "repair_codes"];
const FIRST_SHOWN = 8;

let chosen = null; // the column that is shown
let offered = null; // taxonomies to choose from
let shownFor = ""; // what the column's view was made of
const coverages = new Map();

const at = (name, what) => `/api/columns/${encodeURIComponent(name)}/${what}`;
const fieldsOf = (name) => session.fields.columns?.[name] ?? {};
const typeOf = (fields) => fields.type ?? (fields.taxonomy ? "nominal" : "");
const drawing = icicle(byId("icicle"), (concept) => showConcept(concept));
const build = builder({ onDone: built, onClosed: () => byId("build").focus() });

async function show(now) {
  if (now.opening) return;
  const names = Object.entries(now.fields.columns ?? {}).filter(([, it]) => it.role in ROLES).map(([name]) => name);
  const empty = !now.data || !names.length;
  byId("nothing").hidden = !empty;
  byId("meaning").hidden = empty;
  if (empty) { showNothing(now); return; }
  names.sort((a, b) => (fieldsOf(a).role === "quasi" ? 0 : 1) - (fieldsOf(b).role === "quasi" ? 0 : 1));
  const wanted = decodeURIComponent(location.hash.slice(1));
  if (!names.includes(chosen)) chosen = names.includes(wanted) ? wanted : names.find((it) => typeOf(fieldsOf(it)) === "nominal") ?? names[0];
  showColumns(names);
  await showColumn();
  cover(names);
}

function showNothing(now) {
  byId("nothing-words").textContent = now.data ? "No column is a quasi-identifier or confidential yet: only these have a meaning to be said." : "No table is open yet.";
  byId("nothing-link").href = now.data ? "/roles" : "/data";
  byId("nothing-link").textContent = now.data ? "To the roles" : "Open a table";
}

// ---------------------------------------------------------------- the list of columns

function showColumns(names) {
  const focused = document.activeElement?.dataset?.column, scrolled = byId("columns").scrollTop;
  fill(byId("columns"), names.map((name) => h("li", {}, h("button", {
    type: "button", "data-column": name, "aria-current": name === chosen ? "true" : null,
    on: { click: () => { chosen = name; history.replaceState(null, "", `#${encodeURIComponent(name)}`); showColumns(names); showColumn(); } },
  }, h("span", { class: "name", title: name }, name), h("span", { class: "facts", "data-facts": name }, ...facts(name))))));
  for (const name of names) mark(name);
  byId("columns").scrollTop = scrolled;
  byId("columns").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  if (focused !== undefined) [...byId("columns").querySelectorAll("button")].find((it) => it.dataset.column === focused)?.focus();
}

const keyOf = (name) => JSON.stringify([session.data, name, fieldsOf(name), session.fields.missing_marks]);

function facts(name) {
  const its = fieldsOf(name), type = typeOf(its);
  if (type === "nominal") {
    if (!its.taxonomy) return ["no taxonomy yet"];
    const known = coverages.get(keyOf(name));
    if (known === undefined) return [its.taxonomy];
    return known === null ? ["its taxonomy cannot be used"] : [`${percent(known)} of records have a concept`];
  }
  if (type === "ordinal") return [its.levels?.length ? many(its.levels.length, "level") : "no levels yet"];
  return [{ numeric: "numbers", date: "dates" }[type] ?? (its.role === "quasi" ? "no type yet" : "released as it is")];
}

function mark(name) {
  const its = fieldsOf(name), type = typeOf(its), known = coverages.get(keyOf(name));
  const place = [...byId("columns").querySelectorAll("[data-facts]")].find((it) => it.dataset.facts === name);
  if (!place) return;
  const wrong = (type === "nominal" && (!its.taxonomy || known === null || known < 1)) || (type === "ordinal" && !its.levels?.length) || (!type && its.role === "quasi");
  place.classList.toggle("bad", wrong);
  fill(place, ...facts(name));
}

// The share of records with a concept, of every column of words; one after the other.
async function cover(names) {
  for (const name of names) {
    const key = keyOf(name);
    if (typeOf(fieldsOf(name)) !== "nominal" || !fieldsOf(name).taxonomy || coverages.has(key)) continue;
    try { coverages.set(key, (await get(query(at(name, "meaning"), { limit: "0" }))).coverage); } catch { coverages.set(key, null); }
    mark(name);
  }
}

// ---------------------------------------------------------------- one column

async function showColumn() {
  const name = chosen, its = fieldsOf(name), type = typeOf(its);
  byId("column-title").textContent = name;
  byId("column-title").title = name;
  byId("column-role").textContent = ROLES[its.role];
  byId("type").options[0].hidden = its.role === "quasi" && type !== "";
  byId("type").value = type;
  byId("type-words").textContent = WORDS[its.role][type] ?? "";
  for (const part of ["nominal", "ordinal", "date"]) byId(part).hidden = type !== part;
  showLines(name, its, type);
  try {
    if (type === "nominal") await showNominal(name, its);
    else if (type === "ordinal") await showLevels(name, its);
    else if (type === "date") await showDates(name, its);
  } catch (problem) { failed(problem); }
}

byId("type").addEventListener("change", async (event) => {
  const name = chosen, type = event.target.value;
  let levels = null;
  if (type === "ordinal") levels = await sorted(name);
  change((fields) => {
    const its = fields.columns[name];
    for (const [kind, only] of Object.entries(ONLY_FOR)) if (kind !== type) for (const field of only) delete its[field];
    if (type) its.type = type; else delete its.type;
    if (levels?.length && !its.levels) its.levels = levels;
  }, `${name} is of another type now.`);
});

function showLines(name, its, type) {
  const q = (text) => (/^[\w.\-/]+$/.test(text) ? text : `'${String(text).replaceAll("'", "'\\''")}'`);
  const p = (value) => JSON.stringify(value);
  if (type !== "nominal" || !its.taxonomy) {
    lines({ shell: [`ontomask check ${q(session.file)}`], python: ["from ontomask.releasefile.model import load_spec", `load_spec(${p(session.file)}).columns[${p(name)}]`] });
    return;
  }
  const format = its.format ? ` --format ${q(its.format)}` : "";
  const more = [its.repair_codes ? " --repair-codes" : "", its.heads ? " --heads" : "", typeof its.mapping === "string" ? ` --corrections ${q(its.mapping)}` : ""].join("");
  const shell = [`ontomask map ${q(session.data)} --column ${q(name)} --taxonomy ${q(its.taxonomy)}${format}${more}`, `ontomask taxonomy search ${q(its.taxonomy)}${format} WORDS`, `ontomask check ${q(session.file)}`];
  const arguments_ = ["measure", "domain", "mapping", "repair_codes", "heads"].filter((it) => its[it] !== undefined).map((it) => `, ${it}=${its[it] === true ? "True" : its[it] === false ? "False" : p(its[it])}`).join("");
  lines({ shell, python: ["import ontomask as om", `taxonomy = om.load_taxonomy(${p(its.taxonomy)}${its.format ? `, ${p(its.format)}` : ""})`, `om.Nominal(${p(name)}, taxonomy${arguments_})`] });
}

// ---------------------------------------------------------------- words

async function showNominal(name, its) {
  await showTaxonomies(its);
  byId("edit").hidden = !its.taxonomy || offered.bundled.some((it) => it.name === its.taxonomy);
  const key = keyOf(name);
  if (!its.taxonomy) {
    byId("known").hidden = true;
    shownFor = "";
    fill(byId("trouble"));
    return;
  }
  if (shownFor === key) return;
  byId("trouble").replaceChildren(h("p", { class: "soft" }, h("span", { class: "spinner", "aria-hidden": "true" }), " Looking for concepts …"));
  let found;
  try {
    found = await get(at(name, "meaning"));
  } catch (problem) {
    if (chosen !== name) return;
    coverages.set(key, null);
    mark(name);
    byId("known").hidden = true;
    shownFor = "";
    fill(byId("trouble"), h("div", { class: "note bad" }, h("p", {}, problem.message), problem.hint ? h("p", { class: "soft" }, problem.hint) : null));
    return;
  }
  if (chosen !== name || keyOf(name) !== key) return; // another one by now
  coverages.set(key, found.coverage);
  mark(name);
  shownFor = key;
  fill(byId("trouble"), found.notes.map((it) => h("div", { class: "note" }, h("p", {}, it))));
  byId("known").hidden = false;
  showCoverage(found);
  showMatching(its, found);
  showLost(name, its, found);
  showCorrected(name, its, found);
  showMeasures(its);
  fill(byId("find"), conceptSearch({ id: "find-concept", words: "Find a concept", address: () => at(name, "concepts"), onChoose: (it) => showConcept(it.concept, true) }));
  fill(byId("concept"));
  drawing.draw(await get(at(name, "masses")));
  await offerValues(name);
}

async function showTaxonomies(its) {
  offered = await get("/api/taxonomies");
  const options = [h("option", { value: "" }, its.taxonomy ? "none" : "choose one")];
  const part = (label, some) => (some.length ? h("optgroup", { label }, some) : null);
  const files = offered.files.map((it) => it.name);
  const known = [...offered.bundled.map((it) => it.name), ...files];
  options.push(part("Bundled", offered.bundled.map((it) => h("option", { value: it.name, disabled: !it.there }, it.there ? it.name : `${it.name} (needs the extra icd10)`))));
  options.push(part("Files of the folder", files.map((it) => h("option", { value: it }, it))));
  if (its.taxonomy && !known.includes(its.taxonomy)) options.push(h("option", { value: its.taxonomy }, its.taxonomy));
  fill(byId("taxonomy"), options);
  byId("taxonomy").value = its.taxonomy ?? "";
  const bundled = offered.bundled.find((it) => it.name === its.taxonomy);
  byId("taxonomy-words").textContent = bundled?.about ?? (its.taxonomy ? "A file of the working folder." : "Bundled ones, a file of the folder (child,parent tables, OBO, OWL, SKOS and others), or one made of the values themselves.");
}

byId("taxonomy").addEventListener("change", (event) => attach(chosen, event.target.value));

byId("taxonomy-file").addEventListener("change", async (event) => {
  const [file] = event.target.files, name = chosen;
  if (!file) return;
  try {
    if (file.size > session.largest_upload) throw new Problem(413, `${file.name} is larger than what is taken.`, "Copy it into the folder, and choose it from there.");
    const stored = await send(`/api/files/${encodeURIComponent(file.name)}`, file);
    await attach(name, stored.name);
  } catch (problem) {
    failed(problem);
  } finally {
    event.target.value = "";
  }
});

function attach(name, taxonomy) {
  return change((fields) => {
    const its = fields.columns[name];
    for (const field of OF_TAXONOMY) delete its[field];
    if (taxonomy) { its.taxonomy = taxonomy; if (its.type === "nominal") delete its.type; } else { delete its.taxonomy; its.type = "nominal"; }
  }, taxonomy ? `${name} has the taxonomy ${taxonomy}.` : `${name} has no taxonomy now.`);
}

function showCoverage(found) {
  const colour = (way, n) => (way.how === "unmapped" || way.how.startsWith("ambiguous") ? "var(--bad)" : way.how === "correction" ? "var(--good)" : `color-mix(in srgb, var(--accent) ${Math.max(90 - 22 * n, 24)}%, var(--page))`);
  const total = found.records || 1;
  fill(byId("coverage"),
    h("p", {}, h("b", { id: "covered" }, percent(found.coverage)), ` of ${many(found.records, "record")} have a concept: ${many(found.values - found.lost_values, "value")} of ${whole(found.values)}.`,
      found.missing ? ` ${many(found.missing, "record is", "records are")} missing a value.` : "", h("span", { class: "soft" }, ` The taxonomy has ${many(found.concepts, "concept")} on ${many(found.levels, "level")}.`)),
    h("div", { class: "share", "aria-hidden": "true" }, found.ways.map((it, n) => h("span", { style: `flex: ${it.records / total} 0 0; background: ${colour(it, n)}` }))),
    h("ul", { class: "ways-of" }, found.ways.map((it, n) => h("li", {}, h("i", { style: `background: ${colour(it, n)}` }), `${matched(it.how)}: ${many(it.values, "value")}, ${many(it.records, "record")}`))));
}

// The kind of match in words.
function matched(how) {
  if (how === "unmapped") return "no concept";
  if (how === "correction") return "said by hand";
  if (how.startsWith("ambiguous")) return `several concepts (${how.slice(10)})`;
  return `by ${how}`;
}

function showMatching(its, found) {
  byId("repair-place").hidden = !found.repairs;
  byId("repair-codes").checked = Boolean(its.repair_codes);
  byId("heads").checked = Boolean(its.heads);
}

for (const [id, field] of [["repair-codes", "repair_codes"], ["heads", "heads"]]) {
  byId(id).addEventListener("change", (event) => {
    const name = chosen, on = event.target.checked;
    change((fields) => { if (on) fields.columns[name][field] = true; else delete fields.columns[name][field]; }, "Names are matched in another way now.");
  });
}

// ---------------------------------------------------------------- values without a concept

let shownLost = FIRST_SHOWN;
let lostOf = null;

function showLost(name, its, found) {
  const place = byId("lost");
  place.hidden = !found.lost.length;
  if (lostOf !== name) { lostOf = name; shownLost = FIRST_SHOWN; }
  if (!found.lost.length) return;
  byId("lost-title").textContent = `${many(found.lost_values, "value")} without a concept, in ${many(found.lost_records, "record")}`;
  const file = typeof its.mapping === "string";
  fill(byId("lost-words"), file ? `What values mean is kept in the file ${its.mapping}: add them there.`
    : "Say what each means: a concept that is spelt like it, or one that you look for.",
  /^some look like codes/.test(found.hint) && !its.repair_codes
    ? [" Some look like codes that lost zeros or the point: ", h("button", { type: "button", class: "link", id: "mend", on: { click: () => byId("repair-codes").click() } }, "mend them all"), "."]
    : /looks like a mark/.test(found.hint) ? ` Hint: ${found.hint}.` : null);
  fill(byId("lost-values"), found.lost.slice(0, shownLost).map((it) => lostRow(name, it, file)));
  byId("lost-more").hidden = found.lost.length <= shownLost;
  byId("lost-more").textContent = `Show more (${whole(found.lost.length - shownLost)}${found.lost_values > found.lost.length ? " of the most frequent" : ""})`;
  byId("lost-more").onclick = () => { shownLost += 20; showLost(name, its, found); };
}

function lostRow(name, it, file) {
  const mean = (concept) => means(name, it.value, concept.concept, concept.label);
  const near = it.nearest.map((hit) => h("button", { type: "button", "data-means": hit.concept, disabled: file, title: way(hit.path), on: { click: () => mean(hit) } },
    hit.label === hit.concept ? hit.label : `${hit.label} `, hit.label === hit.concept ? null : h("span", { class: "soft" }, hit.concept), h("small", {}, way(hit.path.slice(1)) || "at the top")));
  const box = conceptSearch({ words: h("span", { class: "hidden" }, `Search a concept for ${it.value}`), address: () => at(name, "concepts"), onChoose: mean });
  box.querySelector("input").placeholder = "Search another concept";
  box.querySelector("input").disabled = file;
  return h("li", { "data-value": it.value }, h("div", { class: "value" }, h("span", { title: it.value }, it.value), h("small", {}, many(it.records, "record"), it.ambiguous ? ", several concepts are called so" : "")),
    h("div", { class: "near" }, near, box));
}

async function means(name, value, concept, label) {
  const rows = [...byId("lost-values").children];
  const place = rows.findIndex((it) => it.dataset.value === value);
  const saved = await change((fields) => {
    const its = fields.columns[name];
    its.mapping = { ...(its.mapping ?? {}), [value]: concept };
  }, `${value} means ${label}.`);
  if (!saved) return;
  const once = new MutationObserver(() => {
    once.disconnect();
    (byId("lost-values").children[Math.max(place, 0)]?.querySelector("button, input") ?? byId("column-title")).focus();
  });
  once.observe(byId("lost-values"), { childList: true });
}

function showCorrected(name, its, found) {
  byId("corrected").hidden = !found.corrected.length;
  byId("corrected-title").textContent = `${many(found.corrected.length, "value")} said by hand`;
  const file = typeof its.mapping === "string";
  fill(byId("corrected-values"), found.corrected.map((it) => h("li", { "data-value": it.value },
    h("span", { class: "name-of" }, h("b", {}, it.value), ` (${many(it.records, "record")}) means ${it.label}`, it.label === it.concept ? "" : h("span", { class: "soft" }, ` ${it.concept}`)),
    file ? h("span", { class: "soft small" }, `in ${its.mapping}`) : h("button", { type: "button", class: "plain", "data-undo": it.value, "aria-label": `Undo the meaning of ${it.value}`, on: { click: () => forget(name, it.value) } }, "Undo"))));
}

function forget(name, value) {
  change((fields) => {
    const its = fields.columns[name];
    delete its.mapping[value];
    if (!Object.keys(its.mapping).length) delete its.mapping;
  }, `What ${value} means is open again.`);
}

// ---------------------------------------------------------------- a concept

// What is known of a concept; from elsewhere than the drawing, it is shown in that, too.
async function showConcept(concept, drawn = false) {
  const name = chosen;
  let it;
  try { it = await get(query(at(name, "concept"), { identifier: concept })); } catch (problem) { failed(problem); return; }
  if (name !== chosen) return;
  const go = (one) => h("button", { type: "button", class: "plain", "data-go": one.concept, on: { click: () => showConcept(one.concept, true).then(() => byId("concept-name")?.focus()) } }, one.label, one.records ? h("span", { class: "soft" }, ` ${whole(one.records)}`) : null);
  const row = (title, some) => (some ? [h("dt", {}, title), h("dd", {}, some)] : []);
  const others = it.labels.filter((label) => label !== it.label);
  if (drawn) drawing.show(it.concept, it.path.map((p) => p.concept));
  fill(byId("concept"), h("div", { class: "panel facts-of" },
    h("h4", { id: "concept-name", tabindex: "-1" }, it.label, it.label === it.concept ? null : h("span", { class: "soft" }, ` ${it.concept}`)),
    h("dl", {},
      row("way", way(it.path) || "the root"),
      row("records", it.at_or_below ? `${whole(it.at_or_below)} at or below, ${whole(it.exactly)} exactly this` : "none"),
      row("held as", it.values.length ? it.values.map(([value, n]) => `${value} (${whole(n)})`).join(", ") : null),
      row("also called", others.length ? others.slice(0, 12).join(", ") : null),
      row(it.parents.length > 1 ? "kinds of" : "kind of", it.parents.length ? h("span", { class: "near" }, it.parents.map(go)) : null),
      row("its kinds", it.kinds ? h("span", { class: "near" }, it.children.slice(0, 24).map(go), it.kinds > 24 ? h("span", { class: "soft" }, `and ${whole(it.kinds - Math.min(24, it.children.length))} more`) : null) : "none"))));
}

// ---------------------------------------------------------------- how far apart

function showMeasures(its) {
  fill(byId("measure"), offered.measures.map((it) => h("option", { value: it }, it.replaceAll("_", " "))));
  byId("measure").value = its.measure ?? "sanchez";
  const domain = its.domain ?? "lcs";
  const place = byId("domain");
  place.querySelector("[data-own]")?.remove();
  if (!["lcs", "taxonomy"].includes(domain)) place.append(h("option", { value: domain, "data-own": true }, `what is below ${domain}`));
  place.value = domain;
}

for (const field of ["measure", "domain"]) {
  byId(field).addEventListener("change", (event) => {
    const name = chosen, value = event.target.value, usual = { measure: "sanchez", domain: "lcs" }[field];
    change((fields) => { if (value === usual) delete fields.columns[name][field]; else fields.columns[name][field] = value; }, "Distances are counted in another way now.");
  });
}

async function offerValues(name) {
  const found = (await get(query(at(name, "values"), { limit: 200 }))).values;
  for (const id of ["first", "second"]) fill(byId(`${id}-values`), found.map((it) => h("option", { value: it.value })));
  const known = new Set(found.map((it) => it.value));
  if (!known.has(byId("first").value) || !known.has(byId("second").value)) {
    byId("first").value = found[0]?.value ?? "";
    byId("second").value = found[1]?.value ?? found[0]?.value ?? "";
  }
  await between();
}

async function between() {
  const [first, second] = [byId("first").value, byId("second").value];
  if (!first || !second) { fill(byId("apart")); return; }
  await showApart(byId("apart"), query(at(chosen, "distance"), { first, second }), first, second);
}

for (const id of ["first", "second"]) {
  let waiting = null;
  byId(id).addEventListener("change", between);
  byId(id).addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(async () => {
      const found = (await get(query(at(chosen, "values"), { search: byId(id).value.slice(0, 200), limit: 50 }))).values;
      fill(byId(`${id}-values`), found.map((it) => h("option", { value: it.value })));
      if (found.some((it) => it.value === byId(id).value)) between();
    }, 200);
  });
}

// ---------------------------------------------------------------- building one

byId("build").addEventListener("click", () => build.open(chosen, true));
byId("edit").addEventListener("click", () => build.open(chosen, false));

async function built(name, made) {
  const saved = await change((fields) => {
    const its = fields.columns[name];
    for (const field of OF_TAXONOMY) delete its[field];
    if (its.type === "nominal") delete its.type;
    its.taxonomy = made.file;
    its.format = "child-parent";
  }, `${name} has a taxonomy of its own: ${made.file}, ${many(made.concepts, "concept")}.`);
  if (saved && made.left_over_values) say(`${many(made.left_over_values, "value is", "values are")} not in it yet.`, "bad");
  return saved;
}

// ---------------------------------------------------------------- levels and dates

// The values of a column in their natural order; whole numbers are numbers.
async function sorted(name) {
  const found = (await get(query(at(name, "values"), { limit: 300 }))).values.map((it) => it.value);
  found.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  return found.map((it) => (/^-?(0|[1-9]\d{0,14})$/.test(it) ? Number(it) : it));
}

async function showLevels(name, its) {
  const levels = its.levels ?? [];
  fill(byId("levels"), levels.map((level, n) => h("li", { "data-level": level }, h("span", {}, h("b", {}, String(level)),
    h("button", { type: "button", class: "plain", "data-way": "up", "aria-label": `${level}: lower`, disabled: n === 0, on: { click: () => shift(name, n, -1) } }, "↑"),
    h("button", { type: "button", class: "plain", "data-way": "down", "aria-label": `${level}: higher`, disabled: n === levels.length - 1, on: { click: () => shift(name, n, 1) } }, "↓")))));
  byId("levels-afresh").onclick = async () => { const fresh = await sorted(name); change((fields) => { fields.columns[name].levels = fresh; }, "The levels are the values."); };
  byId("levels-turn").onclick = () => change((fields) => { fields.columns[name].levels = [...levels].reverse(); }, "The order is turned round.");
  byId("levels-turn").disabled = levels.length < 2;
  const { values, distinct } = await get(query(at(name, "values"), { limit: 1000 }));
  const known = new Set(levels.map(String));
  const marks = new Set((session.fields.missing_marks ?? []).map(String));
  const lacking = values.filter((it) => !known.has(it.value) && !marks.has(it.value));
  if (chosen !== name) return;
  fill(byId("levels-wrong"), lacking.length ? h("div", { class: "note bad" }, h("p", {}, `${many(lacking.length, "value is", "values are")} not among the levels: ${lacking.slice(0, 8).map((it) => `${it.value} (${whole(it.records)})`).join(", ")}${lacking.length > 8 ? " …" : ""}`),
    distinct <= 300 ? h("button", { type: "button", class: "plain", id: "levels-add", on: { click: () => change((fields) => { fields.columns[name].levels = [...levels, ...lacking.map((it) => it.value)]; }, "They are the highest levels now: move them.") } }, "Add them at the end") : null) : null);
}

async function shift(name, n, by) {
  await change((fields) => {
    const levels = fields.columns[name].levels;
    [levels[n], levels[n + by]] = [levels[n + by], levels[n]];
  }, "The order has changed.");
  const row = byId("levels").children[n + by];
  const button = row?.querySelector(`[data-way=${by < 0 ? "up" : "down"}]`);
  (button?.disabled ? row.querySelector("button:not(:disabled)") : button)?.focus();
}

async function showDates(name, its) {
  byId("date-format").value = its.date_format ?? "";
  const found = (await get(query(at(name, "values"), { limit: 5 }))).values;
  byId("date-examples").textContent = found.length ? `In the table: ${found.map((it) => it.value).join(", ")}` : "";
}

byId("date-format").addEventListener("change", (event) => {
  const name = chosen, format = event.target.value.trim();
  change((fields) => { if (format) fields.columns[name].date_format = format; else delete fields.columns[name].date_format; }, "Dates are read in another way now.");
});

onSession(show);
