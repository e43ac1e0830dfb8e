// The page that compares methods: the risk-utility map, one point in full, and the sorted table.

import { byId, h, setContent } from "./shared/elements.js";
import { createRiskUtilityMap, findPlottable, formatFigure } from "./shared/risk_utility_map.js";

const data = JSON.parse(byId("data").textContent);
const points = data.points.map((point, index) => ({ ...point, id: String(index) }));
const map = createRiskUtilityMap({
  chart: byId("map"),
  legend: byId("legend"),
  meaning: byId("meaning"),
  axes: { x: byId("x"), y: byId("y") },
  logarithmic: { x: byId("log-x"), y: byId("log-y") },
}, {
  noun: "point",
  height: 500,
  joinSeries: true,
  labelFront: true,
  touchRadius: 8,
  onChoose: choosePoint,
  onDraw: showVerdicts,
});

// ---------------------------------------------------------------- one point in full

function choosePoint(id) {
  const point = points[id];
  map.choose(id);
  for (const row of rows) row.element.classList.toggle("chosen", row.point === point);
  byId("chosen").hidden = false;
  byId("chosen-name").textContent = point.label;
  byId("chosen-words").textContent = describePoint(point);
  const measures = point.error ? [] : [...data.risks, ...data.losses];
  setContent(
    byId("chosen-figures"),
    measures.map((axis) =>
      h(
        "div",
        {},
        h("dt", { title: axis.meaning }, axis.label),
        h("dd", {}, formatFigure(point.figures[axis.name], axis)),
      )
    ),
  );
  byId("file").textContent = point.file;
  byId("chosen-file").hidden = Boolean(point.error);
  document.querySelector("button[data-copy=file]").textContent = "Copy";
}

function describePoint({ error, guarantee, unmet, unknown, notes }) {
  if (error) return `Failed: ${error}`;
  const sentences = [
    guarantee,
    ...unmet.map((reason) => `Requirement not met: ${reason}`),
    ...unknown.map((name) => `${name} is required, but unknown until the table is masked`),
    ...notes,
  ];
  return sentences.filter(Boolean).map((text) => text.endsWith(".") ? text : `${text}.`).join(" ");
}

// ---------------------------------------------------------------- the table

const body = document.querySelector("#points tbody");
const headers = [...document.querySelectorAll("#points thead th")];
const rows = [...body.rows].map((element, place) => ({ element, point: points[place], place }));

for (const { element, point } of rows) {
  addButton(element.cells[0], () => {
    choosePoint(point.id);
    byId("chosen").scrollIntoView({ block: "nearest" });
  });
}
for (const [column, header] of headers.entries()) {
  addButton(header, () => sortRows(header, column));
  header.setAttribute("aria-sort", "none");
}

function addButton(cell, onClick) {
  setContent(cell, h("button", { type: "button", on: { click: onClick } }, cell.textContent));
}

function showVerdicts(dominated, x, y) {
  const plottable = new Set(findPlottable(points, x, y));
  for (const { element, point } of rows) {
    if (point.error) continue;
    const isDominated = dominated.has(point.id);
    element.classList.toggle("dominated", isDominated);
    const verdict = isDominated ? "yes" : plottable.has(point) ? "no" : "unknown";
    element.querySelector(".verdict").textContent = verdict;
  }
}

function sortRows(header, column) {
  const order = header.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
  for (const other of headers) other.setAttribute("aria-sort", other === header ? order : "none");
  const sign = order === "ascending" ? 1 : -1;
  rows.sort((a, b) => {
    const [first, second] = [readCell(a, column), readCell(b, column)];
    if (first === null || second === null) {
      return (first === null) - (second === null) || a.place - b.place;
    }
    return sign * compareValues(first, second) || a.place - b.place;
  });
  body.append(...rows.map((row) => row.element));
}

// The number or text of a cell to sort by; null where there is none, which comes last.
function readCell({ element, point }, column) {
  const cell = point.error && column > 1 ? null : element.cells[column];
  if (!cell) return null;
  return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
}

function compareValues(first, second) {
  if (typeof first === "string" && typeof second === "string") return first.localeCompare(second);
  return first < second ? -1 : first > second ? 1 : 0;
}

// ---------------------------------------------------------------- begin

if (points.some((point) => !point.error)) {
  byId("chart").hidden = false;
  map.show({ ...data, points: points.map(shortenStrength) }, null);
}

// Beside a point there is room for "5", "w 5" or "α 0.3" only.
function shortenStrength(point) {
  const strength = point.strength
    .replace("alpha = ", "α ")
    .replace("window = ", "w ")
    .replace("k = ", "");
  return { ...point, strength };
}
