// A taxonomy made by hand: a tree whose rows are dragged or moved by keys, and the same as text.

import { h, setContent } from "./shared/elements.js";
import { formatCount, formatInteger } from "./shared/formats.js";

const INDENT = "    ";
const MOST_ROWS = 3000; // of more, only the text is shown
const MOST_STEPS = 100; // that can be undone

// ---------------------------------------------------------------- text and tree

// The root of a tree of {name, children}; errors in the text are reported when it is saved.
function parseOutline(text) {
  const root = { name: "", children: [] };
  const above = [{ width: -1, node: root }];
  for (const line of text.split(/\r\n|\r|\n/)) {
    const name = line.trim();
    if (!name) continue;
    const space = line.slice(0, line.length - line.trimStart().length);
    const width = space.replaceAll("\t", INDENT).length;
    while (above.at(-1).width >= width) above.pop();
    const node = { name: unquoteName(name), children: [] };
    above.at(-1).node.children.push(node);
    above.push({ width, node });
  }
  return root;
}

function formatOutline(root) {
  const formatLines = (node, depth) => [
    INDENT.repeat(depth) + quoteName(node.name),
    ...node.children.flatMap((child) => formatLines(child, depth + 1)),
  ];
  return root.children.flatMap((child) => formatLines(child, 0)).join("\n");
}

// Names that a line cannot hold as they are: with space around them, a quote or a line break.
function quoteName(name) {
  // deno-lint-ignore no-control-regex
  const isOdd = name !== name.trim() || /^"|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/.test(name);
  return isOdd ? JSON.stringify(name) : name;
}

function unquoteName(text) {
  if (!text.startsWith('"')) return text;
  try {
    const name = JSON.parse(text);
    return typeof name === "string" && name.trim() ? name : text;
  } catch {
    return text;
  }
}

// All nodes below a node, in the order of the lines.
function listNodes(node) {
  return node.children.flatMap((child) => [child, ...listNodes(child)]);
}

function contains(node, inner) {
  return node === inner || node.children.some((child) => contains(child, inner));
}

// Those nodes that are not inside of another one of them.
function findOutermost(nodes) {
  return nodes.filter((node) => !nodes.some((other) => other !== node && contains(other, node)));
}

// ---------------------------------------------------------------- the editor

