// A taxonomy with the records in it, before and after, side by side; a branch opens on both.
import { h, s, fill, whole, wrapped } from "./dom.js";

const WIDTH = 520, HEIGHT = 440, FIRST = 84, LEVELS = 4, GAP = 1.5, SMALLEST = 2.5, LINE = 14, LETTER = 6.9;
const MOST_LINES = 6;
const BEFORE = 2, AFTER = 3; // where a node holds its two counts

// Draws the columns of `data` into `place`; nothing is drawn where there is no column of words.
export function icicles(place, data) {
  if (!data.columns.length) return;
  const trees = data.columns.map((column) => grown(column, data.names));
  let tree = trees[0], open = 0;

  const path = h("nav", { class: "path", "aria-label": "The branch that is open" });
  const told = h("p", { class: "told soft", "aria-live": "polite" });
  const sides = [["original", BEFORE], ["masked", AFTER]].map(([name, which]) => ({
    name, which, title: h("h4", {}),
    svg: s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: "group" }),
  }));
  const pick = h("select", { id: "icicles-column", on: { change: (event) => { tree = trees[event.target.selectedIndex]; show(0); } } },
    ...trees.map((it) => h("option", {}, it.name)));
  fill(place,
    trees.length > 1 ? h("p", { class: "bar" }, h("label", { for: "icicles-column" }, "Column "), pick) : null,
    path,
    h("div", { class: "pair" }, ...sides.map((it) => h("div", {}, it.title, it.svg))),
    told);
  show(0);

  function show(i) {
    open = i;
    told.textContent = tree.nodes.length ? words(tree.nodes[i]) : "Too few records to be drawn.";
    steps(i);
    for (const { svg, which, name, title } of sides) {
      title.textContent = `${tree.name}, ${name}`;
      svg.setAttribute("aria-label", `${tree.name}, ${name}: records in the taxonomy`);
      svg.replaceChildren();
      const node = tree.nodes[i];
      if (node && node.given[which]) draw(svg, which, node, 0, 0, HEIGHT / node.given[which]);
    }
  }

  function steps(i) {
    const up = [];
    for (let node = tree.nodes[i]; node; node = tree.nodes[node.parent]) up.unshift(node);
    fill(path, ...up.flatMap((node, n) => [
      n ? h("span", { "aria-hidden": "true" }, "›") : null,
      h("button", { type: "button", "aria-current": n === up.length - 1 ? "true" : null, on: { click: () => show(node.i) } }, node.label),
    ]));
  }

  function draw(svg, which, node, level, top, scale) {
    const height = node.given[which] * scale;
    if (height < SMALLEST || level >= LEVELS) return;
    const width = level ? (WIDTH - FIRST) / (LEVELS - 1) : FIRST;
    const left = level ? FIRST + (level - 1) * width : 0;
    svg.append(box(svg, node, left, top, width - GAP, Math.max(height - GAP, 1)));
    let y = top;
    for (const child of node.children.map((i) => tree.nodes[i]).filter((it) => it.given[which])) {
      draw(svg, which, child, level + 1, y, scale);
      y += child.given[which] * scale;
    }
  }

  function box(svg, node, x, y, width, height) {
    const colour = node.top < 0 ? "var(--before)" : `var(--line-${node.top % 6})`;
    const strength = Math.max(22, 70 - 13 * Math.max(node.depth - 1, 0));
    const room = Math.min(Math.floor((height + 1) / LINE), MOST_LINES);
    const middle = room === 1 ? height / 2 + 4.5 : 13;
    const turn = () => show(node.i === open && node.parent >= 0 ? node.parent : node.i);
    return s("g", {
      class: "box", tabindex: "0", role: "button", "aria-label": words(node), "data-node": node.i,
      on: {
        click: turn,
        keydown: (event) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          turn();
          svg.querySelector("g.box")?.focus();
        },
        mouseenter: () => point(node), focus: () => point(node), mouseleave: () => point(null),
      },
    },
    s("rect", { x, y, width, height, rx: 2, style: `fill: color-mix(in srgb, ${colour} calc(var(--much) * ${strength}%), var(--page))` }),
    ...wrapped(node.label, Math.floor((width - 8) / LETTER), room)
      .map((line, n) => s("text", { x: x + 5, y: y + middle + n * LINE }, line)));
  }

  // What is pointed at on one side is marked on the other as well.
  function point(node) {
    for (const it of place.querySelectorAll("g.box.hot")) it.classList.remove("hot");
    told.textContent = words(node ?? tree.nodes[open]);
    if (!node) return;
    for (const it of place.querySelectorAll(`g.box[data-node="${node.i}"]`)) it.classList.add("hot");
  }

  function words(node) {
    const [, , before, after, loss] = node.given;
    const count = (n) => (n === null ? `fewer than ${data.least}, or not told` : whole(n));
    const share = loss === null || loss === undefined ? "" : ` ${(100 * loss).toFixed(1)} % of the column's loss.`;
    return `${node.label}${node.code ? ` (${node.code})` : ""}: records before ${count(before)}, after ${count(after)}.${share}`;
  }
}

// The nodes of a column with their children; a branch keeps its colour wherever it is drawn.
function grown(column, names) {
  const nodes = column.nodes.map((given, i) => {
    const [label, code] = names[given[1]].split("\t");
    return { i, given, parent: given[0], label, code, children: [], depth: 0, top: -1 };
  });
  for (const node of nodes) {
    const parent = nodes[node.parent];
    if (!parent) continue;
    parent.children.push(node.i);
    node.depth = parent.depth + 1;
    node.top = node.depth === 1 ? parent.children.length - 1 : parent.top;
  }
  return { name: column.name, nodes };
}
