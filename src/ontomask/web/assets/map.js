// All runs on the map of risk and loss: points to choose from, drawn anew for every pair of axes.
import { h, s, fill } from "./dom.js";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [920, 390, 76, 24, 18, 56];
const LETTER = 6.9;

const SHAPES = [
  (r) => `M${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0z`,
  (r) => `M${-r * .9},${-r * .9}h${r * 1.8}v${r * 1.8}h${-r * 1.8}z`,
  (r) => `M0,${-r * 1.2}L${r * 1.1},${r * .8}H${-r * 1.1}z`,
  (r) => `M0,${-r * 1.3}L${r * 1.3},0L0,${r * 1.3}L${-r * 1.3},0z`,
  (r) => `M0,${r * 1.2}L${r * 1.1},${-r * .8}H${-r * 1.1}z`,
  (r) => `M${-r * .4},${-r * 1.2}h${r * .8}v${r * .8}h${r * .8}v${r * .8}h${-r * .8}v${r * .8}h${-r * .8}v${-r * .8}h${-r * .8}v${-r * .8}h${r * .8}z`,
  (r) => `M${-r * 1.2},0L${-r * .6},${-r}H${r * .6}L${r * 1.2},0L${r * .6},${r}H${-r * .6}z`,
];

export function written(value, axis) {
  if (value === null || value === undefined) return "–";
  if (axis.share) {
    const share = 100 * value;
    if (share > 0 && share < .01) return "below 0.01 %";
    return `${Number(share.toPrecision(share < 1 ? 2 : 3))} %`;
  }
  const digits = Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
  return digits.toLocaleString("en");
}

// The points that another has no more risk and no more loss than, and less of one.
export function dominated(points, x, y) {
  const known = points.filter((it) => it.figures[x] !== null && it.figures[y] !== null);
  return new Set(known.filter((it) => known.some((other) => {
    const [a, b, c, d] = [other.figures[x], other.figures[y], it.figures[x], it.figures[y]];
    return a <= c && b <= d && (a < c || b < d);
  })).map((it) => it.id));
}

