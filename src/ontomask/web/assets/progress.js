// Background work on a screen: starting it, what it is doing, and cancelling it.

import { post } from "./api.js";
import { byId } from "./shared/elements.js";
import { capitalise } from "./shared/formats.js";
import { cancelWork, changeFields, pollWork, showMessage, showProblem } from "./shell.js";

const TITLES = {
  try: "Trying the method on a sample",
  run: "Masking the whole table",
  release: "Writing the release",
};

// Starts some work, once everything that is being saved is saved.
export async function startWork(kind, options = {}) {
  try {
    await changeFields(() => false);
    await post("/api/work", { kind, ...options });
    showMessage("");
  } catch (problem) {
    showProblem(problem);
  }
  await pollWork();
}

// Shows what is being done; returns whether anything is.
export function showProgress({ state, kind, seconds, now, cancelling, first }) {
  const isBusy = state === "working";
  byId("progress").hidden = !isBusy;
  if (!isBusy) return false;
  byId("doing").textContent = TITLES[kind];
  byId("elapsed").textContent = `${Math.floor(seconds)} s`;
  byId("now").textContent = cancelling ? "Cancelling …" : `${capitalise(now)} …`;
  byId("cancel").disabled = cancelling;
  byId("first").hidden = !first;
  return true;
}

byId("cancel").addEventListener("click", () => cancelWork(byId("cancel")));
