// A box in which concepts are searched by name: a list below it, reached by arrow keys.

import { buildUrl, get } from "./api.js";
import { byId, h, setContent } from "./shared/elements.js";
import { formatCount } from "./shared/formats.js";

const PAUSE = 180; // ms after the last letter

let searches = 0;

function createId() {
  searches += 1;
  return `search-${searches}`;
}

// The way from the root to a concept in words.
export function formatPath(path) {
  return path.map(({ label }) => label).join(" › ");
}

// Where a concept is: the way to it without the root.
export function formatPlace(path) {
  return formatPath(path.slice(1)) || "at the top";
}

// label: what stands before the box; getAddress(): where concepts are asked for; onChoose(concept).
export function createConceptSearch({ label, getAddress, onChoose, id = createId() }) {
  let concepts = [];
  let activeIndex = -1;
  let timer = null;
  let request = null;
  const list = h("ul", {
    id: `${id}-list`,
    role: "listbox",
    "aria-label": "Concepts",
    hidden: true,
  });
  const input = h("input", {
    id,
    role: "combobox",
    autocomplete: "off",
    spellcheck: "false",
    maxlength: "200",
    "aria-expanded": "false",
    "aria-controls": `${id}-list`,
    "aria-autocomplete": "list",
    on: {
      input: () => {
        clearTimeout(timer);
        timer = setTimeout(search, PAUSE);
      },
      keydown: handleKey,
      blur: () => setTimeout(close, 150),
    },
  });
  return h("div", { class: "search" }, h("label", { for: id }, label, input), list);

  async function search() {
    request?.abort();
    if (!input.value.trim()) {
      close();
      return;
    }
    request = new AbortController();
    try {
      const url = buildUrl(getAddress(), { search: input.value });
      ({ concepts } = await get(url, request.signal));
    } catch (problem) {
      if (problem.name === "AbortError") return;
      concepts = [];
    }
    activeIndex = concepts.length ? 0 : -1;
    showList();
  }

  function showList() {
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    const nothing = h("li", {
      class: "none",
      role: "option",
      "aria-selected": "false",
      "aria-disabled": "true",
    }, "No concept has this name.");
    setContent(list, concepts.length ? concepts.map(createOption) : nothing);
    markActive();
    list.scrollIntoView({ block: "nearest" });
  }

  function createOption({ concept, name, label: conceptLabel, records, path }, index) {
    return h(
      "li",
      {
        role: "option",
        id: `${id}-${index}`,
        "data-concept": concept,
        "aria-selected": "false",
        on: {
          pointerdown: (event) => {
            event.preventDefault();
            choose(index);
          },
        },
      },
      name === conceptLabel ? conceptLabel : `${name}: ${conceptLabel}`,
      conceptLabel === concept ? null : h("span", { class: "soft" }, ` (${concept})`),
      records ? h("span", { class: "soft" }, ` · ${formatCount(records, "record")}`) : null,
      h("small", {}, formatPlace(path)),
    );
  }

  function markActive() {
    for (const [index, option] of list.querySelectorAll("li[data-concept]").entries()) {
      option.setAttribute("aria-selected", String(index === activeIndex));
    }
    if (activeIndex < 0) {
      input.removeAttribute("aria-activedescendant");
      return;
    }
    const activeId = `${id}-${activeIndex}`;
    input.setAttribute("aria-activedescendant", activeId);
    byId(activeId)?.scrollIntoView({ block: "nearest" });
  }

  function handleKey(event) {
    if (event.key === "Escape") {
      close();
      return;
    }
    if (list.hidden || !concepts.length) {
      if (event.key !== "Enter") return;
      clearTimeout(timer);
      search();
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      activeIndex = (activeIndex + step + concepts.length) % concepts.length;
      markActive();
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(activeIndex);
    }
  }

  function choose(index) {
    close();
    input.value = "";
    onChoose(concepts[index]);
  }

  function close() {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }
}
