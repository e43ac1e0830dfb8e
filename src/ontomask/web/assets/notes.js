// Notes in the text of a screen.

import { h } from "./shared/elements.js";

// What went wrong, and what to do; the title says what was tried.
export function createProblemNote({ message, hint }, title = null) {
  return h(
    "div",
    { class: "note bad" },
    h("p", {}, title ? h("b", {}, `${title} `) : null, message),
    hint ? h("p", { class: "soft" }, hint) : null,
  );
}
