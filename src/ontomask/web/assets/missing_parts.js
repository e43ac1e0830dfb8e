// What is wrong or missing in the release file, with a link to the screen where to correct it.

import { formatHint } from "./notes.js";
import { h, setContent } from "./shared/elements.js";
import { capitalise } from "./shared/formats.js";

const SCREENS = {
  data: "data",
  table: "data",
  csv: "data",
  columns: "roles",
  person: "roles",
  linked: "roles",
  link_price: "roles",
  weight: "roles",
  population: "method",
  other: "roles",
  missing: "roles",
  missing_marks: "roles",
  method: "method",
  require: "release",
  output: "release",
  report_threshold: "release",
  order: "release",
};
const MEANING_FIELDS = [
  "taxonomy",
  "mapping",
  "format",
  "options",
  "measure",
  "domain",
  "prefer",
  "stems",
  "heads",
  "below",
  "senses",
  "split",
  "drop_parentheses",
  "repair_codes",
  "crosswalk",
  "more_taxonomies",
  "combine",
];
const TITLES = {
  data: "Data",
  roles: "Roles",
  meaning: "Meaning",
  method: "Method",
  release: "Release",
};
const NO_TABLE = {
  where: ["data"],
  what: "no table is open",
  hint: "choose one on the Data screen",
};

// Lists all problems in a place of the screen; nothing where there are none.
export function showMissingParts(place, session, screen, title) {
  const isOpen = session.data || session.opening;
  const problems = isOpen ? session.problems : [NO_TABLE];
  const items = problems.map((problem) => createItem(problem, screen));
  const note = h("div", { class: "note bad" }, h("b", {}, title), h("ul", {}, items));
  setContent(place, problems.length ? note : null);
}

function createItem(problem, screen) {
  const { where, what, hint } = problem;
  const target = findScreen(problem);
  return h(
    "li",
    { "data-where": where.join(".") },
    `${capitalise(what)}.`,
    hint ? h("span", { class: "soft" }, ` ${formatHint(hint)}`) : null,
    target === screen ? null : [" ", h("a", { href: `/${target}` }, `Go to ${TITLES[target]}`)],
  );
}

// The screen on which a problem is corrected.
function findScreen({ where: [field, , columnField], lacks }) {
  const isMeaning = MEANING_FIELDS.includes(columnField || lacks);
  if (field === "columns" && isMeaning) return "meaning";
  return SCREENS[field] ?? "data";
}
