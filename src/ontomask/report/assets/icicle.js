"use strict";
// A taxonomy with the records in it, before and after, side by side; a click opens a branch on both.
(() => {
  const place = document.getElementById("icicles");
  const data = JSON.parse(document.getElementById("taxonomies").textContent);
  const SVG = "http://www.w3.org/2000/svg";
  const WIDTH = 520, HEIGHT = 480, FIRST = 84, LEVELS = 4, GAP = 1.5, SMALLEST = 2.5, LINE = 14, LETTER = 6.9;
  const BEFORE = 2, AFTER = 3; // where a node holds its two counts

  const trees = data.columns.map(grown);
  let tree = trees[0], open = 0;

  const bar = add(place, "div", { class: "bar screen" });
  if (trees.length > 1) {
    const label = add(bar, "label", {}, "Column ");
    const select = add(label, "select");
    trees.forEach((it, i) => add(select, "option", { value: i }, it.name));
    select.addEventListener("change", () => { tree = trees[+select.value]; show(0); });
  }
  const path = add(place, "div", { class: "path" });
  const pair = add(place, "div", { class: "pair" });
  const told = add(place, "p", { class: "told soft", "aria-live": "polite" });
  const sides = [side("original", BEFORE), side("masked", AFTER)];
  const named = (column) => sides.forEach((it) => { it.title.textContent = `${column}, ${it.name}`; });
  show(0);

  function grown(column) {
    const nodes = column.nodes.map(() => ({ children: [], depth: 0 }));
    column.nodes.forEach((given, i) => {
      const [label, code] = data.names[given[1]].split("\t");
      Object.assign(nodes[i], { i, given, parent: given[0], label, code });
      if (given[0] < 0) return;
      nodes[given[0]].children.push(i);
      nodes[i].depth = nodes[given[0]].depth + 1;
    });
    // A branch keeps its colour wherever it is drawn.
    nodes.forEach((node) => {
      const top = node.depth < 1 ? -1 : node.depth === 1 ? nodes[0].children.indexOf(node.i) : nodes[node.parent].top;
      node.top = top;
    });
    return { name: column.name, nodes };
  }

  function side(title, which) {
    const box = add(pair, "div");
    const heading = add(box, "h4", {}, title);
    const svg = add(box, "svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: "group", "aria-label": `${title}: records in the taxonomy` }, null, SVG);
    return { svg, which, name: title, title: heading };
  }

  function show(i) {
    open = i;
    named(tree.name);
    told.textContent = tree.nodes.length ? words(tree.nodes[i]) : "Too few records to be drawn.";
    path.replaceChildren();
    const up = [];
    for (let at = i; at >= 0; at = tree.nodes[at] ? tree.nodes[at].parent : -1) up.unshift(at);
    up.forEach((at, n) => {
      if (!tree.nodes[at]) return;
      if (n) add(path, "span", { "aria-hidden": "true" }, "›");
      const step = add(path, "button", { type: "button" }, tree.nodes[at].label);
      step.addEventListener("click", () => show(at));
    });
    for (const { svg, which } of sides) {
      svg.replaceChildren();
      const node = tree.nodes[i];
      if (node && node.given[which]) draw(svg, which, node, 0, 0, HEIGHT / node.given[which]);
    }
  }

  // The parts of a branch that are told on a side.
  function below(node, which) {
    return node.children.map((i) => tree.nodes[i]).filter((it) => it.given[which]);
  }

  function draw(svg, which, node, level, top, scale) {
    const height = node.given[which] * scale;
    if (height < SMALLEST || level >= LEVELS) return;
    const width = level ? (WIDTH - FIRST) / (LEVELS - 1) : FIRST;
    const left = level ? FIRST + (level - 1) * width : 0;
    box(svg, which, node, left, top, width - GAP, Math.max(height - GAP, 1));
    let y = top;
    for (const child of below(node, which)) {
      draw(svg, which, child, level + 1, y, scale);
      y += child.given[which] * scale;
    }
  }

  function box(svg, which, node, x, y, width, height) {
    const group = add(svg, "g", { class: "box", tabindex: "0", role: "button", "aria-label": words(node), "data-node": node.i }, null, SVG);
    const colour = node.top < 0 ? "var(--before)" : `var(--line-${node.top % 6})`;
    const strength = Math.max(22, 70 - 13 * Math.max(node.depth - 1, 0));
    add(group, "rect", { x, y, width, height, rx: 2, style: `fill: color-mix(in srgb, ${colour} ${strength}%, var(--page))` }, null, SVG);
    const room = Math.min(Math.floor((height + 1) / LINE), 6);
    wrapped(node.label, Math.floor((width - 8) / LETTER), room).forEach((line, n) => {
      const middle = room === 1 ? height / 2 + 4.5 : 13;
      add(group, "text", { x: x + 5, y: y + middle + n * LINE, style: "fill: var(--ink)" }, line, SVG);
    });
    group.addEventListener("click", () => show(node.i === open && node.parent >= 0 ? node.parent : node.i));
    group.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      const again = sides.findIndex((it) => it.svg === svg);
      group.dispatchEvent(new Event("click"));
      const first = sides[again].svg.querySelector("g.box");
      if (first) first.focus();
    });
    for (const event of ["mouseenter", "focus"]) group.addEventListener(event, () => point(node));
    group.addEventListener("mouseleave", () => point(null));
  }

  // What is pointed at on one side is marked on the other as well.
  function point(node) {
    for (const it of place.querySelectorAll("g.box.hot")) it.classList.remove("hot");
    if (!node) { told.textContent = words(tree.nodes[open]); return; }
    for (const it of place.querySelectorAll(`g.box[data-node="${node.i}"]`)) it.classList.add("hot");
    told.textContent = words(node);
  }

  function words(node) {
    const [, , before, after, loss] = node.given;
    const count = (n) => n === null ? `fewer than ${data.least}, or not told` : n.toLocaleString("en");
    const share = loss === null || loss === undefined ? "" : ` ${(100 * loss).toFixed(1)} % of the column's loss.`;
    return `${node.label}${node.code ? ` (${node.code})` : ""}: records before ${count(before)}, after ${count(after)}.${share}`;
  }

  // A label in as many lines as there is room for; what is left over ends in dots.
  function wrapped(text, letters, room) {
    const lines = [];
    let left = text;
    while (left && lines.length < room) {
      if (left.length <= letters) { lines.push(left); break; }
      const last = lines.length === room - 1;
      const space = left.lastIndexOf(" ", letters);
      const cut = last ? letters - 1 : space > 0 ? space : letters;
      lines.push(left.slice(0, cut).trimEnd() + (last ? "…" : ""));
      left = left.slice(cut).trimStart();
    }
    return lines;
  }

  function add(parent, tag, attributes = {}, text = null, space = null) {
    const made = space ? document.createElementNS(space, tag) : tag === "svg" ? document.createElementNS(SVG, tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== null) made.textContent = text;
    parent.append(made);
    return made;
  }
})();
