// Building a taxonomy of a column's values: by hand, or as the values themselves say it.

import { get, post, query } from "./api.js";
import { byId, fill, h, many } from "./dom.js";
import { outlineEditor } from "./outline.js";
import { failed, say } from "./shell.js";

const SEPARATORS = ["|", "/", ">", "::", ";", "\\", "."];

// onDone(column, what was built) saves it, and says whether that went well.
export function builder({ onDone, onClosed }) {
  let column = null, begun = "";
  const editor = outlineEditor(byId("by-hand"), (words) => say(words));
  const how = () => document.querySelector("input[name=how]:checked").value;
  for (const radio of document.querySelectorAll("input[name=how]")) radio.addEventListener("change", showHow);
  byId("builder-close").addEventListener("click", close);
  byId("builder-save").addEventListener("click", save);
  // Whoever leaves is asked first.
  addEventListener("beforeunload", (event) => { if (!byId("builder").hidden && editor.text() !== begun) event.preventDefault(); });

  async function open(name, afresh) {
    column = name;
    let found, values;
    try {
      values = (await get(query(at("values"), { limit: 5000 }))).values;
      found = await get(query(at("outline"), { afresh: String(afresh) }));
    } catch (problem) { failed(problem); return; }
    byId("builder-title").textContent = afresh ? `A taxonomy from the values of ${name}` : `The taxonomy of ${name}, ${found.file}`;
    byId("meaning").classList.add("building");
    byId("builder").hidden = false;
    document.querySelector("input[name=how][value=outline]").checked = true;
    const some = values.slice(0, 200).map((it) => it.value);
    byId("separator").value = SEPARATORS.find((it) => some.filter((v) => v.includes(it)).length > some.length / 2) ?? "/";
    byId("builder-example").textContent = `Values: ${some.slice(0, 6).join(", ")}${values.length > 6 ? " …" : ""}`;
    fill(byId("builder-trouble"));
    editor.set(found.outline, new Map(values.map((it) => [it.value, it.records])));
    begun = editor.text();
    showHow();
    if (found.left_over.length) lacking(found.left_over, found.left_over.length);
    byId("builder-title").focus();
  }

  const at = (what) => `/api/columns/${encodeURIComponent(column)}/${what}`;

  function showHow() {
    for (const part of document.querySelectorAll("[data-how]")) part.hidden = part.dataset.how !== how();
  }

  function close() {
    byId("meaning").classList.remove("building");
    byId("builder").hidden = true;
    onClosed();
  }

  async function save() {
    const asked = { column, how: how() };
    if (asked.how === "paths") asked.separator = byId("separator").value || null;
    if (asked.how === "prefixes") asked.lengths = (byId("lengths").value.match(/\d+/g) ?? []).map(Number);
    if (asked.how === "outline") asked.outline = editor.text();
    byId("builder-save").disabled = true;
    fill(byId("builder-trouble"));
    try {
      const made = await post("/api/taxonomies", asked);
      if (await onDone(column, made)) close();
    } catch (problem) {
      fill(byId("builder-trouble"), h("div", { class: "note bad" }, h("p", {}, problem.message), problem.hint ? h("p", { class: "soft" }, problem.hint) : null));
      const line = /^line (\d+) of the outline/.exec(problem.message);
      if (line) editor.wrong(Number(line[1]));
    } finally {
      byId("builder-save").disabled = false;
    }
  }

  function lacking(left, total) {
    fill(byId("builder-trouble"), h("div", { class: "note" },
      h("p", {}, `${many(total, "value is", "values are")} not in it: ${left.slice(0, 8).map((it) => it.value).join(", ")}${left.length > 8 ? " …" : ""}`),
      h("button", { type: "button", class: "plain", id: "add-lacking", on: { click: () => { editor.add(left.map((it) => it.value)); fill(byId("builder-trouble")); } } }, "Add them at the end")));
  }

  return { open };
}
