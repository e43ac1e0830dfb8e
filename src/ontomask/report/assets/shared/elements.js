// Creating elements. Whatever comes from data becomes text here, never markup.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
const PROPERTIES = ["value", "checked", "selected"]; // set on the element, not as attributes

export function byId(id) {
  return document.getElementById(id);
}

// An HTML element, as in hyperscript: h("button", {class: "plain", on: {click: f}}, "text", child)
export function h(tag, attributes = {}, ...children) {
  return equipElement(document.createElement(tag), attributes, children);
}

// The same for SVG.
export function s(tag, attributes = {}, ...children) {
  return equipElement(document.createElementNS(SVG_NAMESPACE, tag), attributes, children);
}

// Replace everything inside an element. Children may be nested lists; null and false are skipped.
export function setContent(element, ...children) {
  element.replaceChildren(...flattenChildren(children));
  return element;
}

function equipElement(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (isAbsent(value)) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) {
        element.addEventListener(event, listener);
      }
    } else if (PROPERTIES.includes(name)) {
      element[name] = value;
    } else {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...flattenChildren(children));
  return element;
}

function flattenChildren(children) {
  return children.flat(Infinity).filter((child) => !isAbsent(child));
}

function isAbsent(value) {
  return value === null || value === undefined || value === false;
}
