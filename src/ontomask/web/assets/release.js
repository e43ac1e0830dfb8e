// The Release screen: requirements and whether they are met, writing and downloading the files.

import { get } from "./api.js";
import { quoteForPython, quoteForShell, showCommands } from "./commands.js";
import { showMissingParts } from "./missing_parts.js";
import { createCautionItem, createProblemNote } from "./notes.js";
import { showProgress, startWork } from "./progress.js";
import { byId, h, setContent } from "./shared/elements.js";
import { capitalise, formatBytes, formatNumber } from "./shared/formats.js";
import { changeFields, onSession, onWork, session, showProblem, showSavedValue } from "./shell.js";

const SHARES = ["linkage_below"]; // in percent here, as a share in the file
const DATE_FORMAT = { dateStyle: "medium", timeStyle: "short" };

const limitInputs = new Map(); // by the name of the requirement
let lastWork = null;
let isUnchanged = false; // whether the latest run changed no record
let downloads = null; // the files there are
let shownOutcome = null; // the number of the work whose outcome is shown

// ---------------------------------------------------------------- what is required

function saveLimit(name, number) {
  return changeFields((fields) => {
    const required = { ...(fields.require ?? {}) };
    if (Number.isNaN(number)) delete required[name];
    else required[name] = SHARES.includes(name) ? roundDigits(number / 100) : number;
    if (Object.keys(required).length) fields.require = required;
    else delete fields.require;
  });
}

// The limit as the input shows it; empty if there is none.
function readLimit(name) {
  const limit = session.fields.require?.[name];
  if (typeof limit !== "number") return "";
  return SHARES.includes(name) ? roundDigits(100 * limit) : limit;
}

function roundDigits(number) {
  return Number(number.toPrecision(12));
}

function createRow({ name, kind, title, words }) {
  const id = `require-${name}`;
  const isPercent = SHARES.includes(name);
  const most = isPercent ? 100 : kind === "share" ? 1 : null;
  const bounds = kind === "whole"
    ? { min: 2, step: 1, inputmode: "numeric" }
    : { min: 0, step: "any", inputmode: "decimal", max: most };
  const input = h("input", {
    type: "number",
    id,
    placeholder: "none",
    "aria-describedby": `${id}-words`,
    ...bounds,
    on: { change: () => saveLimit(name, input.valueAsNumber) },
  });
  limitInputs.set(name, input);
  return h(
    "tr",
    { "data-requirement": name },
    h(
      "th",
      { scope: "row" },
      h("label", { for: id }, title),
      h("span", { class: "soft small", id: `${id}-words` }, words),
    ),
    h("td", {}, input, isPercent ? h("span", { class: "unit soft" }, "%") : null),
    h("td", { class: "found" }),
    h("td", { class: "holds" }),
  );
}

function createVerdict({ limit, holds, reasons }, run) {
  if (limit === null) return h("span", { class: "soft" }, "no limit");
  if (holds === null) return h("span", { class: "soft" }, run ? "unknown" : "no run yet");
  if (holds) return h("span", { class: "verdict yes" }, "met");
  return [
    h("span", { class: "verdict no" }, "not met"),
    reasons.map((reason) => h("div", { class: "why" }, reason)),
  ];
}

async function showRequirements() {
  const state = await get("/api/requirements");
  const body = byId("requirements").tBodies[0];
  if (body.rows.length !== state.requirements.length) {
    setContent(body, state.requirements.map(createRow));
  }
  for (const requirement of state.requirements) {
    const { name, found: measured } = requirement;
    showSavedValue(limitInputs.get(name), readLimit(name));
    const row = body.querySelector(`tr[data-requirement="${name}"]`);
    const lacking = name === "k_map" ? describeMissingPopulation() : "no sensitive attribute";
    const unknown = h("span", { class: "soft" }, state.run ? lacking : "not masked yet");
    setContent(row.querySelector(".found"), measured ?? unknown);
    setContent(row.querySelector(".holds"), createVerdict(requirement, state.run));
  }
  isUnchanged = state.unchanged;
  byId("unchanged-label").hidden = Boolean(state.run) && !isUnchanged;
  if (byId("unchanged-label").hidden) byId("unchanged").checked = false;
  showReadiness();
  setContent(byId("careful"), createCautions(state.cautions));
  setContent(byId("judged"), describeJudgement(state));
}

// Why the number of people who match is unknown.
function describeMissingPopulation() {
  const { weight, population } = session.fields;
  return weight || population?.table ? "unknown" : "no sampling weights or population table";
}

function createCautions(cautions) {
  if (!cautions.length) return null;
  const items = cautions.map(createCautionItem);
  return h(
    "div",
    { class: "note bad" },
    h("h2", {}, "Check before you publish"),
    h("ul", {}, items),
  );
}

