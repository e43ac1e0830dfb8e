// A taxonomy with the records in it, drawn as an icicle: each box is a concept, its height the
// records at or below it; more specific concepts are to the right. A click opens a branch.

import { h, s, setContent } from "./elements.js";
import { formatInteger } from "./formats.js";

const GAP = 1.5; // between two boxes
const LEAST_HEIGHT = 2.5; // smaller boxes are not drawn
const LINE_HEIGHT = 14;
const LETTER_WIDTH = 6.9;
const MOST_LINES = 6; // of a label
const BRANCH_COLOURS = 6;

const PAIR_FRAME = { width: 520, height: 440, firstWidth: 84 };
const PAIR_LEVELS = 4;

// ---------------------------------------------------------------- nodes

// Links nodes, which have the index of their parent (-1 for none) and stand after it. Each gets its
// index, parent, children, depth and branch: the child of the root that it is in, for its colour.
export function linkNodes(nodes, rootIndex = 0) {
  for (const [index, node] of nodes.entries()) {
    const parent = nodes[node.parentIndex] ?? null;
    const isBranch = parent !== null && parent.index === rootIndex;
    Object.assign(node, { index, parent, children: [], depth: parent ? parent.depth + 1 : 0 });
    node.branch = isBranch ? parent.children.length : parent?.branch ?? -1;
    parent?.children.push(node);
  }
  return nodes;
}

// The node and all above it, the topmost first.
function findPath(node) {
  return node ? [...findPath(node.parent), node] : [];
}

// How many levels are high enough to be drawn from a node downwards, itself included.
export function countVisibleLevels(node, frame, mostLevels, countRecords) {
  const scale = frame.height / countRecords(node);
  const count = (inner, left) => {
    if (!left || countRecords(inner) * scale < LEAST_HEIGHT) return 0;
    return 1 + inner.children.reduce((most, child) => Math.max(most, count(child, left - 1)), 0);
  };
  return count(node, mostLevels);
}

// ---------------------------------------------------------------- boxes

// Where the boxes of a node and of what is below it are; frame: {width, height, firstWidth}.
export function layOutBoxes(root, frame, levels, countRecords) {
  const scale = frame.height / countRecords(root);
  const firstWidth = levels > 1 ? frame.firstWidth : frame.width;
  const boxes = [];
  const place = (node, level, top) => {
    const height = countRecords(node) * scale;
    if (height < LEAST_HEIGHT || level >= levels) return;
    const width = level ? (frame.width - firstWidth) / (levels - 1) : firstWidth;
    const x = level ? firstWidth + (level - 1) * width : 0;
    boxes.push({ node, x, y: top, width: width - GAP, height: Math.max(height - GAP, 1) });
    let y = top;
    for (const child of node.children) {
      place(child, level + 1, y);
      y += countRecords(child) * scale;
    }
  };
  place(root, 0, 0);
  return boxes;
}

export function drawBox({ node, x, y, width, height }, attributes) {
  const colour = node.branch < 0 ? "var(--before)" : `var(--line-${node.branch % BRANCH_COLOURS})`;
  const strength = Math.max(22, 70 - 13 * Math.max(node.depth - 1, 0));
  const fill =
    `color-mix(in srgb, ${colour} calc(var(--box-strength) * ${strength}%), var(--page))`;
  const room = Math.min(Math.floor((height + 1) / LINE_HEIGHT), MOST_LINES);
  const firstLine = room === 1 ? height / 2 + 4.5 : 13;
  const lines = wrapLabel(node.label, Math.floor((width - 8) / LETTER_WIDTH), room);
  return s(
    "g",
    { role: "button", class: "box", ...attributes },
    s("rect", { x, y, width, height, rx: 2, style: `fill: ${fill}` }),
    lines.map((line, i) => s("text", { x: x + 5, y: y + firstLine + i * LINE_HEIGHT }, line)),
  );
}

// A label in as many lines as there is room for; what is left over ends in dots.
function wrapLabel(label, letters, room) {
  const lines = [];
  let rest = label;
  while (rest && lines.length < room && letters > 1) {
    if (rest.length <= letters) return [...lines, rest];
    const isLast = lines.length === room - 1;
    const space = rest.lastIndexOf(" ", letters);
    const end = isLast ? letters - 1 : space > 0 ? space : letters;
    lines.push(rest.slice(0, end).trimEnd() + (isLast ? "…" : ""));
    rest = rest.slice(end).trimStart();
  }
  return lines;
}

