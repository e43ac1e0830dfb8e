"use strict";
// The map of risk and loss: points to choose from, drawn anew for every pair of axes.
(() => {
  const { points, risks, losses, limits } = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [920, 500, 74, 20, 18, 56];
  const names = [...new Set(points.map((point) => point.series))];
  const colour = (name) => `var(--line-${names.indexOf(name) % 7})`;
  let chosen = null;
  let shown = []; // the points of the map, from left to right

  // ---------------------------------------------------------------- small helpers

  function element(kind, attributes = {}, words = "") {
    const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (words) made.textContent = words;
    return made;
  }

  const SHAPES = [
    (r) => `M${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0z`,
    (r) => `M${-r * .9},${-r * .9}h${r * 1.8}v${r * 1.8}h${-r * 1.8}z`,
    (r) => `M0,${-r * 1.2}L${r * 1.1},${r * .8}H${-r * 1.1}z`,
    (r) => `M0,${-r * 1.3}L${r * 1.3},0L0,${r * 1.3}L${-r * 1.3},0z`,
    (r) => `M0,${r * 1.2}L${r * 1.1},${-r * .8}H${-r * 1.1}z`,
    (r) => `M${-r * .4},${-r * 1.2}h${r * .8}v${r * .8}h${r * .8}v${r * .8}h${-r * .8}v${r * .8}h${-r * .8}v${-r * .8}h${-r * .8}v${-r * .8}h${r * .8}z`,
    (r) => `M${-r * 1.2},0L${-r * .6},${-r}H${r * .6}L${r * 1.2},0L${r * .6},${r}H${-r * .6}z`,
  ];
  function shape(name, size) {
    const place = names.indexOf(name);
    return SHAPES[(place + Math.floor(place / 7)) % 7](size);
  }

  function written(value, axis) {
    if (value === null) return "–";
    if (axis.share) {
      const percent = 100 * value;
      if (percent > 0 && percent < .01) return "below 0.01 %";
      return `${Number(percent.toPrecision(percent < 1 ? 2 : 3))} %`;
    }
    const digits = Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
    return digits.toLocaleString("en");
  }

  // ---------------------------------------------------------------- which are worth choosing

  function dominated(x, y) {
    const known = points.filter((it) => it.figures[x] !== null && it.figures[y] !== null);
    return new Set(known.filter((it) => known.some((other) => {
      const [a, b, c, d] = [other.figures[x], other.figures[y], it.figures[x], it.figures[y]];
      return a <= c && b <= d && (a < c || b < d);
    })));
  }

  // ---------------------------------------------------------------- scales

  // Where values lie between two ends, and the round ones among them; on a logarithmic scale 0
  // stands apart, at the very end.
  function scale(values, logarithmic, from, to) {
    const positive = values.filter((value) => value > 0);
    if (logarithmic && positive.length) {
      const zero = values.length > positive.length ? .08 * (to - from) : 0;
      let [low, high] = [Math.log10(Math.min(...positive)), Math.log10(Math.max(...positive))];
      if (high - low < .3) [low, high] = [low - .3, high + .3];
      [low, high] = [low - .04 * (high - low), high + .04 * (high - low)];
      const place = (value) => value > 0
        ? from + zero + (Math.log10(value) - low) / (high - low) * (to - from - zero) : from;
      const ticks = [];
      for (let power = Math.floor(low); power <= high; power++)
        for (const digit of high - low > 2.5 ? [1] : [1, 2, 5]) {
          const value = digit * 10 ** power;
          if (Math.log10(value) >= low && Math.log10(value) <= high) ticks.push(value);
        }
      return { place, ticks: zero ? [0, ...ticks] : ticks };
    }
    const most = Math.max(...values, 0) * 1.04 || 1;
    const step = [1, 2, 5, 10].map((it) => it * 10 ** Math.floor(Math.log10(most / 5)))
      .find((it) => most / it <= 7);
    const ticks = [];
    for (let i = 0; i * step <= most; i++) ticks.push(Number((i * step).toPrecision(12)));
    return { place: (value) => from + value / most * (to - from), ticks };
  }

  // ---------------------------------------------------------------- the map

  function draw() {
    const [x, y] = [risks[at("x").selectedIndex], losses[at("y").selectedIndex]];
    const known = points.filter((it) => it.figures[x.name] !== null && it.figures[y.name] !== null);
    const worse = dominated(x.name, y.name);
    const extent = (axis) => {
      const values = known.map((it) => it.figures[axis.name]);
      const limit = limits[axis.name];
      return limit !== undefined && limit < 1.5 * Math.max(...values) ? [...values, limit] : values;
    };
    const across = scale(extent(x), at("log-x").checked, LEFT, WIDTH - RIGHT);
    const up = scale(extent(y), at("log-y").checked, HEIGHT - BOTTOM, TOP);
    const svg = element("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group",
      "aria-label": `${known.length} points: ${x.label} against ${y.label}` });
    frame(svg, x, y, across, up);
    limitLines(svg, x, y, across, up);
    const where = (it) => [across.place(it.figures[x.name]), up.place(it.figures[y.name])];
    const front = known.filter((it) => !worse.has(it))
      .sort((a, b) => a.figures[x.name] - b.figures[x.name] || b.figures[y.name] - a.figures[y.name]);
    svg.append(element("polyline", { class: "front", points: front.map(where).join(" ") }));
    for (const name of names) {
      const line = known.filter((it) => it.series === name).sort((a, b) => a.order - b.order);
      svg.append(element("polyline", { class: "series", stroke: colour(name), points: line.map(where).join(" ") }));
    }
    strengths(svg, front, where);
    shown = [...known].sort((a, b) => a.figures[x.name] - b.figures[x.name] || a.figures[y.name] - b.figures[y.name]);
    const focusable = shown.includes(chosen) ? chosen : shown[0];
    for (const it of [...shown].sort((a, b) => worse.has(b) - worse.has(a))) // those to choose from on top
      svg.append(marker(it, where(it), worse.has(it), it === focusable, x, y));
    at("map").replaceChildren(svg, tip);
    tip.hidden = true;
    at("meaning").textContent = `Across: ${x.label}. ${x.meaning} Up: ${y.label}. ${y.meaning}`;
    verdicts(worse, x.name, y.name);
  }

  function frame(svg, x, y, across, up) {
    for (const value of across.ticks) {
      const place = across.place(value);
      svg.append(element("line", { class: "grid", x1: place, x2: place, y1: TOP, y2: HEIGHT - BOTTOM }));
      svg.append(element("text", { x: place, y: HEIGHT - BOTTOM + 18, "text-anchor": "middle" }, written(value, x)));
    }
    for (const value of up.ticks) {
      const place = up.place(value);
      svg.append(element("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: place, y2: place }));
      svg.append(element("text", { x: LEFT - 8, y: place + 4, "text-anchor": "end" }, written(value, y)));
    }
    svg.append(element("text", { class: "title", x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 12, "text-anchor": "middle" }, `${x.label} →`));
    svg.append(element("text", { class: "title", "text-anchor": "middle",
      transform: `translate(16 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)` }, `${y.label} →`));
  }

  function limitLines(svg, x, y, across, up) {
    const inside = (place, from, to) => place >= Math.min(from, to) - 1 && place <= Math.max(from, to) + 1;
    if (limits[x.name] !== undefined) {
      const place = across.place(limits[x.name]);
      if (inside(place, LEFT, WIDTH - RIGHT)) {
        svg.append(element("line", { class: "limit", x1: place, x2: place, y1: TOP, y2: HEIGHT - BOTTOM }));
        svg.append(element("text", { class: "limit", x: place + 6, y: TOP + 12 }, `required: below ${written(limits[x.name], x)}`));
      }
    }
    if (limits[y.name] !== undefined) {
      const place = up.place(limits[y.name]);
      if (inside(place, TOP, HEIGHT - BOTTOM)) {
        svg.append(element("line", { class: "limit", x1: LEFT, x2: WIDTH - RIGHT, y1: place, y2: place }));
        svg.append(element("text", { class: "limit", x: WIDTH - RIGHT - 4, y: place - 6, "text-anchor": "end" }, `required: below ${written(limits[y.name], y)}`));
      }
    }
  }

  // The k of the points to choose from, where there is room for it.
  function strengths(svg, front, where) {
    const taken = [];
    for (const it of front) {
      const [left, top] = where(it);
      if (taken.some(([a, b]) => Math.abs(a - left) < 34 && Math.abs(b - top) < 14)) continue;
      taken.push([left, top]);
      const words = it.strength.replace("alpha = ", "α ").replace("k = ", "");
      svg.append(element("text", { class: "strength", x: left + 9, y: top - 7 }, words));
    }
  }

  function marker(it, [left, top], hollow, focusable, x, y) {
    const made = element("path", {
      class: `point${hollow ? " dominated" : ""}${it === chosen ? " chosen" : ""}`,
      d: shape(it.series, hollow ? 5 : 6.5), transform: `translate(${left} ${top})`,
      fill: hollow ? "var(--page)" : colour(it.series), stroke: hollow ? colour(it.series) : "var(--page)",
      tabindex: focusable ? 0 : -1, role: "button", "data-point": points.indexOf(it),
      "aria-label": `${it.label}: ${words(it, x, y)}${hollow ? ", dominated" : ""}` });
    const show = () => tell(it, left, top, hollow, x, y);
    made.addEventListener("pointerenter", show);
    made.addEventListener("focus", show);
    made.addEventListener("pointerleave", () => { tip.hidden = true; });
    made.addEventListener("blur", () => { tip.hidden = true; });
    made.addEventListener("click", () => choose(it));
    made.addEventListener("keydown", (event) => keys(event, it));
    return made;
  }

  const words = (it, x, y) =>
    `${x.label} ${written(it.figures[x.name], x)}, ${y.label} ${written(it.figures[y.name], y)}`;

  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  function tell(it, left, top, hollow, x, y) {
    const verdict = [hollow ? "dominated" : "", it.meets === false ? "does not meet what is required" : ""];
    tip.textContent = [it.label, ...words(it, x, y).split(", "), ...verdict.filter(Boolean)].join("\n");
    tip.hidden = false;
    const wide = at("map").firstChild.getBoundingClientRect().width, ratio = wide / WIDTH;
    tip.style.left = `${Math.min(left * ratio + 14, wide - tip.offsetWidth)}px`;
    tip.style.top = `${Math.max(0, top * ratio - tip.offsetHeight - 10)}px`;
  }

  // Left and right go through all points, up and down along those of one method.
  function keys(event, it) {
    const series = shown.filter((other) => other.series === it.series).sort((a, b) => a.order - b.order);
    const [list, step] = { ArrowRight: [shown, 1], ArrowLeft: [shown, -1], ArrowUp: [series, 1],
      ArrowDown: [series, -1], Home: [shown, -Infinity], End: [shown, Infinity] }[event.key] || [];
    if (list) {
      event.preventDefault();
      const next = Math.min(Math.max(list.indexOf(it) + step, 0), list.length - 1);
      const found = at("map").querySelector(`[data-point="${points.indexOf(list[next])}"]`);
      for (const other of at("map").querySelectorAll(".point")) other.setAttribute("tabindex", other === found ? 0 : -1);
      found.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(it);
    }
  }

  // ---------------------------------------------------------------- one point in full

  function choose(it) {
    chosen = it;
    for (const other of at("map").querySelectorAll(".point"))
      other.classList.toggle("chosen", points[other.dataset.point] === it);
    for (const row of rows) row.element.classList.toggle("chosen", row.point === it);
    at("chosen").hidden = false;
    at("chosen-name").textContent = it.label;
    const required = it.unknown.map((name) => `${name} is required, and not known before the table is made`);
    at("chosen-words").textContent = it.error ? `Cannot be run: ${it.error}`
      : [it.guarantee, ...it.unmet.map((reason) => `Not met: ${reason}`), ...required, ...it.notes].filter(Boolean).map((text) => text.endsWith(".") ? text : `${text}.`).join(" ");
    const list = it.error ? [] : [...risks, ...losses].map((axis) => {
      const [both, term, detail] = ["div", "dt", "dd"].map((kind) => document.createElement(kind));
      term.textContent = axis.label;
      term.title = axis.meaning;
      detail.textContent = written(it.figures[axis.name], axis);
      both.append(term, detail);
      return both;
    });
    at("chosen-figures").replaceChildren(...list);
    at("file").textContent = it.file;
    at("chosen-file").hidden = Boolean(it.error);
    document.querySelector("button[data-copy=file]").textContent = "Copy";
  }

  // ---------------------------------------------------------------- the table

  const body = document.querySelector("#points tbody");
  const rows = [...body.rows].map((row, place) => ({ element: row, point: points[place], place }));
  for (const { element: row, point } of rows) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = row.cells[0].textContent;
    button.addEventListener("click", () => { choose(point); at("chosen").scrollIntoView({ block: "nearest" }); });
    row.cells[0].replaceChildren(button);
  }

  function verdicts(worse, x, y) {
    for (const { element: row, point } of rows) {
      if (point.error) continue;
      const known = point.figures[x] !== null && point.figures[y] !== null;
      row.classList.toggle("dominated", worse.has(point));
      row.querySelector(".verdict").textContent = !known ? "not known" : worse.has(point) ? "dominated" : "no";
    }
  }

  const headers = [...document.querySelectorAll("#points thead th")];
  headers.forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = header.textContent;
    header.replaceChildren(button);
    header.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => sort(header, column));
  });
  function sort(header, column) {
    const down = header.getAttribute("aria-sort") === "ascending";
    for (const other of headers) other.setAttribute("aria-sort", other === header ? (down ? "descending" : "ascending") : "none");
    const value = ({ element: row, point }) => {
      const cell = point.error && column > 1 ? null : row.cells[column];
      if (!cell) return Infinity;
      return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
    };
    const order = (a, b) => (typeof a === "string" && typeof b === "string" ? a.localeCompare(b) : a < b ? -1 : a > b ? 1 : 0);
    rows.sort((a, b) => {
      const [one, other] = [value(a), value(b)];
      if ((one === Infinity) !== (other === Infinity)) return one === Infinity ? 1 : -1; // no figure: last
      return (down ? -1 : 1) * order(one, other) || a.place - b.place;
    });
    body.append(...rows.map((row) => row.element));
  }

  // ---------------------------------------------------------------- axes to choose from

  // Figures of very different size are told apart on a logarithmic scale.
  function fit(id, axes) {
    const values = points.map((it) => it.figures[axes[at(id).selectedIndex].name]).filter((it) => it > 0);
    at(`log-${id}`).checked = Math.max(...values) > 20 * Math.min(...values);
  }

  for (const [id, axes] of [["x", risks], ["y", losses]]) {
    for (const axis of axes) at(id).append(new Option(axis.label, axis.name));
    at(id).addEventListener("change", () => { fit(id, axes); draw(); });
    fit(id, axes);
    at(`log-${id}`).addEventListener("change", draw);
  }
  for (const name of names) {
    const item = document.createElement("li"), mark = element("svg", { viewBox: "-8 -8 16 16", "aria-hidden": "true" });
    mark.append(element("path", { d: shape(name, 5.5), fill: colour(name) }));
    item.append(mark, ` ${name}`);
    at("legend").append(item);
  }
  if (points.some((it) => !it.error)) {
    at("chart").hidden = false;
    draw();
  }
})();
