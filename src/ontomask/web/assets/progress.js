// Background work on a screen: beginning it, what it is doing, and cancelling it.

import { post } from "./api.js";
import { byId, fill } from "./dom.js";
import { change, failed, poll, say, stop } from "./shell.js";

const DOING = { try: "Trying a sample", run: "Masking the whole table", release: "Writing the release" };

// Begin some work, once all that is being saved is saved.
export async function begin(kind, more = {}) {
  try {
    await change(() => false);
    await post("/api/work", { kind, ...more });
    say("");
  } catch (problem) {
    failed(problem);
  }
  await poll();
}

// Show what is being done; whether anything is.
export function showProgress(now) {
  const busy = now.state === "working";
  byId("progress").hidden = !busy;
  if (!busy) return false;
  fill(byId("doing"), DOING[now.kind]);
  fill(byId("elapsed"), `${Math.floor(now.seconds)} s`);
  fill(byId("now"), now.cancelling ? "Cancelling …" : `${sentence(now.now)} …`);
  byId("cancel").disabled = now.cancelling;
  byId("first").hidden = !now.first;
  return true;
}

export function sentence(words) {
  return words ? words[0].toUpperCase() + words.slice(1) : "";
}

byId("cancel").addEventListener("click", () => stop(byId("cancel")));
