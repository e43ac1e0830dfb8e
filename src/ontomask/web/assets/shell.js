// What all screens share: the session, saving and undoing, background work, and messages.

import { get, post, Problem, put, remove } from "./api.js";
import { formatHint } from "./notes.js";
import { byId, h, setContent } from "./shared/elements.js";
import { formatCount } from "./shared/formats.js";
import { setTheme, switchTheme } from "./shared/theme.js";

const WORK_TITLES = {
  try: "Trying the method on a sample",
  run: "Masking the table",
  release: "Writing the release",
};
const MESSAGE_TIME = 6000; // ms after which a message goes away
const [BUSY_PAUSE, IDLE_PAUSE, HIDDEN_PAUSE] = [400, 1500, 5000]; // ms between two questions

export let session = null;

const sessionListeners = [];
const workListeners = [];
let lastWork = null;
let saving = Promise.resolve();
let changes = 0; // made by this page
let pendingChanges = 0;
let isNoticeDue = false;

// ---------------------------------------------------------------- the session

// Calls the listener with the session now and whenever the release file or the table changes.
export function onSession(listener) {
  sessionListeners.push(listener);
  if (session) listener(session);
}

// Calls the listener with the state of the background work now and whenever it changes.
export function onWork(listener) {
  workListeners.push(listener);
  if (lastWork) listener(lastWork);
}

export async function reloadSession() {
  const before = changes;
  const newSession = await get("/api/session");
  if (changes === before) updateSession(newSession); // else it was asked before a change was made
}

async function changeSession(request) {
  const newSession = await request;
  changes += 1;
  updateSession(newSession);
}

function updateSession(newSession) {
  const hasChanged = !session || differs(session, newSession);
  session = newSession;
  showSession();
  if (!hasChanged) return;
  // Controls show what was chosen since: they are not put back to what was saved before that.
  if (pendingChanges > 1) isNoticeDue = true;
  else notifySessionListeners();
}

function differs(before, after) {
  return before.revision !== after.revision || before.data !== after.data ||
    before.opening !== after.opening ||
    JSON.stringify(before.not_opened) !== JSON.stringify(after.not_opened);
}

function notifySessionListeners() {
  isNoticeDue = false;
  for (const listener of sessionListeners) listener(session);
}

// Changes the release file: edit(fields) changes a copy of its fields; where it returns false,
// nothing is saved. Changes are made one after another, and one that fails does not stop the next.
// Returns whether it was saved.
export function changeFields(edit, message = "Saved.") {
  return afterOtherChanges(() => saveFields(edit, message));
}

function afterOtherChanges(make) {
  pendingChanges += 1;
  const change = saving.then(make).finally(() => {
    pendingChanges -= 1;
    if (isNoticeDue && !pendingChanges) notifySessionListeners();
  });
  saving = change.catch(() => {});
  return change;
}

async function saveFields(edit, message) {
  const fields = structuredClone(session.fields);
  if (edit(fields) === false) return false;
  try {
    await changeSession(put("/api/release", { fields, revision: session.revision }));
    showMessage(message);
    return true;
  } catch (problem) {
    await showConflict(problem);
    // Reset the controls to the values that are saved.
    notifySessionListeners();
    return false;
  }
}

async function moveInHistory(direction, message) {
  try {
    await changeSession(post(`/api/${direction}`, { revision: session.revision }));
    showMessage(message);
  } catch (problem) {
    await showConflict(problem);
  }
}

// Shows a saved value in a field. What somebody is typing in it is kept until it is saved.
export function showSavedValue(field, value) {
  const text = String(value ?? "");
  const isTyped = document.activeElement === field && field.value !== field.dataset.saved;
  if (isTyped && field.value !== text) return;
  if (field.value !== text) field.value = text;
  field.dataset.saved = field.value;
}

// Shows a problem with a change; if the file was changed elsewhere, its new content is shown too.
export async function showConflict(problem) {
  if (problem.status === 409) await reloadSession();
  showProblem(problem);
}

// ---------------------------------------------------------------- messages

let messageTimer = null;

// Shows a message at the foot of the page; kind is "good" or nothing.
export function showMessage(text, kind = "") {
  const place = byId("said");
  clearTimeout(messageTimer);
  place.className = kind;
  setContent(place, text);
  if (kind !== "bad") messageTimer = setTimeout(() => setContent(place), MESSAGE_TIME);
}