// A map in `place`; `choose(id)` is called for the point that is pressed, `drawn(worse)` with the
// dominated ones whenever the axes change. Gives {show(data, chosen)}.
export function riskMap(place, choose, drawn) {
  let data = { points: [], risks: [], losses: [], limits: {} }, chosen = null, shown = [];
  const axes = { x: h("select", { id: "map-x" }), y: h("select", { id: "map-y" }) };
  const log = { x: h("input", { type: "checkbox", id: "map-log-x" }), y: h("input", { type: "checkbox", id: "map-log-y" }) };
  const chart = h("div", { class: "chart" });
  const tip = h("div", { class: "tip", hidden: "" });
  const legend = h("ul", { class: "legend" });
  const meaning = h("p", { class: "soft small" });
  for (const side of ["x", "y"]) {
    axes[side].addEventListener("change", () => { fit(side); draw(); });
    log[side].addEventListener("change", draw);
  }
  fill(place,
    h("div", { class: "controls" },
      h("label", { for: "map-x" }, "Risk ", axes.x), h("label", {}, log.x, " logarithmic"),
      h("label", { for: "map-y" }, "Loss ", axes.y), h("label", {}, log.y, " logarithmic")),
    chart, legend, meaning);

  function show(given, id) {
    const first = !data.risks.length;
    data = given;
    chosen = id;
    if (first) {
      fill(axes.x, ...data.risks.map((it) => h("option", { value: it.name }, it.label)));
      fill(axes.y, ...data.losses.map((it) => h("option", { value: it.name }, it.label)));
    }
    fit("x");
    fit("y");
    draw();
  }

  const of = { x: () => data.risks[axes.x.selectedIndex], y: () => data.losses[axes.y.selectedIndex] };

  // Figures of very different size are told apart on a logarithmic scale.
  function fit(side) {
    const values = data.points.map((it) => it.figures[of[side]().name]).filter((it) => it > 0);
    log[side].checked = values.length > 1 && Math.max(...values) > 20 * Math.min(...values);
  }

  const names = () => [...new Set(data.points.map((it) => it.series))];
  const colour = (name) => `var(--line-${names().indexOf(name) % 7})`;
  function shape(name, size) {
    const at = names().indexOf(name);
    return SHAPES[(at + Math.floor(at / 7)) % 7](size);
  }

  function draw() {
    const [x, y] = [of.x(), of.y()];
    const known = data.points.filter((it) => it.figures[x.name] !== null && it.figures[y.name] !== null);
    const worse = dominated(data.points, x.name, y.name);
    const across = scale(extent(known, x), log.x.checked, LEFT, WIDTH - RIGHT);
    const up = scale(extent(known, y), log.y.checked, HEIGHT - BOTTOM, TOP);
    const where = (it) => [across.place(it.figures[x.name]), up.place(it.figures[y.name])];
    const front = known.filter((it) => !worse.has(it.id))
      .sort((a, b) => a.figures[x.name] - b.figures[x.name] || b.figures[y.name] - a.figures[y.name]);
    shown = [...known].sort((a, b) => a.figures[x.name] - b.figures[x.name] || a.figures[y.name] - b.figures[y.name]);
    const focusable = shown.find((it) => it.id === chosen) ?? shown[0];
    const hadFocus = chart.contains(document.activeElement);
    fill(chart, s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group",
      "aria-label": `${known.length} ${known.length === 1 ? "run" : "runs"}: ${x.label} against ${y.label}` },
      ...frame(x, y, across, up), ...limits(x, y, across, up),
      s("polyline", { class: "front", points: front.map(where).join(" ") }),
      ...strengths(shown, where, worse),
      // Those to choose from lie on top.
      ...[...shown].sort((a, b) => worse.has(b.id) - worse.has(a.id))
        .map((it) => marker(it, where(it), worse.has(it.id), it === focusable, x, y))), tip);
    tip.hidden = true;
    if (hadFocus) chart.querySelector("[tabindex='0']")?.focus();
    fill(legend, ...names().map((name) => h("li", {},
      s("svg", { viewBox: "-8 -8 16 16", "aria-hidden": "true" }, s("path", { d: shape(name, 5.5), fill: colour(name) })), ` ${name}`)));
    meaning.textContent = `Across: ${x.label}. ${x.meaning} Up: ${y.label}. ${y.meaning}`;
    drawn(worse);
  }

  // A limit is drawn where it is not far beyond the points.
  function extent(known, axis) {
    const values = known.map((it) => it.figures[axis.name]), limit = data.limits[axis.name];
    return limit !== undefined && limit < 2 * Math.max(...values) ? [...values, limit] : values;
  }

  function frame(x, y, across, up) {
    return [
      ...across.ticks.flatMap((value) => {
        const at = across.place(value);
        return [s("line", { class: "grid", x1: at, x2: at, y1: TOP, y2: HEIGHT - BOTTOM }),
          s("text", { x: at, y: HEIGHT - BOTTOM + 18, "text-anchor": "middle" }, written(value, x))];
      }),
      ...up.ticks.flatMap((value) => {
        const at = up.place(value);
        return [s("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: at, y2: at }),
          s("text", { x: LEFT - 8, y: at + 4, "text-anchor": "end" }, written(value, y))];
      }),
      s("text", { class: "title", x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 12, "text-anchor": "middle" }, `${x.label} →`),
      s("text", { class: "title", "text-anchor": "middle", transform: `translate(16 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)` }, `${y.label} →`),
    ];
  }

  function limits(x, y, across, up) {
    const lines = [];
    const between = (at, one, other) => at >= Math.min(one, other) - 1 && at <= Math.max(one, other) + 1;
    const [right, above] = [across.place(data.limits[x.name]), up.place(data.limits[y.name])];
    if (data.limits[x.name] !== undefined && between(right, LEFT, WIDTH - RIGHT)) {
      const late = right > WIDTH - 200; // no room for words at its right
      lines.push(s("line", { class: "limit", x1: right, x2: right, y1: TOP, y2: HEIGHT - BOTTOM }),
        s("text", { class: "limit", x: right + (late ? -6 : 6), y: TOP + 12, "text-anchor": late ? "end" : "start" }, `required: below ${written(data.limits[x.name], x)}`));
    }
    if (data.limits[y.name] !== undefined && between(above, TOP, HEIGHT - BOTTOM))
      lines.push(s("line", { class: "limit", x1: LEFT, x2: WIDTH - RIGHT, y1: above, y2: above }),
        s("text", { class: "limit", x: WIDTH - RIGHT - 4, y: above - 6, "text-anchor": "end" }, `required: below ${written(data.limits[y.name], y)}`));
    return lines;
  }

  // How strong a run is, beside its point, on a side where it covers neither a point nor other words.
  function strengths(points, where, worse) {
    const taken = points.map((it) => where(it)).map(([x, y]) => [x - 8, y - 8, x + 8, y + 8]);
    const free = ([a, b, c, d]) => a > LEFT && c < WIDTH && b > 0 && taken.every(([e, f, g, i]) => c < e || a > g || d < f || b > i);
    const order = [...points].sort((a, b) => (b.id === chosen) - (a.id === chosen) || worse.has(a.id) - worse.has(b.id));
    return order.map((it) => {
      const [x, y] = where(it), words = it.strength || it.series, wide = LETTER * words.length;
      const places = [[x + 10, y - 8], [x - 10 - wide, y - 8], [x + 10, y + 18], [x - 10 - wide, y + 18]];
      const at = places.find(([left, base]) => free([left, base - 11, left + wide, base + 3]));
      if (!at) return null;
      taken.push([at[0], at[1] - 11, at[0] + wide, at[1] + 3]);
      return s("text", { class: "strength", x: at[0], y: at[1] }, words);
    });
  }

  function marker(it, [left, top], hollow, focusable, x, y) {
    const words = `run ${Number(it.id)}, ${[it.series, it.strength].filter(Boolean).join(", ")}`;
    const figures = `${x.label} ${written(it.figures[x.name], x)}, ${y.label} ${written(it.figures[y.name], y)}`;
    const verdicts = [hollow ? "dominated" : null, it.unmet.length ? "does not meet what is required" : null].filter(Boolean);
    const tell = () => {
      tip.textContent = [`R${words.slice(1)}`, ...figures.split(", "), ...verdicts].join("\n");
      tip.hidden = false;
      const wide = chart.firstChild.getBoundingClientRect().width, ratio = wide / WIDTH;
      tip.style.left = `${Math.max(0, Math.min(left * ratio + 14, wide - tip.offsetWidth))}px`;
      tip.style.top = `${Math.max(0, top * ratio - tip.offsetHeight - 10)}px`;
    };
    const quiet = () => { tip.hidden = true; };
    return s("g", {
      class: `point${hollow ? " dominated" : ""}${it.id === chosen ? " chosen" : ""}`, transform: `translate(${left} ${top})`,
      tabindex: focusable ? "0" : "-1", role: "button", "data-point": it.id, "aria-pressed": String(it.id === chosen),
      "aria-label": [`${words}: ${figures}`, ...verdicts].join(", "),
      on: { pointerenter: tell, focus: tell, pointerleave: quiet, blur: quiet, click: () => choose(it.id), keydown: (event) => keys(event, it) },
    },
    s("circle", { r: 15, fill: "transparent" }), // so that a finger finds it
    s("path", { d: shape(it.series, hollow ? 5.5 : 7), fill: hollow ? "var(--page)" : colour(it.series), stroke: hollow ? colour(it.series) : "var(--page)" }));
  }

  function keys(event, it) {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, Home: -Infinity, End: Infinity }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const next = shown[Math.min(Math.max(shown.indexOf(it) + step, 0), shown.length - 1)];
      for (const other of chart.querySelectorAll(".point")) other.setAttribute("tabindex", other.dataset.point === next.id ? 0 : -1);
      chart.querySelector(`[data-point="${next.id}"]`).focus();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(it.id);
    }
  }

  return { show };
}

