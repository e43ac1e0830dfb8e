// The release screen: what is required and whether it holds, writing the files, taking them along.

import { get } from "./api.js";
import { byId, figure, fill, h, size } from "./dom.js";
import { change, failed, lines, onSession, onWork, session } from "./shell.js";
import { missingParts } from "./missing_parts.js";
import { begin, sentence, showProgress } from "./progress.js";

let work = null;
let known = null; // the files there are
let told = "";

// ---------------------------------------------------------------- what is required

const limits = new Map(); // the fields by name

function require(name, field) {
  const given = field.valueAsNumber;
  return change((fields) => {
    const required = { ...(fields.require ?? {}) };
    if (Number.isNaN(given)) delete required[name];
    else required[name] = shares.has(name) ? Number((given / 100).toPrecision(12)) : given;
    if (Object.keys(required).length) fields.require = required;
    else delete fields.require;
  });
}

// Written in percent here, as a share in the file.
const shares = new Set(["linkage_below"]);

function row(it) {
  const id = `require-${it.name}`;
  const share = shares.has(it.name);
  const bounds = it.kind === "whole" ? { min: 2, step: 1, inputmode: "numeric" } : { min: 0, step: "any", inputmode: "decimal", max: share ? 100 : it.kind === "share" ? 1 : null };
  const field = h("input", { type: "number", id, placeholder: "none", "aria-describedby": `${id}-words`, ...bounds, on: { change: () => require(it.name, field) } });
  limits.set(it.name, field);
  return h("tr", { "data-requirement": it.name },
    h("th", { scope: "row" }, h("label", { for: id }, it.title), h("span", { class: "soft small", id: `${id}-words` }, it.words)),
    h("td", {}, field, share ? h("span", { class: "unit soft" }, "%") : null),
    h("td", { class: "found" }),
    h("td", { class: "holds" }));
}

function verdict(it, run) {
  if (it.limit === null) return h("span", { class: "soft" }, "not required");
  if (it.holds === null) return h("span", { class: "soft" }, run ? "not known" : "no run yet");
  if (it.holds) return h("span", { class: "verdict yes" }, "holds");
  return [h("span", { class: "verdict no" }, "does not hold"), it.reasons.map((why) => h("div", { class: "why" }, why))];
}

async function showRequirements() {
  const found = await get("/api/requirements");
  const body = byId("requirements").tBodies[0];
  if (!body.rows.length) fill(body, found.requirements.map(row));
  const given = session.fields.require ?? {};
  for (const it of found.requirements) {
    const field = limits.get(it.name);
    const limit = given[it.name];
    const shown = typeof limit === "number" ? (shares.has(it.name) ? Number((100 * limit).toPrecision(12)) : limit) : "";
    if (document.activeElement !== field || field.valueAsNumber !== shown) field.value = shown;
    const place = body.querySelector(`tr[data-requirement="${it.name}"]`);
    fill(place.querySelector(".found"), it.found ?? h("span", { class: "soft" }, found.run ? "nothing to watch" : "–"));
    fill(place.querySelector(".holds"), verdict(it, found.run));
  }
  fill(byId("careful"), found.cautions.length ? h("div", { class: "note bad" }, h("h2", {}, "Before you publish this"), h("ul", {}, found.cautions.map((it) => h("li", {}, `${sentence(it)}.`)))) : null);
  fill(byId("judged"), found.run
    ? ["Judged by ", h("a", { href: `/result#run=${found.run}` }, `run ${Number(found.run)}`), ` (${found.title}), which was made with these settings.`, found.elsewhere ? " The workbench was started anew since, and chance begins elsewhere now: what is written may differ a little, and is checked again." : null]
    : ["No run was made with these settings yet, so nothing is known. ", h("a", { href: "/method" }, "Mask the table"), " to see what holds, or write it at once: it is checked all the same."]);
}

// ---------------------------------------------------------------- the files

async function showFiles() {
  known = await get("/api/downloads");
  fill(byId("files"), known.files.map((it) => h("li", { "data-file": it.what, class: it.there ? "" : "away" },
    h("b", {}, it.title), h("code", {}, it.name),
    h("span", { class: "soft small" }, it.there ? `${size(it.bytes)}, ${new Date(it.changed).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" })}` : "not written yet"),
    it.there ? h("a", { href: `/download/${it.what}`, download: it.name, "aria-label": `Download ${it.title.toLowerCase()}` }, "Download") : null)));
  byId("overwrite-label").hidden = !known.exists;
  if (!known.exists) byId("overwrite").checked = false;
  byId("stale").hidden = !known.exists || known.current;
  fill(byId("stale"), "The files that are there were written with other settings, or not from here.");
  ready();
  showLines();
}

byId("output").addEventListener("change", () => {
  const name = byId("output").value.trim();
  if (!name) { byId("output").value = session.fields.output ?? ""; return; }
  change((fields) => { fields.output = name; });
});
byId("overwrite").addEventListener("change", () => { ready(); showLines(); });

function ready() {
  const complete = session && session.data && session.problems.length === 0;
  const free = known && (!known.exists || byId("overwrite").checked);
  byId("write").disabled = !complete || !free || work?.state === "working";
}

// ---------------------------------------------------------------- writing them

byId("write").addEventListener("click", () => begin("release", { overwrite: byId("overwrite").checked }));

function showWork(now) {
  const ended = work?.state === "working" && now.state !== "working";
  work = now;
  ready();
  if (showProgress(now)) {
    fill(byId("outcome"));
    told = "";
    return;
  }
  if (ended) {
    if (now.kind === "release" && now.state === "done") byId("overwrite").checked = false;
    showFiles().catch(failed);
    showRequirements().catch(failed);
  }
  if (now.kind === "release") showOutcome(now);
}

function showOutcome(now) {
  if (told === String(now.count)) return;
  told = String(now.count);
  const place = byId("outcome");
  if (now.state === "cancelled") fill(place, h("p", { class: "soft" }, "Cancelled. Nothing was written."));
  else if (now.state === "failed") {
    const words = now.error.unmet ? [sentence(now.error.message)] : [h("b", {}, "It did not work. "), now.error.message];
    fill(place, h("div", { class: "note bad" }, h("p", {}, words), now.error.hint ? h("p", { class: "soft" }, sentence(now.error.hint)) : null));
  } else if (now.state === "done") {
    fill(place, h("div", { class: "note good" }, h("p", {}, h("b", {}, "Released. "), `${now.result.guarantee}. It took ${figure(now.seconds)} s.`),
      now.warnings.map((it) => h("p", { class: "small" }, it))));
  } else fill(place);
}

// ---------------------------------------------------------------- all of it

function showLines() {
  const force = known?.exists ? " --force" : "";
  lines({
    shell: ["# the seed comes from --seed-file FILE or ONTOMASK_SEED; otherwise by chance", `ontomask mask ${session.file}${force}`],
    python: ["import ontomask as om", `release = om.release("${session.file}"${force ? ", force=True" : ""})`],
  });
}

onSession((now) => {
  missingParts(byId("missing-parts"), now, "release", "Before it can be written");
  if (document.activeElement !== byId("output")) byId("output").value = now.fields.output ?? "";
  Promise.all([showRequirements(), showFiles()]).catch(failed);
});
onWork(showWork);