// Shows what went wrong and what to do, until it is closed.
export function showProblem(problem) {
  if (!(problem instanceof Problem)) console.error(problem);
  const place = byId("said");
  clearTimeout(messageTimer);
  place.className = "bad";
  const closeButton = h("button", {
    type: "button",
    class: "plain",
    "aria-label": "Close this message",
    on: { click: () => setContent(place) },
  }, "Close");
  const hint = problem.hint ? h("small", {}, ` ${formatHint(problem.hint)}`) : null;
  setContent(place, h("span", {}, problem.message, hint), closeButton);
}

// ---------------------------------------------------------------- the frame of the page

function showSession() {
  byId("undo").disabled = !session.can_undo;
  byId("redo").disabled = !session.can_redo;
  setContent(byId("table"), describeTable());
  const isUnreadable = session.problems.length && !Object.keys(session.fields).length;
  setContent(byId("unreadable"), isUnreadable ? createUnreadableNote() : null);
}

function describeTable() {
  const { opening, data, records, columns } = session;
  if (opening) return `${opening} …`;
  if (!data) return "No table is open";
  return [
    h("b", {}, data),
    ` ${formatCount(records, "record")}, ${formatCount(columns, "column")}`,
  ];
}

function createUnreadableNote() {
  const title = `${session.file} cannot be read, so you cannot change anything here. `;
  const hint = "Correct the file in an editor, or press Undo to restore its previous version.";
  return h(
    "div",
    { class: "note bad" },
    h("p", {}, h("b", {}, title), session.problems[0].what),
    h("p", { class: "soft" }, hint),
  );
}

function showWork(work) {
  if (work.state !== "working") {
    setContent(byId("work"));
    return;
  }
  const cancelButton = h("button", {
    type: "button",
    class: "plain",
    id: "cancel-work",
    on: { click: () => cancelWork(cancelButton) },
  }, "Cancel");
  setContent(
    byId("work"),
    h("span", { class: "spinner", "aria-hidden": "true" }),
    h("span", { class: "words" }, `${WORK_TITLES[work.kind] ?? work.kind}: ${work.now} …`),
    cancelButton,
  );
}

// ---------------------------------------------------------------- background work

export async function cancelWork(button) {
  button.disabled = true;
  try {
    await remove("/api/work");
  } catch (problem) {
    showProblem(problem);
  }
  await pollWork();
}

// Asks for the work at once, as after starting some.
export async function pollWork() {
  const work = await get("/api/work");
  const hasChanged = JSON.stringify(work) !== JSON.stringify(lastWork);
  lastWork = work;
  if (!hasChanged) return;
  showWork(work);
  for (const listener of workListeners) listener(work);
}

async function watchWorkbench() {
  for (;;) {
    const isBusy = lastWork?.state === "working" || session?.opening;
    await wait(isBusy ? BUSY_PAUSE : document.hidden ? HIDDEN_PAUSE : IDLE_PAUSE);
    const { dataset } = byId("said");
    try {
      const workBefore = session?.work;
      await reloadSession();
      if (isBusy || session.working || session.work !== workBefore) await pollWork();
      if (dataset.gone) {
        delete dataset.gone;
        showMessage("The workbench responds again.", "good");
      }
    } catch (problem) {
      if (problem.status === 0 && !dataset.gone) {
        dataset.gone = "yes";
        showProblem(problem);
      }
    }
  }
}

export function wait(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

// ---------------------------------------------------------------- begin

function handleKey(event) {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
  if (event.target.closest("input, textarea, [contenteditable]")) return; // they undo letters
  event.preventDefault();
  byId(event.shiftKey ? "redo" : "undo").click();
}

const storedTheme = localStorage.getItem("theme");
if (storedTheme) setTheme(storedTheme);
byId("theme").addEventListener("click", () => localStorage.setItem("theme", switchTheme()));
for (const [direction, message] of [["undo", "Undone."], ["redo", "Redone."]]) {
  const move = () => afterOtherChanges(() => moveInHistory(direction, message));
  byId(direction).addEventListener("click", move);
}
document.addEventListener("keydown", handleKey);
addEventListener("unhandledrejection", (event) => {
  if (event.reason?.name !== "AbortError") showProblem(event.reason);
});
reloadSession().then(pollWork).catch(showProblem).finally(watchWorkbench);