function describeJudgement({ run, title, elsewhere }) {
  if (!run) {
    return [
      "There is no run with these settings yet. ",
      h("a", { href: "/method" }, "Mask the table"),
      " to see whether the requirements are met, or write the release now: they are checked then.",
    ];
  }
  return [
    "Figures are from ",
    h("a", { href: `/result#run=${run}` }, `run ${Number(run)}`),
    ` (${title}), which used these settings.`,
    elsewhere
      ? " The workbench was restarted since then and uses another random seed, so the release " +
        "may differ slightly. It is checked again."
      : null,
  ];
}

// ---------------------------------------------------------------- the files

async function showFiles() {
  downloads = await get("/api/downloads");
  const { files, exists, current } = downloads;
  setContent(byId("files"), files.map(createFileItem));
  byId("overwrite-label").hidden = !exists;
  if (!exists) byId("overwrite").checked = false;
  byId("stale").hidden = !exists || current;
  byId("stale").textContent =
    "The existing files were written with other settings, or not by this workbench.";
  showReadiness();
  showReleaseCommands();
}

function createFileItem({ what, title, name, there: isThere, bytes, changed }) {
  const link = {
    href: `/download/${what}`,
    download: name,
    "aria-label": `Download ${title.toLowerCase()}`,
  };
  const state = isThere
    ? `${formatBytes(bytes)}, ${new Date(changed).toLocaleString("en-GB", DATE_FORMAT)}`
    : "not written yet";
  return h(
    "li",
    { "data-file": what, class: isThere ? "" : "away" },
    h("b", {}, title),
    h("code", {}, name),
    h("span", { class: "soft small" }, state),
    isThere ? h("a", link, "Download") : null,
  );
}

byId("output").addEventListener("change", () => {
  const name = byId("output").value.trim();
  if (!name) {
    byId("output").value = session.fields.output ?? "";
    return;
  }
  changeFields((fields) => {
    fields.output = name;
  });
});
byId("order").addEventListener("change", () => {
  const order = byId("order").value;
  changeFields((fields) => {
    if (order === "keep") fields.order = order;
    else delete fields.order;
  });
});
for (const box of ["overwrite", "unchanged"]) {
  byId(box).addEventListener("change", () => {
    showReadiness();
    showReleaseCommands();
  });
}

function showReadiness() {
  const isComplete = session && session.data && session.problems.length === 0;
  const isFree = downloads && (!downloads.exists || byId("overwrite").checked);
  const isWanted = !isUnchanged || byId("unchanged").checked;
  byId("write").disabled = !isComplete || !isFree || !isWanted || lastWork?.state === "working";
}

// ---------------------------------------------------------------- writing them

byId("write").addEventListener("click", () => {
  startWork("release", {
    overwrite: byId("overwrite").checked,
    allow_unchanged: byId("unchanged").checked,
  });
});

function showWork(work) {
  const hasEnded = lastWork?.state === "working" && work.state !== "working";
  lastWork = work;
  showReadiness();
  if (showProgress(work)) {
    setContent(byId("outcome"));
    shownOutcome = null;
    return;
  }
  if (hasEnded) {
    if (work.kind === "release" && work.state === "done") byId("overwrite").checked = false;
    showFiles().catch(showProblem);
    showRequirements().catch(showProblem);
  }
  if (work.kind === "release" && shownOutcome !== work.count) {
    shownOutcome = work.count;
    setContent(byId("outcome"), describeOutcome(work));
  }
}

function describeOutcome({ state, error, result, seconds, warnings }) {
  if (state === "cancelled") return h("p", { class: "soft" }, "Cancelled. No files were written.");
  if (state === "failed") {
    const { hint } = error;
    return error.unmet
      ? createProblemNote({ message: capitalise(error.message), hint })
      : createProblemNote({ message: error.message, hint }, "The release could not be written.");
  }
  if (state !== "done") return null;
  const outcome = `${result.guarantee}. (${formatNumber(seconds)} s)`;
  return h(
    "div",
    { class: "note good" },
    h("p", {}, h("b", {}, "Released. "), outcome),
    warnings.map((warning) => h("p", { class: "small" }, warning)),
  );
}

// ---------------------------------------------------------------- begin

function showReleaseCommands() {
  const { file } = session;
  let [flags, settings] = downloads?.exists ? [" --force", ", force=True"] : ["", ""];
  if (byId("unchanged").checked) {
    flags += " --allow-unchanged";
    settings += ", allow_unchanged=True";
  }
  showCommands({
    shell: [
      "# --seed-file FILE or ONTOMASK_SEED sets the seed; without it, a new one is drawn",
      `ontomask mask ${quoteForShell(file)}${flags}`,
    ],
    python: [
      "import ontomask as om",
      `release = om.run_release_file(${quoteForPython(file)}${settings})`,
    ],
  });
}

onSession((current) => {
  showMissingParts(byId("missing-parts"), current, "release", "Before you can write the release");
  if (document.activeElement !== byId("output")) {
    byId("output").value = current.fields.output ?? "";
  }
  byId("order").value = current.fields.order === "keep" ? "keep" : "shuffle";
  Promise.all([showRequirements(), showFiles()]).catch(showProblem);
});
onWork(showWork);
