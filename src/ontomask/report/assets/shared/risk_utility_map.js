// The risk-utility map (R-U map): one point per release, its disclosure risk across and its
// information loss upwards, drawn again for every pair of measures. Lower is better on both axes.

import { h, s, setContent } from "./elements.js";

const [WIDTH, LEFT, RIGHT, TOP, BOTTOM] = [920, 76, 24, 18, 56];
const LABEL_LETTER = 6.9; // the width of a letter
const LIMIT_TEXT = 200; // room that the text of a limit needs at its right
const COLOURS = 7;

// Paths of markers of radius r around the origin: circle, square, triangle, diamond, triangle
// upside down, cross and hexagon.
const SHAPES = [
  (r) => `M${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0z`,
  (r) => `M${-r * 0.9},${-r * 0.9}h${r * 1.8}v${r * 1.8}h${-r * 1.8}z`,
  (r) => `M0,${-r * 1.2}L${r * 1.1},${r * 0.8}H${-r * 1.1}z`,
  (r) => `M0,${-r * 1.3}L${r * 1.3},0L0,${r * 1.3}L${-r * 1.3},0z`,
  (r) => `M0,${r * 1.2}L${r * 1.1},${-r * 0.8}H${-r * 1.1}z`,
  (r) => {
    const [far, near] = [r * 1.2, r * 0.4];
    return `M${-near},${-far}H${near}V${-near}H${far}V${near}H${near}V${far}H${-near}V${near}` +
      `H${-far}V${-near}H${-near}z`;
  },
  (r) => `M${-r * 1.2},0L${-r * 0.6},${-r}H${r * 0.6}L${r * 1.2},0L${r * 0.6},${r}H${-r * 0.6}z`,
];

// A value of an axis, as percent where the axis is a share.
export function formatFigure(value, axis) {
  if (value === null || value === undefined) return "not available";
  if (axis.share) {
    const percent = 100 * value;
    if (percent > 0 && percent < 0.01) return "below 0.01 %";
    return `${Number(percent.toPrecision(percent < 1 ? 2 : 3))} %`;
  }
  const rounded = Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
  return rounded.toLocaleString("en");
}

// The points that are drawn: those with a figure on both axes.
export function findPlottable(points, x, y) {
  return points.filter(({ figures }) => figures[x.name] !== null && figures[y.name] !== null);
}

// The identifiers of points that another one dominates: it has no more risk and no more loss, and
// less of one of them.
function findDominated(points, x, y) {
  const plotted = findPlottable(points, x, y);
  const dominates = (one, other) => {
    const [risk, loss] = [one.figures[x.name], one.figures[y.name]];
    const [otherRisk, otherLoss] = [other.figures[x.name], other.figures[y.name]];
    return risk <= otherRisk && loss <= otherLoss && (risk < otherRisk || loss < otherLoss);
  };
  const dominated = plotted.filter((point) => plotted.some((other) => dominates(other, point)));
  return new Set(dominated.map(({ id }) => id));
}

// ---------------------------------------------------------------- the map

