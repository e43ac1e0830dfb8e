// What all screens share: the session, saving and undoing, what is being done, what is said.

import { get, post, put, Problem, remove } from "./api.js";
import { byId, fill, h, many } from "./dom.js";

export let session = null;

const sessionListeners = [];
const workListeners = [];
let lastWork = null;
let saving = Promise.resolve();

// ---------------------------------------------------------------- the session

// Calls f with the session now and whenever the release file or the table changes.
export function onSession(f) {
  sessionListeners.push(f);
  if (session) f(session);
}

// Calls f with the state of the background work now and whenever it changes.
export function onWork(f) {
  workListeners.push(f);
  if (lastWork) f(lastWork);
}

function take(found) {
  const before = session;
  session = found;
  show(found);
  if (!before || before.revision !== found.revision || before.data !== found.data || before.opening !== found.opening
    || JSON.stringify(before.not_opened) !== JSON.stringify(found.not_opened)) {
    for (const f of sessionListeners) f(found);
  }
  return found;
}

export async function reload() {
  return take(await get("/api/session"));
}

// Change the release file: edit changes a copy of its fields in place; nothing is saved where it says false.
// Changes are made one after another, and one that fails does not stop those after it.
export function change(edit, said = "Saved.") {
  const done = saving.then(() => changed(edit, said));
  saving = done.catch(() => {});
  return done;
}

async function changed(edit, said) {
  const fields = structuredClone(session.fields);
  if (edit(fields) === false) return false;
  try {
    take(await put("/api/release", { fields, revision: session.revision }));
    if (said) say(said);
    return true;
  } catch (problem) {
    if (problem.status === 409) await reload();
    failed(problem);
    // What a control shows is not what is saved: show what is.
    for (const f of sessionListeners) f(session);
    return false;
  }
}

async function step(which, said) {
  try {
    take(await post(`/api/${which}`, { revision: session.revision }));
    say(said);
  } catch (problem) {
    if (problem.status === 409) await reload();
    failed(problem);
  }
}

// ---------------------------------------------------------------- what is said

let quiet = null;

// Say something at the foot of the page; kind is "good", "bad" or nothing.
export function say(text, kind = "") {
  const place = byId("said");
  clearTimeout(quiet);
  place.className = kind;
  fill(place, text);
  if (kind !== "bad") quiet = setTimeout(() => fill(place), 6000);
}

// Say what went wrong, and what to do.
export function failed(problem) {
  if (!(problem instanceof Problem)) console.error(problem);
  const place = byId("said");
  clearTimeout(quiet);
  place.className = "bad";
  const close = h("button", { type: "button", class: "plain", "aria-label": "Close this message", on: { click: () => fill(place) } }, "Close");
  fill(place, h("span", {}, problem.message, problem.hint ? h("small", {}, ` ${problem.hint}`) : null), close);
}

// The same as commands: what would give this result outside of the page.
export function lines({ shell = [], python = [] }) {
  const part = (title, some) => some.length
    ? [h("h3", {}, title), h("pre", {}, h("code", {}, some.join("\n")))] : [];
  fill(byId("lines-body"), part("Shell", shell), part("Python", python));
}

// ---------------------------------------------------------------- the frame of the page

function show(found) {
  byId("undo").disabled = !found.can_undo;
  byId("redo").disabled = !found.can_redo;
  const table = byId("table");
  if (found.opening) fill(table, `${found.opening} …`);
  else if (found.data) fill(table, h("b", {}, found.data), ` ${many(found.records, "record")}, ${many(found.columns, "column")}`);
  else fill(table, "no table is open");
  document.body.classList.toggle("opening", Boolean(found.opening));
  const unreadable = found.problems.length && !Object.keys(found.fields).length;
  fill(byId("unreadable"), unreadable ? h("div", { class: "note bad" },
    h("p", {}, h("b", {}, `${found.file} cannot be read, so nothing can be changed here. `), found.problems[0].what),
    h("p", { class: "soft" }, "Mend it in an editor, or take the last change back with Undo.")) : null);
}

function showWork(work) {
  const place = byId("work");
  const words = { try: "Trying a sample", run: "Masking the table", release: "Writing the release" };
  if (work.state !== "working") { fill(place); return; }
  const cancel = h("button", { type: "button", class: "plain", id: "cancel-work", on: { click: () => stop(cancel) } }, "Cancel");
  fill(place, h("span", { class: "spinner", "aria-hidden": "true" }), h("span", { class: "words" }, `${words[work.kind] ?? work.kind}: ${work.now} …`), cancel);
}

// Cancel what is being done.
export async function stop(button) {
  button.disabled = true;
  try { await remove("/api/work"); } catch (problem) { failed(problem); }
  await poll();
}

// Ask for the work at once, as after starting some.
export async function poll() {
  const found = await get("/api/work");
  const changed = !lastWork || JSON.stringify(found) !== JSON.stringify(lastWork);
  lastWork = found;
  if (changed) {
    showWork(found);
    for (const f of workListeners) f(found);
  }
  return found;
}

async function watch() {
  for (;;) {
    const busy = lastWork?.state === "working" || session?.opening;
    await new Promise((done) => setTimeout(done, busy ? 400 : document.hidden ? 5000 : 1500));
    try {
      const before = session;
      await reload();
      if (busy || session.working || session.work !== before.work) await poll();
      if (byId("said").dataset.gone) { delete byId("said").dataset.gone; say("The workbench is back.", "good"); }
    } catch (problem) {
      if (problem.status === 0 && !byId("said").dataset.gone) { byId("said").dataset.gone = "yes"; failed(problem); }
    }
  }
}

function theme() {
  const kept = localStorage.getItem("theme");
  if (kept) document.documentElement.dataset.theme = kept;
  byId("theme").addEventListener("click", () => {
    const dark = document.documentElement.dataset.theme
      ? document.documentElement.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    localStorage.setItem("theme", dark ? "light" : "dark");
  });
}

function keys(event) {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
  if (event.target.closest("input, textarea, [contenteditable]")) return; // these undo their own letters
  event.preventDefault();
  byId(event.shiftKey ? "redo" : "undo").click();
}

theme();
byId("undo").addEventListener("click", () => step("undo", "Undone."));
byId("redo").addEventListener("click", () => step("redo", "Done again."));
document.addEventListener("keydown", keys);
addEventListener("unhandledrejection", (event) => { if (event.reason?.name !== "AbortError") failed(event.reason); });
reload().then(poll).catch(failed).finally(watch);
