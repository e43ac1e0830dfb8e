// Links from the terms on a screen to their definitions on the glossary page.

import { h } from "./shared/elements.js";

// term: as the glossary has it; text: what is shown, the term itself unless given.
export function createTermLink(term, text = term) {
  const anchor = term.toLowerCase().replaceAll(" ", "-");
  const href = `/glossary#${anchor}`;
  return h("a", { class: "term", href, target: "_blank", rel: "noopener" }, text);
}
