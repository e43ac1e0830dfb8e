// A box in which concepts are looked for by name: a list below it, reached by arrow keys.

import { get, query } from "./api.js";
import { fill, h, many } from "./dom.js";

const PAUSE = 180; // ms after the last letter

let boxes = 0;

// The way from the root in words.
export function way(path) {
  return path.map((it) => it.label).join(" › ");
}

// words: what stands before the box; address(): where concepts are asked for; onChoose(concept found).
export function conceptSearch({ words, address, onChoose, id = `search-${++boxes}` }) {
  let found = [], at = -1, waiting = null, asked = null;
  const list = h("ul", { id: `${id}-list`, role: "listbox", "aria-label": "Concepts", hidden: true });
  const input = h("input", {
    id, role: "combobox", autocomplete: "off", spellcheck: "false", maxlength: "200", "aria-expanded": "false", "aria-controls": `${id}-list`, "aria-autocomplete": "list",
    on: { input: () => { clearTimeout(waiting); waiting = setTimeout(look, PAUSE); }, keydown: keys, blur: () => setTimeout(close, 150) },
  });
  return h("div", { class: "search" }, h("label", { for: id }, words, input), list);

  async function look() {
    asked?.abort();
    if (!input.value.trim()) { close(); return; }
    asked = new AbortController();
    try {
      found = (await get(query(address(), { search: input.value }), asked.signal)).concepts;
    } catch (problem) {
      if (problem.name === "AbortError") return;
      found = [];
    }
    at = found.length ? 0 : -1;
    show();
  }

  function show() {
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    fill(list, found.length ? found.map(option) : h("li", { class: "none", role: "option", "aria-selected": "false", "aria-disabled": "true" }, "No concept is called so."));
    mark();
    list.scrollIntoView({ block: "nearest" });
  }

  function option(it, n) {
    const name = it.name === it.label ? it.label : `${it.name}: ${it.label}`;
    return h("li", { role: "option", id: `${id}-${n}`, "data-concept": it.concept, "aria-selected": "false", on: { pointerdown: (event) => { event.preventDefault(); choose(n); } } },
      name, it.label === it.concept ? null : h("span", { class: "soft" }, ` ${it.concept}`), it.records ? h("span", { class: "soft" }, ` · ${many(it.records, "record")}`) : null,
      h("small", {}, way(it.path.slice(1)) || "at the top"));
  }

  function mark() {
    list.querySelectorAll("li[data-concept]").forEach((it, n) => it.setAttribute("aria-selected", String(n === at)));
    const now = at >= 0 ? `${id}-${at}` : null;
    if (now) { input.setAttribute("aria-activedescendant", now); document.getElementById(now)?.scrollIntoView({ block: "nearest" }); } else input.removeAttribute("aria-activedescendant");
  }

  function keys(event) {
    if (event.key === "Escape") { close(); return; }
    if (list.hidden || !found.length) { if (event.key === "Enter") { clearTimeout(waiting); look(); } return; }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) { event.preventDefault(); at = (at + step + found.length) % found.length; mark(); } else if (event.key === "Enter") { event.preventDefault(); choose(at); }
  }

  function choose(n) {
    const it = found[n];
    close();
    input.value = "";
    onChoose(it);
  }

  function close() {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }
}
