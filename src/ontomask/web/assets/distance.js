// The distance between two values, their common ancestors, and the ancestors of only one.

import { get } from "./api.js";
import { createProblemNote } from "./notes.js";
import { h, setContent } from "./shared/elements.js";
import { capitalise, formatNumber } from "./shared/formats.js";

const MOST_STEPS = 5; // concepts shown of a long path

export async function showDistance(place, address, firstValue, secondValue) {
  let distance;
  try {
    distance = await get(address);
  } catch (problem) {
    setContent(place, createProblemNote(problem));
    return;
  }
  const { first, second, lcs, shared } = distance;
  const isSame = first.concept === second.concept;
  const above = shared.filter(({ concept }) => concept !== lcs.concept).reverse();
  const measure = distance.measure.replaceAll("_", " ");
  setContent(
    place,
    h(
      "p",
      { class: "distance", id: "distance" },
      formatNumber(Number(distance.distance.toFixed(3))),
      h("small", {}, ` on a scale from 0 (same concept) to 1 (${measure})`),
    ),
    h(
      "div",
      { class: "between" },
      shortenAbove(above).map((concept) => [createPill(concept), createLine()]),
      h(
        "div",
        { class: "pill lcs" },
        lcs.label,
        h("small", {}, isSame ? "concept of both values" : "least common subsumer"),
      ),
      isSame ? null : [
        createLine(),
        h(
          "div",
          { class: "fork" },
          createBranch(distance.first_only, firstValue),
          createBranch(distance.second_only, secondValue),
        ),
      ],
    ),
    h(
      "ul",
      { class: "small soft" },
      joinSentences(distance.words).map((sentence) => h("li", {}, sentence)),
    ),
  );
}

function createBranch(onlyThis, value) {
  const concepts = shortenBetween([...onlyThis].reverse());
  const last = concepts.pop();
  // Where a value is what both are, nothing is below.
  const [label, note] = last ? [last.label, value] : [value, "has this concept"];
  return h(
    "div",
    {},
    createLine(),
    concepts.map((concept) => [createPill(concept), createLine()]),
    h("div", { class: "pill end" }, label, label === note ? null : h("small", {}, note)),
  );
}

function createPill({ label, isOmission }) {
  return h("div", { class: isOmission ? "soft small" : "pill" }, label);
}

function createLine() {
  return h("div", { class: "line", "aria-hidden": "true" });
}

// The lower end of a long way from the root.
function shortenAbove(concepts) {
  if (concepts.length <= MOST_STEPS) return concepts;
  return [createOmission(concepts, "above"), ...concepts.slice(-MOST_STEPS)];
}

// Both ends of a long way between two concepts.
function shortenBetween(concepts) {
  if (concepts.length <= MOST_STEPS) return concepts;
  return [concepts[0], createOmission(concepts, "between"), ...concepts.slice(1 - MOST_STEPS)];
}

function createOmission(concepts, where) {
  return { label: `… ${concepts.length - MOST_STEPS} more ${where}`, isOmission: true };
}

// A line that ends in a colon and the one after it are one sentence.
function joinSentences(lines) {
  const sentences = [];
  for (const line of lines) {
    if (sentences.at(-1)?.endsWith(":")) sentences.push(`${sentences.pop()} ${line}`);
    else sentences.push(line);
  }
  return sentences.map(capitalise);
}
