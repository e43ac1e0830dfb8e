// Making elements, and writing numbers. Whatever comes from data is text here, never markup.

const SVG = "http://www.w3.org/2000/svg";

// h("button", {class: "plain", on: {click: f}}, "words", another element)
export function h(tag, attributes = {}, ...children) {
  return made(document.createElement(tag), attributes, children);
}

// The same for drawings.
export function s(tag, attributes = {}, ...children) {
  return made(document.createElementNS(SVG, tag), attributes, children);
}

function made(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, f] of Object.entries(value)) element.addEventListener(event, f);
    } else if (name === "value" || name === "checked" || name === "selected") {
      element[name] = value;
    } else {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.flat(Infinity).filter((it) => it !== null && it !== undefined && it !== false));
  return element;
}

// Put something in the place of all that is in an element.
export function fill(place, ...children) {
  place.replaceChildren(...children.flat(Infinity).filter((it) => it !== null && it !== undefined && it !== false));
  return place;
}

export function byId(id) {
  return document.getElementById(id);
}

// 12,345
export function whole(n) {
  return n === null || n === undefined ? "–" : Math.round(n).toLocaleString("en");
}

// A share as 12.3 %; only all of them are 100 %, only none is 0 %.
export function percent(share) {
  if (share === null || share === undefined) return "–";
  const p = 100 * share;
  if (p > 0 && p < 0.1) return "< 0.1 %";
  if (p < 100 && p > 99.9) return "> 99.9 %";
  return `${p.toFixed(p === 0 || p === 100 ? 0 : 1)} %`;
}

// Three digits that count.
export function figure(x) {
  if (x === null || x === undefined) return "–";
  if (typeof x !== "number") return String(x);
  if (Number.isInteger(x) || Math.abs(x) >= 1000) return Math.round(x).toLocaleString("en");
  return String(Number(x.toPrecision(3)));
}

// 1.2 MB
export function size(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  for (const [unit, much] of [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]]) {
    if (bytes >= much) return `${(bytes / much).toFixed(bytes >= 10 * much ? 0 : 1)} ${unit}`;
  }
  return "";
}

// One record, two records.
export function many(n, one, several = `${one}s`) {
  return `${whole(n)} ${n === 1 ? one : several}`;
}

// A label in as many lines as there is room for; what is left over ends in dots.
export function wrapped(text, letters, room) {
  const lines = [];
  let left = text;
  while (left && lines.length < room && letters > 1) {
    if (left.length <= letters) { lines.push(left); break; }
    const last = lines.length === room - 1;
    const space = left.lastIndexOf(" ", letters);
    const cut = last ? letters - 1 : space > 0 ? space : letters;
    lines.push(left.slice(0, cut).trimEnd() + (last ? "…" : ""));
    left = left.slice(cut).trimStart();
  }
  return lines;
}
