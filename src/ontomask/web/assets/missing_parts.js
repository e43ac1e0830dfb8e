// What is wrong with the release file or not there yet, with a way to the screen that mends it.

import { fill, h } from "./dom.js";

const screens = {
  data: "data", table: "data", csv: "data",
  columns: "roles", person: "roles", other: "roles", missing: "roles", missing_marks: "roles",
  method: "method",
  require: "release", output: "release", report_threshold: "release",
};
const meaning = ["taxonomy", "mapping", "format", "options", "measure", "domain", "prefer", "stems", "heads", "repair_codes"];
const titles = { data: "Data", roles: "Roles", meaning: "Meaning", method: "Method", release: "Release" };

// The screen on which a problem is mended.
function mendedOn({ where, what }) {
  if (where[0] === "columns" && (meaning.includes(where[2]) || / has no taxonomy$/.test(what))) return "meaning";
  return screens[where[0]] ?? "data";
}

// Fill a place with all that is missing; `here` is the screen that it stands on.
export function missingParts(place, session, here, title) {
  const open = session.data || session.opening;
  const parts = open ? session.problems.map((it) => ({ ...it, on: mendedOn(it) })) : [{ what: "no table is open", hint: "", on: "data" }];
  if (!parts.length) { fill(place); return; }
  const part = (it) => h("li", { "data-where": (it.where ?? []).join(".") }, it.what, it.hint ? h("span", { class: "soft" }, `; ${it.hint}`) : null,
    it.on === here ? null : [" ", h("a", { href: `/${it.on}` }, `Go to ${titles[it.on]}`)]);
  fill(place, h("div", { class: "note bad" }, h("b", {}, title), h("ul", {}, parts.map(part))));
}
