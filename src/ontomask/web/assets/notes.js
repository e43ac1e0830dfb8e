// Notes in the text of a screen.

import { h } from "./shared/elements.js";
import { capitalise } from "./shared/formats.js";

// A hint as a sentence; the library writes hints without a capital and a full stop.
export function formatHint(hint) {
  return capitalise(/[.?!]$/.test(hint) ? hint : `${hint}.`);
}

// A caution, and the link to the control that prevents it, if there is one.
export function createCautionItem({ text, href, label }) {
  return h("li", {}, text, href ? [" ", h("a", { href }, `${label}.`)] : null);
}

// What went wrong, and what to do; the title says what was tried.
export function createProblemNote({ message, hint }, title = null) {
  return h(
    "div",
    { class: "note bad" },
    h("p", {}, title ? h("b", {}, `${title} `) : null, message),
    hint ? h("p", { class: "soft" }, formatHint(hint)) : null,
  );
}