// onMessage(text) is called with what was done.
// Returns {setText(text, counts), getText(), addNames(names), markLine(number)}; counts: how many
// records have each value.
export function createOutlineEditor(place, onMessage) {
  let root = { name: "", children: [] };
  let counts = new Map();
  let isTyped = false; // whether it is shown as text
  let focusedNode = null;
  let selected = new Set();
  let visibleNodes = [];
  let undoSteps = [];
  const rowElements = new WeakMap();

  const tree = h("div", {
    class: "tree",
    role: "tree",
    "aria-label": "The taxonomy",
    "aria-multiselectable": "true",
    id: "tree",
    on: { keydown: handleTreeKey },
  });
  const textArea = h("textarea", {
    class: "code",
    id: "typed",
    spellcheck: "false",
    "aria-label": "The taxonomy as text: one name per line, children indented",
    on: { keydown: handleTextKey },
  });
  const treeTab = createButton("as-tree", "Tree", () => switchView(false));
  const textTab = createButton("as-text", "Text", () => switchView(true));
  const groupButton = createButton("new-group", "New group", addGroup);
  const renameButton = createButton("rename", "Rename", () => focusedNode && rename(focusedNode));
  const removeButton = createButton(
    "take-out",
    "Remove",
    () => focusedNode && takeOut(focusedNode),
  );
  const help = h("p", { class: "keys" });
  const tools = h("span", { class: "bar" }, groupButton, renameButton, removeButton);
  const tabs = h(
    "span",
    { class: "tabs", role: "group", "aria-label": "Shown as" },
    treeTab,
    textTab,
  );
  setContent(
    place,
    h("div", { class: "outline" }, h("div", { class: "bar" }, tabs, tools), tree, textArea, help),
  );
  return { setText, getText, addNames, markLine };

  function createButton(id, words, onClick) {
    return h("button", { type: "button", id, on: { click: onClick } }, words);
  }

  function setText(text, newCounts) {
    counts = newCounts;
    isTyped = false;
    setRoot(parseOutline(text));
    undoSteps = [];
    show();
  }

  function setRoot(newRoot) {
    root = newRoot;
    focusedNode = root.children[0] ?? null;
    selected = new Set();
  }

  function getText() {
    return isTyped ? textArea.value : formatOutline(root);
  }

  // Adds names at the end.
  function addNames(names) {
    if (isTyped) {
      textArea.value = [textArea.value.trimEnd(), ...names.map(quoteName)].join("\n");
      return;
    }
    storeStep();
    root.children.push(...names.map((name) => ({ name, children: [] })));
    show();
  }

  function switchView(toText) {
    if (toText === isTyped) return;
    if (toText) {
      textArea.value = formatOutline(root);
    } else {
      setRoot(parseOutline(textArea.value));
      undoSteps = [];
    }
    isTyped = toText;
    show();
    if (isTyped) textArea.focus();
    else focusRow(focusedNode);
  }

  // Marks the line that the workbench found wrong.
  function markLine(number) {
    if (isTyped) {
      const lines = textArea.value.split("\n");
      const start = lines.slice(0, number - 1).reduce((sum, line) => sum + line.length + 1, 0);
      textArea.focus();
      textArea.setSelectionRange(start, start + (lines[number - 1] ?? "").length);
      return;
    }
    const node = listNodes(root)[number - 1];
    if (!node) return;
    for (let parent = findParent(node); parent !== root; parent = findParent(parent)) {
      parent.isClosed = false;
    }
    focusedNode = node;
    show();
    getRow(node)?.classList.add("wrong");
    focusRow(node);
  }

  // -------------------------------------------------------------- showing it

  function show() {
    const isLarge = listNodes(root).length > MOST_ROWS;
    if (isLarge && !isTyped) {
      textArea.value = formatOutline(root);
      isTyped = true;
    }
    treeTab.disabled = isLarge;
    treeTab.setAttribute("aria-pressed", String(!isTyped));
    textTab.setAttribute("aria-pressed", String(isTyped));
    tree.hidden = isTyped;
    tools.hidden = isTyped;
    textArea.hidden = !isTyped;
    setContent(help, isTyped ? describeTextKeys(isLarge) : describeTreeKeys());
    if (!isTyped) showTree();
  }

  function showTree() {
    const listRows = (node, depth) => [
      { node, depth },
      ...(node.isClosed ? [] : node.children.flatMap((child) => listRows(child, depth + 1))),
    ];
    const rows = root.children.flatMap((child) => listRows(child, 0));
    visibleNodes = rows.map(({ node }) => node);
    if (!visibleNodes.includes(focusedNode)) focusedNode = visibleNodes[0] ?? null;
    const { scrollTop } = tree;
    const nothing = h(
      "p",
      { class: "soft" },
      "The taxonomy is empty. Add a group, or enter names as text.",
    );
    setContent(tree, rows.length ? rows.map(({ node, depth }) => createRow(node, depth)) : nothing);
    tree.scrollTop = scrollTop;
    showTools();
  }

  function showTools() {
    renameButton.disabled = !focusedNode;
    removeButton.disabled = !focusedNode;
  }

  function createRow(node, depth) {
    const { name, children, isClosed } = node;
    const isParent = children.length > 0;
    const records = counts.get(name);
    const isGroup = records === undefined;
    const count = isGroup
      ? `group of ${formatInteger(listNodes(node).length)}`
      : formatCount(records, "record");
    const row = h(
      "div",
      {
        class: isGroup ? "row group" : "row",
        role: "treeitem",
        style: `--depth: ${depth}`,
        tabindex: node === focusedNode ? "0" : "-1",
        "aria-level": depth + 1,
        "aria-expanded": isParent ? String(!isClosed) : null,
        "aria-selected": String(selected.has(node)),
        "data-name": name,
        "aria-label": `${name}, ${isGroup ? "a group" : count}`,
        on: {
          click: (event) => clickRow(node, event),
          dblclick: () => rename(node),
          pointerdown: (event) => startDrag(node, event),
          focus: () => {
            focusedNode = node;
          },
        },
      },
      h("span", { class: "grip", "aria-hidden": "true" }, "⠿"),
      isParent ? createFold(node) : h("span", { class: "fold" }),
      h("span", { class: "words", title: name }, name),
      h("span", { class: "count" }, count),
    );
    rowElements.set(node, row);
    return row;
  }

  function createFold(node) {
    return h("button", {
      type: "button",
      class: "fold",
      tabindex: "-1",
      "aria-label": `${node.isClosed ? "Open" : "Close"} ${node.name}`,
      on: {
        click: (event) => {
          event.stopPropagation();
          toggleFold(node);
        },
      },
    }, node.isClosed ? "▸" : "▾");
  }

  function toggleFold(node) {
    node.isClosed = !node.isClosed;
    focusedNode = node;
    show();
    focusRow(node);
  }

  function getRow(node) {
    return node ? rowElements.get(node) ?? null : null;
  }

  function findParent(node, from = root) {
    if (from.children.includes(node)) return from;
    return from.children.map((child) => findParent(node, child)).find(Boolean) ?? null;
  }

  function clickRow(node, event) {
    if (event.target.closest("input")) return;
    if (event.ctrlKey || event.metaKey) {
      toggleSelection(node);
    } else if (selected.size) {
      selected = new Set();
      focusedNode = node;
      show();
    }
    focusRow(node);
  }

  function toggleSelection(node) {
    if (!selected.delete(node)) selected.add(node);
    focusedNode = node;
    show();
  }

  function focusRow(node) {
    getRow(focusedNode)?.setAttribute("tabindex", "-1");
    focusedNode = node;
    getRow(node)?.setAttribute("tabindex", "0");
    getRow(node)?.focus();
    showTools();
  }

  // -------------------------------------------------------------- changing it

  function storeStep() {
    undoSteps.push(formatOutline(root));
    if (undoSteps.length > MOST_STEPS) undoSteps.shift();
  }

  function undo() {
    const text = undoSteps.pop();
    if (text === undefined) {
      onMessage("There is nothing to undo here.");
      return;
    }
    setRoot(parseOutline(text));
    show();
    focusRow(focusedNode);
    onMessage("Undone.");
  }

  // Puts a node below a parent, at an index; a copy of it where it stays in its old place as well.
  // Returns whether that is possible.
  function moveNode(node, parent, index, isCopy = false) {
    if (parent !== root && contains(node, parent)) return false;
    let moved = node;
    let target = index;
    if (isCopy) {
      moved = { name: node.name, children: [] };
    } else {
      const oldParent = findParent(node);
      const oldIndex = oldParent.children.indexOf(node);
      oldParent.children.splice(oldIndex, 1);
      if (oldParent === parent && oldIndex < index) target -= 1;
    }
    parent.children.splice(target, 0, moved);
    parent.isClosed = false;
    focusedNode = moved;
    return true;
  }

  function showMoved(message) {
    show();
    focusRow(focusedNode);
    getRow(focusedNode)?.scrollIntoView({ block: "nearest" });
    onMessage(message);
  }

  function describePlace(parent) {
    return parent === root ? "at the top" : `under ${parent.name}`;
  }

  function moveByKey(node, key) {
    const parent = findParent(node);
    const siblings = parent.children;
    const index = siblings.indexOf(node);
    const previous = siblings[index - 1];
    const above = parent === root ? null : findParent(parent);
    const [isPossible, target, targetIndex, words] = {
      ArrowUp: () => [index > 0, parent, index - 1, "moved up"],
      ArrowDown: () => [index < siblings.length - 1, parent, index + 2, "moved down"],
      ArrowRight: () => [previous, previous, previous?.children.length],
      ArrowLeft: () => [above, above, above?.children.indexOf(parent) + 1],
    }[key]();
    if (!isPossible) return;
    storeStep();
    moveNode(node, target, targetIndex);
    showMoved(`${node.name} ${words ?? `is now ${describePlace(target)}`}.`);
  }

  function handleTreeKey(event) {
    const node = focusedNode;
    if (!node || event.target.closest("input")) return;
    const hasControl = event.ctrlKey || event.metaKey;
    if (hasControl && event.key.toLowerCase() === "z") {
      event.preventDefault();
      event.stopPropagation();
      undo();
    } else if (event.altKey && event.key.startsWith("Arrow")) {
      event.preventDefault();
      moveByKey(node, event.key);
    } else if (!hasControl && !event.altKey) {
      const action = findKeyAction(node, event.key);
      if (!action) return;
      event.preventDefault();
      action();
    }
  }

  function findKeyAction(node, key) {
    const index = visibleNodes.indexOf(node);
    const isParent = node.children.length > 0;
    const focusIfAny = (target) => target && focusRow(target);
    return {
      ArrowDown: () => focusIfAny(visibleNodes[index + 1]),
      ArrowUp: () => focusIfAny(visibleNodes[index - 1]),
      Home: () => focusRow(visibleNodes[0]),
      End: () => focusRow(visibleNodes.at(-1)),
      ArrowRight: () => {
        if (isParent && node.isClosed) toggleFold(node);
        else focusIfAny(node.children[0]);
      },
      ArrowLeft: () => {
        if (isParent && !node.isClosed) toggleFold(node);
        else if (findParent(node) !== root) focusRow(findParent(node));
      },
      " ": () => {
        toggleSelection(node);
        focusRow(node);
      },
      F2: () => rename(node),
      Enter: () => rename(node),
      Delete: () => takeOut(node),
    }[key];
  }

  // A group of the rows that are selected, or an empty one beside the row that has the focus.
  function addGroup() {
    storeStep();
    const members = findOutermost(visibleNodes.filter((node) => selected.has(node)));
    const first = members[0] ?? focusedNode;
    const parent = first ? findParent(first) : root;
    const group = { name: findFreeName("new group"), children: [] };
    parent.children.splice(first ? parent.children.indexOf(first) : 0, 0, group);
    for (const node of members) moveNode(node, group, group.children.length);
    selected = new Set();
    focusedNode = group;
    show();
    rename(group);
  }

  function findFreeName(name) {
    const taken = new Set(listNodes(root).map((node) => node.name));
    let freeName = name;
    for (let n = 2; taken.has(freeName); n += 1) freeName = `${name} ${n}`;
    return freeName;
  }

  function rename(node) {
    focusedNode = node;
    const place = getRow(node)?.querySelector(".words");
    if (!place) return;
    let isDone = false;
    const finish = (name) => {
      if (isDone) return;
      isDone = true;
      const newName = name?.trim();
      if (newName && newName !== node.name) {
        storeStep();
        node.name = newName;
      }
      show();
      focusRow(node);
    };
    const input = h("input", {
      value: node.name,
      "aria-label": `New name of ${node.name}`,
      on: {
        keydown: (event) => {
          event.stopPropagation();
          if (event.key === "Enter") finish(input.value);
          else if (event.key === "Escape") finish(null);
        },
        blur: () => finish(input.value),
      },
    });
    setContent(place, input);
    input.focus();
    input.select();
  }

  // The children of a removed row move up.
  function takeOut(node) {
    storeStep();
    const parent = findParent(node);
    const siblings = parent.children;
    const index = siblings.indexOf(node);
    siblings.splice(index, 1, ...node.children);
    selected.delete(node);
    focusedNode = siblings[index] ?? siblings[index - 1] ?? (parent === root ? null : parent);
    show();
    focusRow(focusedNode);
    onMessage(`${node.name} was removed.`);
  }

  // Tab indents lines; after Escape it leaves the text, as it does elsewhere.
  function handleTextKey(event) {
    if (event.key === "Escape") {
      textArea.dataset.leave = "yes";
    } else if (event.key === "Tab" && !textArea.dataset.leave) {
      event.preventDefault();
      indentLines(event.shiftKey);
    } else if (event.key !== "Shift") {
      delete textArea.dataset.leave;
    }
  }

  function indentLines(isBack) {
    const { selectionStart, selectionEnd, value } = textArea;
    const start = value.lastIndexOf("\n", selectionStart - 1) + 1;
    const text = value.slice(start, selectionEnd)
      .split("\n")
      .map((line) => isBack ? line.replace(/^( {1,4}|\t)/, "") : INDENT + line)
      .join("\n");
    textArea.setRangeText(text, start, selectionEnd, "end");
    if (selectionStart !== selectionEnd) textArea.setSelectionRange(start, start + text.length);
  }

  // -------------------------------------------------------------- dragging

  function startDrag(node, event) {
    if (event.button || event.target.closest("button, input")) return;
    if (event.pointerType === "touch" && !event.target.closest(".grip")) return; // fingers scroll
    const [startX, startY] = [event.clientX, event.clientY];
    const dragged = selected.has(node) ? visibleNodes.filter((row) => selected.has(row)) : [node];
    let target = null;
    const move = (pointer) => {
      if (!tree.classList.contains("dragging")) {
        if (Math.hypot(pointer.clientX - startX, pointer.clientY - startY) < 6) return;
        tree.classList.add("dragging");
        for (const row of dragged) getRow(row)?.classList.add("moving");
      }
      pointer.preventDefault();
      clearClasses("over", "before", "after");
      target = findDropTarget(pointer, dragged);
      if (target) getRow(target.node).classList.add(target.how);
      scrollAtEdge(pointer.clientY);
    };
    const end = (pointer) => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
      removeEventListener("keydown", cancel, true);
      const wasDragging = tree.classList.contains("dragging");
      tree.classList.remove("dragging");
      clearClasses("over", "before", "after", "moving");
      if (!wasDragging) return;
      // The click that a drag ends with is none; others, outside of the tree, are.
      tree.addEventListener("click", stopEvent, { capture: true, once: true });
      setTimeout(() => tree.removeEventListener("click", stopEvent, true), 50);
      if (pointer.type === "pointerup" && target) {
        dropNodes(dragged, target, pointer.ctrlKey || pointer.metaKey);
      }
    };
    const cancel = (pressed) => {
      if (pressed.key === "Escape") end(pressed);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
    addEventListener("keydown", cancel, true);
  }

  function clearClasses(...classes) {
    for (const row of tree.querySelectorAll(".row")) row.classList.remove(...classes);
  }

  function scrollAtEdge(y) {
    const { top, bottom } = tree.getBoundingClientRect();
    if (y < top + 24) tree.scrollTop -= 12;
    else if (y > bottom - 24) tree.scrollTop += 12;
  }

  // The row that something would be dropped at: over it, before it or after it.
  function findDropTarget({ clientX, clientY }, dragged) {
    const row = document.elementFromPoint(clientX, clientY)?.closest(".row");
    const node = row && visibleNodes.find((other) => getRow(other) === row);
    if (!node || dragged.some((other) => contains(other, node))) return null;
    const { top, height } = row.getBoundingClientRect();
    const share = (clientY - top) / height;
    return { node, how: share < 0.25 ? "before" : share > 0.75 ? "after" : "over" };
  }

  function dropNodes(dragged, { node, how }, isCopy) {
    storeStep();
    const outermost = findOutermost(dragged);
    const parent = how === "over" ? node : findParent(node);
    let last = null;
    for (const moved of outermost) {
      let index = parent.children.length;
      if (how !== "over") {
        index = last
          ? parent.children.indexOf(last) + 1
          : parent.children.indexOf(node) + (how === "after" ? 1 : 0);
      }
      if (moveNode(moved, parent, index, isCopy)) last = focusedNode;
    }
    selected = new Set();
    const subject = outermost.length === 1
      ? `${outermost[0].name} is`
      : `${formatCount(outermost.length, "row")} are`;
    showMoved(`${subject} now ${describePlace(parent)}.`);
  }
}

function stopEvent(event) {
  event.stopPropagation();
}

// ---------------------------------------------------------------- help

function createKey(name) {
  return h("kbd", {}, name);
}

function describeTextKeys(isLarge) {
  return [
    isLarge ? "A taxonomy of this size is shown as text only. " : "",
    "Write one name per line, and indent the children of a concept. ",
    "A name may appear under several parents. ",
    createKey("Tab"),
    " indents the selected lines; ",
    createKey("Esc"),
    " and then ",
    createKey("Tab"),
    " leaves the text field.",
  ];
}

function describeTreeKeys() {
  return [
    "Drag a row onto another row to make it a child of that row. Hold ",
    createKey("Ctrl"),
    " to keep it in its old place as well, so that it has two parents. Keys: ",
    createKey("Alt"),
    " with an arrow key moves a row up, down, in ",
    createKey("→"),
    " or out ",
    createKey("←"),
    "; ",
    createKey("Space"),
    " selects rows, ",
    createKey("F2"),
    " renames, ",
    createKey("Del"),
    " removes, ",
    createKey("Ctrl+Z"),
    " undoes.",
  ];
}
