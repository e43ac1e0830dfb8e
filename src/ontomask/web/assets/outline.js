// A taxonomy made by hand: a tree whose rows are dragged or moved by keys, and the same as typed text.

import { fill, h, many, whole } from "./dom.js";

const STEP = "    ";
const MOST_ROWS = 3000; // of more, only the text is shown
const MOST_STEPS = 100;

// ---------------------------------------------------------------- text and tree

// Nodes {name, children} from an outline; what is wrong with it is said when it is saved.
function parsed(text) {
  const top = { name: "", children: [] };
  const above = [{ width: -1, node: top }];
  for (const raw of text.split(/\r\n|\r|\n/)) {
    const name = raw.trim();
    if (!name) continue;
    const width = raw.slice(0, raw.length - raw.trimStart().length).replaceAll("\t", STEP).length;
    while (above.at(-1).width >= width) above.pop();
    const node = { name: unquoted(name), children: [] };
    above.at(-1).node.children.push(node);
    above.push({ width, node });
  }
  return top;
}

export function written(top) {
  const lines = [];
  const walk = (node, depth) => {
    lines.push(STEP.repeat(depth) + quoted(node.name));
    for (const child of node.children) walk(child, depth + 1);
  };
  for (const child of top.children) walk(child, 0);
  return lines.join("\n");
}

