// The same as commands: what gives the result of a screen outside of the workbench.

import { byId, h, setContent } from "./shared/elements.js";

export function showCommands({ shell = [], python = [] }) {
  const createPart = (title, lines) =>
    lines.length ? [h("h3", {}, title), h("pre", {}, h("code", {}, lines.join("\n")))] : [];
  setContent(byId("lines-body"), createPart("Shell", shell), createPart("Python", python));
}

export function quoteForShell(word) {
  const text = String(word);
  return /^[\w.,:=+/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export function quoteForPython(value) {
  if (typeof value === "boolean") return value ? "True" : "False";
  return JSON.stringify(value);
}
