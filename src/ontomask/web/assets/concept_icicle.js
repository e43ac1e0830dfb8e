// The taxonomy of one column with the records in it: opened branch by branch, down to one concept.

import { h, s, setContent } from "./shared/elements.js";
import { formatCount, formatInteger } from "./shared/formats.js";
import { countVisibleLevels, drawBox, drawPath, layOutBoxes, linkNodes } from "./shared/icicle.js";

const FRAME = { width: 980, height: 420, firstWidth: 110 };
const MOST_LEVELS = 5;
const HELP = "Records in the taxonomy. Arrow keys move, Enter opens a branch, Backspace goes back.";

const countRecords = (node) => node.records;

// onOpen(concept) is called when a branch is opened.
// Returns {draw(taxonomy), showConcept(concept, conceptsAbove)}.
export function createConceptIcicle(place, onOpen) {
  let nodes = [];
  let openNode = null;
  let folded = 0; // small concepts that are not drawn
  let marked = new Set();
  const path = h("nav", { class: "path", "aria-label": "Open branch" });
  const description = h("p", { class: "description soft small", "aria-live": "polite" });
  const svg = s("svg", {
    viewBox: `0 0 ${FRAME.width} ${FRAME.height}`,
    role: "group",
    "aria-label": HELP,
    on: { keydown: handleKey },
  });
  setContent(place, h("div", { class: "icicle" }, path, svg, description));
  return { draw, showConcept };

  // taxonomy.nodes: [parent, concept, label, records at or below it, records of exactly it]; all
  // records are at or below the node taxonomy.top.
  function draw(taxonomy) {
    nodes = linkNodes(
      taxonomy.nodes.map(([parentIndex, concept, label, records, exactly]) => ({
        parentIndex,
        concept,
        label,
        records,
        exactly,
      })),
      taxonomy.top,
    );
    folded = taxonomy.folded;
    marked = new Set();
    open(nodes[taxonomy.top]);
  }

  // Opens the branch that a concept is in, and marks the way from the root to it. What no record
  // has is not drawn: the nearest concept above it is shown instead.
  function showConcept(concept, conceptsAbove) {
    const way = [...conceptsAbove, concept];
    const nearest = [...way].reverse().map(findNode).find(Boolean);
    marked = new Set(way);
    if (nearest) open(nearest.children.length ? nearest : nearest.parent ?? nearest);
  }

  function findNode(concept) {
    return nodes.find((node) => node.concept === concept);
  }

  function open(node) {
    openNode = node;
    drawPath(path, node, openAndTell);
    svg.replaceChildren();
    if (!node) {
      description.textContent = "No record has a concept yet.";
      return;
    }
    const levels = countVisibleLevels(node, FRAME, MOST_LEVELS, countRecords);
    setContent(svg, layOutBoxes(node, FRAME, levels, countRecords).map(createBox));
    makeFocusable(svg.querySelector("g.box"));
    describe(node);
  }

  function openAndTell(node) {
    open(node);
    onOpen(node.concept);
  }

  // The branch that a box opens: its own, or, where that is open, the one above.
  function findTarget(node) {
    return node === openNode ? node.parent : node;
  }

  function createBox(box) {
    const { node } = box;
    return drawBox(box, {
      class: marked.has(node.concept) ? "box hot" : "box",
      tabindex: "-1",
      "data-concept": node.concept,
      "aria-label": describeNode(node),
      on: {
        click: () => openAndTell(findTarget(node) ?? node),
        focus: () => describe(node),
        mouseenter: () => describe(node),
        mouseleave: () => describe(openNode),
      },
    });
  }

  function describe(node) {
    const omitted = folded && node.index === 0
      ? ` ${formatCount(folded, "small concept is", "small concepts are")} not drawn.`
      : "";
    description.textContent = describeNode(node) + omitted;
  }

  function describeNode({ concept, label, records, exactly }) {
    const total = nodes[0].records;
    const name = label === concept ? label : `${label} (${concept})`;
    const share = total ? ` (${(100 * records / total).toFixed(1)} %)` : "";
    const own = exactly && exactly < records
      ? `, ${formatInteger(exactly)} of them with exactly this concept`
      : "";
    return `${name}: ${formatCount(records, "record")}${share}${own}.`;
  }

  // -------------------------------------------------------------- keys

  // One box can be reached with the tab key; arrows go on from there.
  function makeFocusable(box) {
    for (const other of svg.querySelectorAll("g.box[tabindex='0']")) {
      other.setAttribute("tabindex", "-1");
    }
    box?.setAttribute("tabindex", "0");
  }

  function findBox(node) {
    const boxes = [...svg.querySelectorAll("g.box")];
    return node && boxes.find((box) => box.dataset.concept === node.concept);
  }

  function findNeighbour(node, key) {
    const siblings = node.parent?.children ?? [];
    const index = siblings.indexOf(node);
    const candidates = {
      ArrowRight: node.children,
      ArrowLeft: [node.parent],
      ArrowDown: siblings.slice(index + 1),
      ArrowUp: siblings.slice(0, index).reverse(),
    }[key];
    return candidates.map(findBox).find(Boolean);
  }

  function handleKey(event) {
    const box = event.target.closest("g.box");
    if (!box || event.altKey || event.ctrlKey || event.metaKey) return;
    const node = findNode(box.dataset.concept);
    if (["ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"].includes(event.key)) {
      event.preventDefault();
      const next = findNeighbour(node, event.key) ?? box;
      makeFocusable(next);
      next.focus();
    } else if (["Enter", " ", "Backspace"].includes(event.key)) {
      event.preventDefault();
      const target = event.key === "Backspace" ? openNode.parent : findTarget(node);
      if (!target) return;
      openAndTell(target);
      svg.querySelector("g.box")?.focus();
    }
  }
}