// Where values lie between two ends, and the round ones among them; on a logarithmic scale 0 stands
// apart, at the very end.
function scale(values, logarithmic, from, to) {
  const positive = values.filter((value) => value > 0);
  if (logarithmic && positive.length) {
    const zero = values.length > positive.length ? .08 * (to - from) : 0;
    let [low, high] = [Math.log10(Math.min(...positive)), Math.log10(Math.max(...positive))];
    if (high - low < .3) [low, high] = [low - .3, high + .3];
    [low, high] = [low - .04 * (high - low), high + .04 * (high - low)];
    const place = (value) => (value > 0
      ? from + zero + (Math.log10(value) - low) / (high - low) * (to - from - zero) : from);
    const ticks = [];
    for (let power = Math.floor(low); power <= high; power++)
      for (const digit of high - low > 2.5 ? [1] : [1, 2, 5]) {
        const value = digit * 10 ** power;
        if (Math.log10(value) >= low && Math.log10(value) <= high) ticks.push(value);
      }
    return { place, ticks: zero ? [0, ...ticks] : ticks };
  }
  const most = Math.max(...values, 0) * 1.08 || 1;
  const step = [1, 2, 5, 10].map((it) => it * 10 ** Math.floor(Math.log10(most / 5))).find((it) => most / it <= 7);
  const ticks = [];
  for (let i = 0; i * step <= most; i++) ticks.push(Number((i * step).toPrecision(12)));
  return { place: (value) => from + value / most * (to - from), ticks };
}