// Buttons for the branch that is open and for all above it.
export function drawPath(place, openNode, onOpen) {
  const steps = findPath(openNode).map((node, i) => [
    i ? h("span", { "aria-hidden": "true" }, "›") : null,
    h("button", {
      type: "button",
      title: node.label,
      "aria-current": node === openNode ? "true" : null,
      on: { click: () => onOpen(node) },
    }, node.label),
  ]);
  setContent(place, steps);
}

// ---------------------------------------------------------------- before and after

// Draws the original and the masked records of each column side by side, as the report and the
// workbench show them: {columns: [{name, nodes}], names, least}. A node is [parent, name, records
// before, records after, share of the loss]; names are stored once, with their code after a tab.
export function drawIciclePair(place, taxonomies) {
  const columns = taxonomies.columns.map(({ name, nodes }) => ({
    name,
    nodes: linkNodes(nodes.map((node) => readNode(node, taxonomies.names))),
  }));
  if (!columns.length) return;
  let column = columns[0];
  let openNode = column.nodes[0];

  const path = h("div", {
    class: "path",
    role: "navigation",
    "aria-label": "Path to the open branch",
  });
  const description = h("p", { class: "told soft", "aria-live": "polite" });
  const sides = [createSide("original", "before"), createSide("masked", "after")];
  setContent(
    place,
    columns.length > 1 ? createColumnChoice() : null,
    path,
    h("div", { class: "pair" }, sides.map((side) => h("div", {}, side.title, side.svg))),
    description,
  );
  open(openNode);

  function createSide(name, figure) {
    const { width, height } = PAIR_FRAME;
    const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group" });
    return { name, svg, title: h("h4"), countRecords: (node) => node[figure] ?? 0 };
  }

  function createColumnChoice() {
    const select = h("select", {
      on: {
        change: () => {
          column = columns[select.selectedIndex];
          open(column.nodes[0]);
        },
      },
    }, columns.map(({ name }) => h("option", {}, name)));
    return h("div", { class: "bar screen" }, h("label", {}, "Column ", select));
  }

  function open(node) {
    openNode = node;
    description.textContent = node ? describeNode(node) : "Too few records to show.";
    drawPath(path, node, open);
    for (const { name, svg, title, countRecords } of sides) {
      title.textContent = `${column.name}, ${name}`;
      svg.setAttribute("aria-label", `${column.name}, ${name}: records in the taxonomy`);
      const boxes = node && countRecords(node)
        ? layOutBoxes(node, PAIR_FRAME, PAIR_LEVELS, countRecords)
        : [];
      setContent(svg, boxes.map((box) => createBox(box, svg)));
    }
  }

  function createBox(box, svg) {
    const { node } = box;
    const toggle = () => open(node === openNode ? node.parent ?? node : node);
    return drawBox(box, {
      tabindex: "0",
      "aria-label": describeNode(node),
      "data-node": node.index,
      on: {
        click: toggle,
        keydown: (event) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          toggle();
          svg.querySelector("g.box")?.focus();
        },
        mouseenter: () => highlight(node),
        focus: () => highlight(node),
        mouseleave: () => highlight(null),
      },
    });
  }

  // What is pointed at on one side is marked on the other as well.
  function highlight(node) {
    for (const box of place.querySelectorAll("g.box")) {
      box.classList.toggle("hot", Number(box.dataset.node) === node?.index);
    }
    description.textContent = describeNode(node ?? openNode);
  }

  function describeNode({ label, code, before, after, loss }) {
    const count = (records) =>
      records === null ? `fewer than ${taxonomies.least}, or withheld` : formatInteger(records);
    const name = code ? `${label} (${code})` : label;
    const share = loss === null
      ? ""
      : ` ${(100 * loss).toFixed(1)} % of the column's information loss.`;
    return `${name}: ${count(before)} records before masking, ${count(after)} after.${share}`;
  }
}

function readNode([parentIndex, nameIndex, before, after, loss = null], names) {
  const [label, code] = names[nameIndex].split("\t");
  return { parentIndex, label, code, before, after, loss };
}