// Draws into elements of the page: {chart, legend, meaning, axes: {x, y}, logarithmic: {x, y}}, the
// axes being <select>s and the others checkboxes. Options:
//   noun         what a point is called
//   height       of the drawing, which is 920 wide
//   joinSeries   whether a line joins the points of a series; up and down keys follow it
//   labelFront   whether only points that are not dominated have their strength beside them
//   touchRadius  how far around a point a finger finds it
//   onChoose(id) is called for the point that is pressed, onDraw(dominated, x, y) after drawing
// Returns {show(data, chosen), choose(id)}. Data: {points, risks, losses, limits}; a point has id,
// label, series, order, strength, unmet and figures, which are null where they are not known.
export function createRiskUtilityMap(elements, options) {
  const { chart, legend, meaning, axes, logarithmic } = elements;
  const { noun, height, joinSeries, labelFront, touchRadius, onChoose, onDraw } = options;
  const floor = height - BOTTOM;
  const tip = h("div", { class: "tip", hidden: true });
  let data = { points: [], risks: [], losses: [], limits: {} };
  let chosen = null;
  let plotted = []; // the points of the map, from left to right

  chart.classList.add("risk-utility-map");
  for (const side of ["x", "y"]) {
    axes[side].addEventListener("change", () => {
      chooseScale(side);
      draw();
    });
    logarithmic[side].addEventListener("change", draw);
  }
  return { show, choose };

  function show(newData, chosenId) {
    const isFirst = !data.risks.length;
    data = newData;
    chosen = chosenId;
    if (isFirst) {
      for (const [select, measures] of [[axes.x, data.risks], [axes.y, data.losses]]) {
        setContent(select, measures.map(({ name, label }) => h("option", { value: name }, label)));
      }
    }
    chooseScale("x");
    chooseScale("y");
    draw();
  }

  function choose(id) {
    chosen = id;
    for (const marker of chart.querySelectorAll(".point")) {
      const isChosen = marker.dataset.point === id;
      marker.classList.toggle("chosen", isChosen);
      marker.setAttribute("aria-pressed", String(isChosen));
    }
  }

  function getAxis(side) {
    return (side === "x" ? data.risks : data.losses)[axes[side].selectedIndex];
  }

  // Figures of very different size are told apart on a logarithmic scale.
  function chooseScale(side) {
    const { name } = getAxis(side);
    const positive = data.points.map((point) => point.figures[name]).filter((value) => value > 0);
    logarithmic[side].checked = Math.max(...positive) > 20 * Math.min(...positive);
  }

  function draw() {
    const [x, y] = [getAxis("x"), getAxis("y")];
    const dominated = findDominated(data.points, x, y);
    const sortBy = (points, lossSign) =>
      [...points].sort((a, b) =>
        a.figures[x.name] - b.figures[x.name] ||
        lossSign * (a.figures[y.name] - b.figures[y.name])
      );
    plotted = sortBy(findPlottable(data.points, x, y), 1);
    const front = sortBy(plotted.filter(({ id }) => !dominated.has(id)), -1);
    const across = createScale(findExtent(x), logarithmic.x.checked, LEFT, WIDTH - RIGHT);
    const up = createScale(findExtent(y), logarithmic.y.checked, floor, TOP);
    const locate = ({ figures }) => [across.place(figures[x.name]), up.place(figures[y.name])];
    const focusable = plotted.find(({ id }) => id === chosen) ?? plotted[0];
    const markers = [...plotted]
      .sort((a, b) => dominated.has(b.id) - dominated.has(a.id)) // the others on top
      .map((point) =>
        drawMarker(point, locate(point), dominated.has(point.id), point === focusable, x, y)
      );
    const hadFocus = chart.contains(document.activeElement);
    const count = `${plotted.length} ${noun}${plotted.length === 1 ? "" : "s"}`;
    setContent(
      chart,
      s(
        "svg",
        {
          viewBox: `0 0 ${WIDTH} ${height}`,
          role: "group",
          "aria-label": `${count}: ${x.label} against ${y.label}`,
        },
        drawAxes(x, y, across, up),
        drawLimits(x, y, across, up),
        s("polyline", { class: "front", points: front.map(locate).join(" ") }),
        joinSeries ? drawSeries(locate) : null,
        drawStrengths(labelFront ? front : plotted, locate, dominated),
        markers,
      ),
      tip,
    );
    tip.hidden = true;
    if (hadFocus) chart.querySelector("[tabindex='0']")?.focus();
    setContent(legend, listSeries().map(drawLegendItem));
    meaning.textContent =
      `Horizontal axis: ${x.label}. ${x.meaning} Vertical axis: ${y.label}. ${y.meaning}`;
    onDraw(dominated, x, y);
  }

  // The values that an axis must hold; a limit is among them where it is not far beyond the points.
  function findExtent({ name }) {
    const values = plotted.map((point) => point.figures[name]);
    const limit = data.limits[name];
    return limit !== undefined && limit < 2 * Math.max(...values) ? [...values, limit] : values;
  }

  // -------------------------------------------------------------- series

  function listSeries() {
    return [...new Set(data.points.map(({ series }) => series))];
  }

  function findSeries(series) {
    return plotted.filter((point) => point.series === series).sort((a, b) => a.order - b.order);
  }

  function getColour(series) {
    return `var(--line-${listSeries().indexOf(series) % COLOURS})`;
  }

  function drawShape(series, radius) {
    const index = listSeries().indexOf(series);
    return SHAPES[(index + Math.floor(index / COLOURS)) % SHAPES.length](radius);
  }

  function drawSeries(locate) {
    return listSeries().map((series) =>
      s("polyline", {
        class: "series",
        stroke: getColour(series),
        points: findSeries(series).map(locate).join(" "),
      })
    );
  }

  function drawLegendItem(series) {
    const marker = s("path", { d: drawShape(series, 5.5), fill: getColour(series) });
    const svg = s("svg", { viewBox: "-8 -8 16 16", "aria-hidden": "true" }, marker);
    return h("li", {}, svg, ` ${series}`);
  }

  // -------------------------------------------------------------- axes and limits

  function drawAxes(x, y, across, up) {
    const middle = `translate(16 ${(TOP + floor) / 2}) rotate(-90)`;
    return [
      across.ticks.map((value) => {
        const place = across.place(value);
        return [
          s("line", { class: "grid", x1: place, x2: place, y1: TOP, y2: floor }),
          s("text", { x: place, y: floor + 18, "text-anchor": "middle" }, formatFigure(value, x)),
        ];
      }),
      up.ticks.map((value) => {
        const place = up.place(value);
        return [
          s("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: place, y2: place }),
          s("text", { x: LEFT - 8, y: place + 4, "text-anchor": "end" }, formatFigure(value, y)),
        ];
      }),
      s("text", {
        class: "title",
        x: (LEFT + WIDTH - RIGHT) / 2,
        y: height - 12,
        "text-anchor": "middle",
      }, `${x.label} →`),
      s("text", { class: "title", "text-anchor": "middle", transform: middle }, `${y.label} →`),
    ];
  }

  function drawLimits(x, y, across, up) {
    const isInside = (place, start, end) =>
      place >= Math.min(start, end) - 1 && place <= Math.max(start, end) + 1;
    const describe = (axis) => `required: below ${formatFigure(data.limits[axis.name], axis)}`;
    const lines = [];
    const right = across.place(data.limits[x.name]);
    if (data.limits[x.name] !== undefined && isInside(right, LEFT, WIDTH - RIGHT)) {
      const isLate = right > WIDTH - LIMIT_TEXT;
      lines.push(
        s("line", { class: "limit", x1: right, x2: right, y1: TOP, y2: floor }),
        s("text", {
          class: "limit",
          x: right + (isLate ? -6 : 6),
          y: TOP + 12,
          "text-anchor": isLate ? "end" : "start",
        }, describe(x)),
      );
    }
    const above = up.place(data.limits[y.name]);
    if (data.limits[y.name] !== undefined && isInside(above, TOP, floor)) {
      lines.push(
        s("line", { class: "limit", x1: LEFT, x2: WIDTH - RIGHT, y1: above, y2: above }),
        s(
          "text",
          { class: "limit", x: WIDTH - RIGHT - 4, y: above - 6, "text-anchor": "end" },
          describe(y),
        ),
      );
    }
    return lines;
  }

  // -------------------------------------------------------------- points

  // The strength of the method beside its point, on a side where it covers neither a point nor
  // another text; the chosen point first, dominated ones last.
  function drawStrengths(points, locate, dominated) {
    const taken = plotted.map(locate).map(([x, y]) => [x - 8, y - 8, x + 8, y + 8]);
    const isFree = ([left, top, right, bottom]) =>
      left > LEFT && right < WIDTH && top > 0 &&
      taken.every(([a, b, c, d]) => right < a || left > c || bottom < b || top > d);
    const order = [...points].sort((a, b) =>
      (b.id === chosen) - (a.id === chosen) || dominated.has(a.id) - dominated.has(b.id)
    );
    return order.map((point) => {
      const [x, y] = locate(point);
      const text = point.strength || point.series;
      const width = LABEL_LETTER * text.length;
      const place = [y - 8, y + 18]
        .flatMap((base) => [[x + 10, base], [x - 10 - width, base]])
        .map(([left, base]) => [left, base - 11, left + width, base + 3])
        .find(isFree);
      if (!place) return null;
      taken.push(place);
      return s("text", { class: "strength", x: place[0], y: place[1] + 11 }, text);
    });
  }

  function drawMarker(point, [left, top], isDominated, isFocusable, x, y) {
    const figures = [x, y].map((axis) =>
      `${axis.label} ${formatFigure(point.figures[axis.name], axis)}`
    );
    const verdicts = [
      ...(isDominated ? ["dominated"] : []),
      ...(point.unmet.length ? ["does not meet the requirements"] : []),
    ];
    const showTip = () => {
      tip.textContent = [point.label, ...figures, ...verdicts].join("\n");
      tip.hidden = false;
      const { width } = chart.firstChild.getBoundingClientRect();
      const ratio = width / WIDTH;
      const tipLeft = Math.max(0, Math.min(left * ratio + 14, width - tip.offsetWidth));
      tip.style.left = `${tipLeft}px`;
      tip.style.top = `${Math.max(0, top * ratio - tip.offsetHeight - 10)}px`;
    };
    const hideTip = () => {
      tip.hidden = true;
    };
    const colour = getColour(point.series);
    return s(
      "g",
      {
        class: ["point", isDominated && "dominated", point.id === chosen && "chosen"]
          .filter(Boolean).join(" "),
        transform: `translate(${left} ${top})`,
        tabindex: isFocusable ? "0" : "-1",
        role: "button",
        "data-point": point.id,
        "aria-pressed": String(point.id === chosen),
        "aria-label": `${point.label}: ${[...figures, ...verdicts].join(", ")}`,
        on: {
          pointerenter: showTip,
          focus: showTip,
          pointerleave: hideTip,
          blur: hideTip,
          click: () => onChoose(point.id),
          keydown: (event) => handleKey(event, point),
        },
      },
      s("circle", { r: touchRadius, fill: "transparent" }),
      s("path", {
        d: drawShape(point.series, isDominated ? 5.5 : 7),
        fill: isDominated ? "var(--page)" : colour,
        stroke: isDominated ? colour : "var(--page)",
      }),
    );
  }

  // Left and right go through all points; up and down, too, or along a series that is joined.
  function handleKey(event, point) {
    const upwards = joinSeries ? findSeries(point.series) : plotted;
    const [points, step] = {
      ArrowRight: [plotted, 1],
      ArrowLeft: [plotted, -1],
      ArrowUp: [upwards, 1],
      ArrowDown: [upwards, -1],
      Home: [plotted, -Infinity],
      End: [plotted, Infinity],
    }[event.key] ?? [];
    if (points) {
      event.preventDefault();
      const index = Math.min(Math.max(points.indexOf(point) + step, 0), points.length - 1);
      focusMarker(points[index].id);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      onChoose(point.id);
    }
  }

  function focusMarker(id) {
    for (const marker of chart.querySelectorAll(".point")) {
      const isNext = marker.dataset.point === id;
      marker.setAttribute("tabindex", isNext ? "0" : "-1");
      if (isNext) marker.focus();
    }
  }
}

// ---------------------------------------------------------------- scales

// Where values are between two ends of an axis, and the round values among them. On a logarithmic
// scale 0 is placed apart, at the very start.
function createScale(values, isLogarithmic, start, end) {
  const positive = values.filter((value) => value > 0);
  return isLogarithmic && positive.length
    ? createLogarithmicScale(positive, positive.length < values.length, start, end)
    : createLinearScale(values, start, end);
}

function createLinearScale(values, start, end) {
  const most = Math.max(...values, 0) * 1.08 || 1;
  const power = 10 ** Math.floor(Math.log10(most / 5));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((width) => most / width <= 7);
  const ticks = [];
  for (let i = 0; i * step <= most; i++) ticks.push(Number((i * step).toPrecision(12)));
  return { place: (value) => start + value / most * (end - start), ticks };
}

function createLogarithmicScale(positive, hasZero, start, end) {
  const apart = hasZero ? 0.08 * (end - start) : 0;
  let [low, high] = [Math.log10(Math.min(...positive)), Math.log10(Math.max(...positive))];
  if (high - low < 0.3) [low, high] = [low - 0.3, high + 0.3];
  [low, high] = [low - 0.04 * (high - low), high + 0.04 * (high - low)];
  const ticks = hasZero ? [0] : [];
  for (let power = Math.floor(low); power <= high; power++) {
    for (const digit of high - low > 2.5 ? [1] : [1, 2, 5]) {
      const value = digit * 10 ** power;
      if (Math.log10(value) >= low && Math.log10(value) <= high) ticks.push(value);
    }
  }
  const place = (value) => {
    if (value <= 0) return start;
    const share = (Math.log10(value) - low) / (high - low);
    return start + apart + share * (end - start - apart);
  };
  return { place, ticks };
}
