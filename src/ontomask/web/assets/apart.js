// How far apart two values are: the number, what both are, and what only one of them is.

import { get } from "./api.js";
import { figure, fill, h } from "./dom.js";

const MOST = 5; // of a long way, so many steps are shown

export async function showApart(place, address, first, second) {
  let it;
  try {
    it = await get(address);
  } catch (problem) {
    fill(place, h("div", { class: "note bad" }, h("p", {}, problem.message), problem.hint ? h("p", { class: "soft" }, problem.hint) : null));
    return;
  }
  const same = it.first.concept === it.second.concept;
  const shared = it.shared.filter((one) => one.concept !== it.lcs.concept).reverse();
  fill(place,
    h("p", { class: "distance", id: "distance" }, figure(Number(it.distance.toFixed(3))), h("small", {}, ` from 0, the same, to 1 (${it.measure.replaceAll("_", " ")})`)),
    h("div", { class: "between" },
      some(shared, true).map((one) => [pill(one), line()]),
      h("div", { class: "pill lcs" }, it.lcs.label, h("small", {}, same ? "both values mean this" : "the most specific that both are")),
      same ? null : [line(), h("div", { class: "fork" }, branch(it.first_only, first), branch(it.second_only, second))]),
    h("ul", { class: "small soft words-of" }, sentences(it.words).map((words) => h("li", {}, words))));
}

function branch(only, value) {
  const down = some([...only].reverse(), false);
  const last = down.pop();
  // Where a value is what both are, nothing is below.
  if (!last) return h("div", {}, line(), h("div", { class: "pill end" }, value, h("small", {}, "is this itself")));
  return h("div", {}, line(), down.map((one) => [pill(one), line()]), h("div", { class: "pill end" }, last.label, last.label === value ? null : h("small", {}, value)));
}

// The lower end of a long way, with a word for the rest.
function some(all, from) {
  if (all.length <= MOST) return all;
  const rest = { label: `… ${all.length - MOST} more ${from ? "above" : "between"}`, more: true };
  return from ? [rest, ...all.slice(-MOST)] : [...all.slice(0, 1), rest, ...all.slice(1 - MOST)];
}

const pill = (one) => h("div", { class: one.more ? "soft small" : "pill" }, one.label);
const line = () => h("div", { class: "line", "aria-hidden": "true" });

// Lines that belong to one sentence are put together.
function sentences(words) {
  const made = [];
  for (const it of words) {
    if (made.length && made.at(-1).endsWith(":")) made[made.length - 1] += ` ${it}`;
    else made.push(it);
  }
  return made.map((it) => it[0].toUpperCase() + it.slice(1));
}
