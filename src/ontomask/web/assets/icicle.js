// A taxonomy with the records in it: one picture, opened branch by branch, down to a single concept.

import { fill, h, many, s, whole, wrapped } from "./dom.js";

const WIDTH = 980, HEIGHT = 420, FIRST = 110, LEVELS = 5, GAP = 1.5, SMALLEST = 2.5, LINE = 15, LETTER = 7, MOST_LINES = 6;
const COLOURS = 6;

// onOpen(concept) is called when a branch is opened. Returns {draw, show}.
export function icicle(place, onOpen) {
  let nodes = [], open = 0, levels = LEVELS, folded = 0, marked = new Set();
  const path = h("nav", { class: "path", "aria-label": "The branch that is open" });
  const told = h("p", { class: "told soft small", "aria-live": "polite" });
  const svg = s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": "Records in the taxonomy. Arrow keys move, Enter opens a branch, Backspace goes back." });
  fill(place, h("div", { class: "icicle" }, path, svg, told));
  svg.addEventListener("keydown", keys);

  // nodes: [parent place, concept, label, records at or below, records exactly here]
  function draw(masses) {
    nodes = masses.nodes.map(([parent, concept, label, records, exactly], i) => ({ i, parent, concept, label, records, exactly, children: [], depth: 0, top: -1 }));
    for (const node of nodes) {
      if (node.parent < 0) continue;
      const above = nodes[node.parent];
      above.children.push(node);
      node.depth = above.depth + 1;
    }
    // A branch below where all records are keeps its colour wherever it is drawn.
    const first = nodes[masses.top];
    for (const node of nodes) {
      if (node.depth > (first?.depth ?? 0)) node.top = nodes[node.parent] === first ? first.children.indexOf(node) : nodes[node.parent].top;
    }
    folded = masses.folded;
    marked = new Set();
    openAt(masses.top, false);
  }

  // Open the branch that a concept is in, and mark the way to it. Says whether records hold it.
  function show(concept, way) {
    const wanted = [...way, concept];
    const places = new Map(nodes.map((it) => [it.concept, it]));
    marked = new Set(wanted);
    const last = [...wanted].reverse().find((it) => places.has(it));
    if (last === undefined) return false;
    const node = places.get(last);
    openAt((node.children.length ? node : nodes[node.parent] ?? node).i, false);
    return last === concept;
  }

  function openAt(i, tell = true) {
    open = i;
    steps();
    svg.replaceChildren();
    const node = nodes[i];
    if (!node) { told.textContent = "No record has a concept yet."; return; }
    const scale = HEIGHT / node.records;
    levels = seen(node, scale);
    box(node, 0, 0, scale);
    rove(svg.querySelector("g.box"));
    point(node);
    if (tell) onOpen(node.concept);
  }

  function steps() {
    const up = [];
    for (let node = nodes[open]; node; node = nodes[node.parent]) up.unshift(node);
    fill(path, up.map((node, n) => [
      n ? h("span", { "aria-hidden": "true" }, "›") : null,
      h("button", { type: "button", title: node.label, "aria-current": node.i === open ? "true" : null, on: { click: () => openAt(node.i) } }, node.label),
    ]));
  }

  // How many levels can be seen below a node, itself included.
  function seen(node, scale, most = LEVELS) {
    if (node.records * scale < SMALLEST || !most) return 0;
    return 1 + node.children.reduce((deep, it) => Math.max(deep, seen(it, scale, most - 1)), 0);
  }

  function box(node, level, top, scale) {
    const height = node.records * scale;
    if (height < SMALLEST || level >= levels) return;
    const width = level ? (WIDTH - FIRST) / (levels - 1) : levels > 1 ? FIRST : WIDTH;
    const x = level ? FIRST + (level - 1) * width : 0;
    svg.append(drawn(node, x, top, width - GAP, Math.max(height - GAP, 1)));
    let y = top;
    for (const child of node.children) {
      box(child, level + 1, y, scale);
      y += child.records * scale;
    }
  }

  function drawn(node, x, y, width, height) {
    const colour = node.top < 0 ? "var(--before)" : `var(--line-${node.top % COLOURS})`;
    const strength = Math.max(20, 62 - 12 * Math.max(node.depth - 1, 0));
    const room = Math.min(Math.floor((height + 1) / LINE), MOST_LINES);
    const middle = room === 1 ? height / 2 + 4.5 : 14;
    const lines = wrapped(node.label, Math.floor((width - 10) / LETTER), room);
    return s("g", {
      class: marked.has(node.concept) ? "box hot" : "box", role: "button", tabindex: "-1", "data-concept": node.concept, "aria-label": words(node),
      on: { click: () => openAt(node.i === open && node.parent >= 0 ? node.parent : node.i), focus: () => point(node), mouseenter: () => point(node), mouseleave: () => point(nodes[open]) },
    },
    s("rect", { x, y, width, height, rx: 2, style: `fill: color-mix(in srgb, ${colour} ${strength}%, var(--page))` }),
    lines.map((line, n) => s("text", { x: x + 6, y: y + middle + n * LINE }, line)));
  }

  function point(node) {
    if (!node) return;
    const less = folded && node.i === 0 ? ` ${many(folded, "small concept is", "small concepts are")} not drawn.` : "";
    told.textContent = words(node) + less;
  }

  function words(node) {
    const name = node.label === node.concept ? node.label : `${node.label} (${node.concept})`;
    const itself = node.exactly && node.exactly < node.records ? `, ${whole(node.exactly)} of them exactly this` : "";
    const share = nodes[0].records ? ` (${(100 * node.records / nodes[0].records).toFixed(1)} %)` : "";
    return `${name}: ${many(node.records, "record")}${share}${itself}.`;
  }

  // One box can be reached with the tab key; arrows go on from there.
  function rove(group) {
    for (const it of svg.querySelectorAll("g.box[tabindex='0']")) it.setAttribute("tabindex", "-1");
    group?.setAttribute("tabindex", "0");
    return group;
  }

  function keys(event) {
    const here = event.target.closest("g.box");
    if (!here || event.altKey || event.ctrlKey || event.metaKey) return;
    const node = nodes.find((it) => it.concept === here.dataset.concept);
    const beside = nodes[node.parent]?.children ?? [];
    const at = beside.indexOf(node);
    const boxOf = (it) => it && [...svg.querySelectorAll("g.box")].find((b) => b.dataset.concept === it.concept);
    const first = (some) => some.map(boxOf).find(Boolean);
    const to = { ArrowRight: () => first(node.children), ArrowLeft: () => boxOf(nodes[node.parent]), ArrowDown: () => first(beside.slice(at + 1)), ArrowUp: () => first(beside.slice(0, at).reverse()) }[event.key];
    if (to) {
      event.preventDefault();
      rove(to() ?? here).focus();
    } else if (["Enter", " ", "Backspace"].includes(event.key)) {
      event.preventDefault();
      const next = event.key === "Backspace" ? nodes[open].parent : node.i === open ? node.parent : node.i;
      if (next >= 0) { openAt(next); svg.querySelector("g.box")?.focus(); }
    }
  }

  return { draw, show };
}
