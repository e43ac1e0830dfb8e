// All runs on the risk-utility map, with the choice of its axes.

import { h, setContent } from "./shared/elements.js";
import { createRiskUtilityMap } from "./shared/risk_utility_map.js";

// onChoose(id) is called for the run that is pressed, onDraw(dominated) whenever axes change.
// Returns {show(data, chosen)}, the data being that of /api/map.
export function createRunMap(place, onChoose, onDraw) {
  const elements = {
    chart: h("div", { class: "chart" }),
    legend: h("ul", { class: "legend" }),
    meaning: h("p", { class: "soft small" }),
    axes: { x: h("select", { id: "map-x" }), y: h("select", { id: "map-y" }) },
    logarithmic: {
      x: h("input", { type: "checkbox", id: "map-log-x" }),
      y: h("input", { type: "checkbox", id: "map-log-y" }),
    },
  };
  const { chart, legend, meaning, axes, logarithmic } = elements;
  setContent(
    place,
    h(
      "div",
      { class: "controls" },
      h("label", { for: "map-x" }, "Disclosure risk ", axes.x),
      h("label", {}, logarithmic.x, " logarithmic"),
      h("label", { for: "map-y" }, "Information loss ", axes.y),
      h("label", {}, logarithmic.y, " logarithmic"),
    ),
    chart,
    legend,
    meaning,
  );
  const map = createRiskUtilityMap(elements, {
    noun: "run",
    height: 390,
    joinSeries: false,
    labelFront: false,
    touchRadius: 15,
    onChoose,
    onDraw,
  });
  return {
    show: (data, chosen) => {
      const points = data.points.map((run) => ({ ...run, label: labelRun(run) }));
      map.show({ ...data, points }, chosen);
    },
  };
}

function labelRun({ id, series, strength }) {
  return [`Run ${Number(id)}`, series, strength].filter(Boolean).join(", ");
}