function quoted(name) {
  return name !== name.trim() || name.startsWith('"') || /[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/.test(name) ? JSON.stringify(name) : name;
}

function unquoted(name) {
  if (!name.startsWith('"')) return name;
  try { const read = JSON.parse(name); return typeof read === "string" && read.trim() ? read : name; } catch { return name; }
}

// ---------------------------------------------------------------- the editor

// Returns {set(text), text(), add(names), wrong(line)}; counts: how many records hold each value.
export function outlineEditor(place, say) {
  let top = { name: "", children: [] }, counts = new Map(), typed = false;
  let here = null, chosen = new Set(), rows = [], steps = [];

  const tree = h("div", { class: "tree", role: "tree", "aria-label": "The taxonomy", "aria-multiselectable": "true", id: "tree" });
  const area = h("textarea", { class: "code", id: "typed", spellcheck: "false", "aria-label": "The taxonomy as text: one name per line, children indented" });
  const asTree = h("button", { type: "button", id: "as-tree", on: { click: () => turn(false) } }, "Tree");
  const asText = h("button", { type: "button", id: "as-text", on: { click: () => turn(true) } }, "Typed");
  const group = h("button", { type: "button", id: "new-group", on: { click: newGroup } }, "New group");
  const rename = h("button", { type: "button", id: "rename", on: { click: () => here && beginRename(here) } }, "Rename");
  const out = h("button", { type: "button", id: "take-out", on: { click: () => here && takeOut(here) } }, "Take out");
  const keysHelp = h("p", { class: "keys" });
  const tools = h("span", { class: "bar" }, group, rename, out);
  fill(place, h("div", { class: "outline" },
    h("div", { class: "bar" }, h("span", { class: "tabs", role: "group", "aria-label": "Shown as" }, asTree, asText), tools), tree, area, keysHelp));
  area.addEventListener("keydown", indent);
  tree.addEventListener("keydown", keys);

  function set(text, held = new Map()) {
    counts = held;
    top = parsed(text);
    here = top.children[0] ?? null;
    chosen = new Set();
    steps = [];
    typed = false;
    show();
  }

  const text = () => (typed ? area.value : written(top));

  // Names that stand nowhere yet, at the end.
  function add(names) {
    if (typed) { area.value = [area.value.trimEnd(), ...names.map(quoted)].join("\n"); return; }
    keep();
    top.children.push(...names.map((name) => ({ name, children: [] })));
    show();
  }

  function turn(to) {
    if (to === typed) return;
    if (to) area.value = written(top);
    else { top = parsed(area.value); here = top.children[0] ?? null; chosen = new Set(); steps = []; }
    typed = to;
    show();
    (typed ? area : rowOf(here))?.focus();
  }

  // Mark the line that the workbench found wrong.
  function wrong(line) {
    if (typed) {
      const before = area.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
      area.focus();
      area.setSelectionRange(before, before + (area.value.split("\n")[line - 1] ?? "").length);
      return;
    }
    const all = [];
    const walk = (node) => { all.push(node); node.children.forEach(walk); };
    top.children.forEach(walk);
    const node = all[line - 1];
    if (!node) return;
    for (let above = parentOf(node); above !== top; above = parentOf(above)) above.closed = false;
    here = node;
    show();
    rowOf(node)?.classList.add("wrong");
    rowOf(node)?.focus();
  }

  // -------------------------------------------------------------- showing it

  function size(node) { return node.children.reduce((sum, it) => sum + 1 + size(it), 0); }

  function show() {
    const large = size(top) > MOST_ROWS;
    if (large && !typed) { area.value = written(top); typed = true; }
    asTree.disabled = large;
    asTree.setAttribute("aria-pressed", String(!typed));
    asText.setAttribute("aria-pressed", String(typed));
    tree.hidden = tools.hidden = typed;
    area.hidden = !typed;
    fill(keysHelp, typed
      ? [large ? "So many rows are shown as text alone. " : "", "One name per line; what is indented is a kind of what is above. A name below several others has several parents. ", h("kbd", {}, "Tab"), " indents the lines that are marked, ", h("kbd", {}, "Esc"), " then ", h("kbd", {}, "Tab"), " leaves the text."]
      : ["Drag a row onto another to put it below; with ", h("kbd", {}, "Ctrl"), " it stays where it is as well, and has two parents. Keys: ", h("kbd", {}, "Alt"), " with an arrow moves a row up, down, in ", h("kbd", {}, "→"), " or out ", h("kbd", {}, "←"), "; ", h("kbd", {}, "Space"), " marks rows, ", h("kbd", {}, "F2"), " renames, ", h("kbd", {}, "Del"), " takes out, ", h("kbd", {}, "Ctrl+Z"), " undoes."]);
    if (typed) return;
    rows = [];
    const list = [];
    const walk = (node, depth) => {
      rows.push(node);
      list.push(row(node, depth));
      if (!node.closed) for (const child of node.children) walk(child, depth + 1);
    };
    for (const child of top.children) walk(child, 0);
    if (!rows.includes(here)) here = rows[0] ?? null;
    const scroll = tree.scrollTop;
    fill(tree, list.length ? list : h("p", { class: "soft" }, "Nothing yet: make a group, or type names."));
    tree.scrollTop = scroll;
    rename.disabled = out.disabled = !here;
  }

  function row(node, depth) {
    const parent = node.children.length > 0;
    const records = counts.get(node.name);
    const fold = parent
      ? h("button", { type: "button", class: "fold", tabindex: "-1", "aria-label": node.closed ? `Open ${node.name}` : `Close ${node.name}`, on: { click: (event) => { event.stopPropagation(); node.closed = !node.closed; here = node; show(); rowOf(node).focus(); } } }, node.closed ? "▸" : "▾")
      : h("span", { class: "fold" });
    const made = h("div", {
      class: records === undefined ? "row group" : "row", role: "treeitem", style: `--depth: ${depth}`, tabindex: node === here ? "0" : "-1",
      "aria-level": depth + 1, "aria-expanded": parent ? String(!node.closed) : null, "aria-selected": String(chosen.has(node)), "data-name": node.name,
      "aria-label": `${node.name}, ${records === undefined ? "a group" : many(records, "record")}`,
      on: { click: (event) => choose(node, event), dblclick: () => beginRename(node), pointerdown: (event) => grab(node, event), focus: () => { here = node; } },
    }, h("span", { class: "grip", "aria-hidden": "true" }, "⠿"), fold, h("span", { class: "words", title: node.name }, node.name),
    h("span", { class: "count" }, records === undefined ? `group of ${whole(size(node))}` : many(records, "record")));
    node.row = made;
    return made;
  }

  const rowOf = (node) => node?.row ?? null;

  function parentOf(node, from = top) {
    if (from.children.includes(node)) return from;
    for (const child of from.children) { const found = parentOf(node, child); if (found) return found; }
    return null;
  }

  function inside(node, outer) {
    return node === outer || outer.children.some((it) => inside(node, it));
  }

  function choose(node, event) {
    if (event.target.closest("input")) return;
    if (event.ctrlKey || event.metaKey) toggle(node); else if (chosen.size) { chosen = new Set(); here = node; show(); } else focusRow(node);
    rowOf(node)?.focus();
  }

  function toggle(node) {
    if (chosen.has(node)) chosen.delete(node); else chosen.add(node);
    here = node;
    show();
  }

  function focusRow(node) {
    rowOf(here)?.setAttribute("tabindex", "-1");
    here = node;
    rowOf(node)?.setAttribute("tabindex", "0");
    rowOf(node)?.focus();
    rename.disabled = out.disabled = !here;
  }

  // -------------------------------------------------------------- changing it

  function keep() {
    steps.push(written(top));
    if (steps.length > MOST_STEPS) steps.shift();
  }

  function back() {
    const before = steps.pop();
    if (before === undefined) { say("There is nothing to undo here."); return; }
    top = parsed(before);
    chosen = new Set();
    here = top.children[0] ?? null;
    show();
    rowOf(here)?.focus();
    say("Undone.");
  }

  // Put a node below a parent, at a place; with `also` it stays where it was, too.
  function move(node, parent, at, also = false) {
    if (parent !== top && inside(parent, node)) return false;
    let moved = node;
    if (also) moved = { name: node.name, children: [] };
    else {
      const old = parentOf(node), was = old.children.indexOf(node);
      old.children.splice(was, 1);
      if (old === parent && was < at) at -= 1;
    }
    parent.children.splice(at, 0, moved);
    parent.closed = false;
    here = moved;
    return true;
  }

  function moved(words) {
    show();
    rowOf(here)?.focus();
    rowOf(here)?.scrollIntoView({ block: "nearest" });
    say(words);
  }

  function byKey(node, way) {
    const parent = parentOf(node), at = parent.children.indexOf(node);
    const previous = parent.children[at - 1];
    if (way === "ArrowUp" && at > 0) { keep(); move(node, parent, at - 1); moved(`${node.name} moved up.`); }
    else if (way === "ArrowDown" && at < parent.children.length - 1) { keep(); move(node, parent, at + 2); moved(`${node.name} moved down.`); }
    else if (way === "ArrowRight" && previous) { keep(); move(node, previous, previous.children.length); moved(`${node.name} is now below ${previous.name}.`); }
    else if (way === "ArrowLeft" && parent !== top) {
      const above = parentOf(parent);
      keep();
      move(node, above, above.children.indexOf(parent) + 1);
      moved(above === top ? `${node.name} is now at the top.` : `${node.name} is now below ${above.name}.`);
    }
  }

  function keys(event) {
    if (event.target.closest("input")) return;
    const node = here;
    if (!node) return;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") { event.preventDefault(); event.stopPropagation(); back(); return; }
    if (event.altKey && event.key.startsWith("Arrow")) { event.preventDefault(); byKey(node, event.key); return; }
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const at = rows.indexOf(node);
    const does = {
      ArrowDown: () => rows[at + 1] && focusRow(rows[at + 1]),
      ArrowUp: () => rows[at - 1] && focusRow(rows[at - 1]),
      Home: () => focusRow(rows[0]),
      End: () => focusRow(rows.at(-1)),
      ArrowRight: () => { if (node.closed && node.children.length) { node.closed = false; show(); rowOf(node).focus(); } else if (node.children.length) focusRow(node.children[0]); },
      ArrowLeft: () => { if (!node.closed && node.children.length) { node.closed = true; show(); rowOf(node).focus(); } else if (parentOf(node) !== top) focusRow(parentOf(node)); },
      " ": () => { toggle(node); rowOf(node).focus(); },
      F2: () => beginRename(node),
      Enter: () => beginRename(node),
      Delete: () => takeOut(node),
    }[event.key];
    if (!does) return;
    event.preventDefault();
    does();
  }

  // A group of the rows that are marked, or an empty one beside the row that has the focus.
  function newGroup() {
    keep();
    const some = rows.filter((it) => chosen.has(it) && !rows.some((other) => other !== it && chosen.has(other) && inside(it, other)));
    const first = some[0] ?? here;
    const parent = first ? parentOf(first) : top;
    const made = { name: freeName("new group"), children: [] };
    parent.children.splice(first ? parent.children.indexOf(first) : 0, 0, made);
    for (const node of some) move(node, made, made.children.length);
    chosen = new Set();
    here = made;
    show();
    beginRename(made);
  }

  function freeName(name) {
    const taken = new Set();
    const walk = (node) => { taken.add(node.name); node.children.forEach(walk); };
    walk(top);
    let found = name;
    for (let n = 2; taken.has(found); n += 1) found = `${name} ${n}`;
    return found;
  }

  function beginRename(node) {
    here = node;
    const place = rowOf(node)?.querySelector(".words");
    if (!place) return;
    let done = false;
    const end = (name) => {
      if (done) return;
      done = true;
      const plain = name?.trim();
      if (plain && plain !== node.name) { keep(); node.name = plain; }
      show();
      rowOf(node)?.focus();
    };
    const input = h("input", {
      value: node.name, "aria-label": `Another name for ${node.name}`,
      on: {
        keydown: (event) => { event.stopPropagation(); if (event.key === "Enter") end(input.value); else if (event.key === "Escape") end(null); },
        blur: () => end(input.value),
      },
    });
    fill(place, input);
    input.focus();
    input.select();
  }

  // What is below a row that is taken out moves up.
  function takeOut(node) {
    keep();
    const parent = parentOf(node), at = parent.children.indexOf(node);
    parent.children.splice(at, 1, ...node.children);
    chosen.delete(node);
    here = parent.children[at] ?? parent.children[at - 1] ?? (parent === top ? top.children[0] : parent) ?? null;
    show();
    rowOf(here)?.focus();
    say(`${node.name} was taken out.`);
  }

  function indent(event) {
    if (event.key === "Escape") { area.dataset.leave = "yes"; return; }
    if (event.key !== "Tab" || area.dataset.leave) { if (event.key !== "Shift") delete area.dataset.leave; return; }
    event.preventDefault();
    const { selectionStart: from, selectionEnd: to, value } = area;
    const start = value.lastIndexOf("\n", from - 1) + 1;
    const lines = value.slice(start, to).split("\n");
    const changed = lines.map((line) => (event.shiftKey ? line.replace(/^( {1,4}|\t)/, "") : STEP + line)).join("\n");
    area.setRangeText(changed, start, to, "end");
    if (from !== to) area.setSelectionRange(start, start + changed.length);
  }

  // -------------------------------------------------------------- dragging

  function grab(node, event) {
    if (event.button || event.target.closest("button, input")) return;
    if (event.pointerType === "touch" && !event.target.closest(".grip")) return; // fingers scroll elsewhere
    const start = { x: event.clientX, y: event.clientY };
    const mine = chosen.has(node) ? rows.filter((it) => chosen.has(it)) : [node];
    let target = null;
    const clear = () => { for (const it of tree.querySelectorAll(".over, .before, .after")) it.classList.remove("over", "before", "after"); };
    const go = (at) => {
      if (!tree.classList.contains("dragging")) {
        if (Math.hypot(at.clientX - start.x, at.clientY - start.y) < 6) return;
        tree.classList.add("dragging");
        for (const it of mine) rowOf(it)?.classList.add("moving");
      }
      at.preventDefault();
      clear();
      target = over(at, mine);
      if (target) rowOf(target.node).classList.add(target.how);
      const edge = tree.getBoundingClientRect();
      if (at.clientY < edge.top + 24) tree.scrollTop -= 12; else if (at.clientY > edge.bottom - 24) tree.scrollTop += 12;
    };
    const end = (at) => {
      removeEventListener("pointermove", go);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
      removeEventListener("keydown", escape, true);
      const dragged = tree.classList.contains("dragging");
      tree.classList.remove("dragging");
      clear();
      for (const it of tree.querySelectorAll(".moving")) it.classList.remove("moving");
      if (!dragged) return;
      // The click that a drag ends with is none; others, outside of the tree, are.
      tree.addEventListener("click", stopClick, { capture: true, once: true });
      setTimeout(() => tree.removeEventListener("click", stopClick, true), 50);
      if (at.type === "pointerup" && target) drop(mine, target, at.ctrlKey || at.metaKey);
    };
    const escape = (pressed) => { if (pressed.key === "Escape") end({ type: "escape" }); };
    addEventListener("pointermove", go);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
    addEventListener("keydown", escape, true);
  }

  function stopClick(event) { event.stopPropagation(); }

  // The row that something would be dropped at: on it, before it or after it.
  function over(at, mine) {
    const found = document.elementFromPoint(at.clientX, at.clientY)?.closest(".row");
    const node = found && rows.find((it) => it.row === found);
    if (!node || mine.some((it) => inside(node, it))) return null;
    const edge = found.getBoundingClientRect();
    const part = (at.clientY - edge.top) / edge.height;
    return { node, how: part < 0.25 ? "before" : part > 0.75 ? "after" : "over" };
  }

  function drop(mine, { node, how }, also) {
    keep();
    const outer = mine.filter((it) => !mine.some((other) => other !== it && inside(it, other)));
    let last = null;
    for (const it of outer) {
      const parent = how === "over" ? node : parentOf(node);
      const at = how === "over" ? parent.children.length : last ? parent.children.indexOf(last) + 1 : parent.children.indexOf(node) + (how === "after" ? 1 : 0);
      if (move(it, parent, at, also)) last = here;
    }
    chosen = new Set();
    const parent = how === "over" ? node : parentOf(node);
    moved(`${outer.length === 1 ? outer[0].name : many(outer.length, "row")} ${outer.length === 1 ? "is" : "are"} now ${parent === top ? "at the top" : `below ${parent.name}`}.`);
  }

  return { set, text, add, wrong };
}
