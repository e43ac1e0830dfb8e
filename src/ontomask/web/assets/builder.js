// Building a taxonomy for a column: by hand, or from paths or prefixes in its values.

import { buildColumnPath, buildUrl, get, post } from "./api.js";
import { createProblemNote } from "./notes.js";
import { createOutlineEditor } from "./outline.js";
import { byId, h, setContent } from "./shared/elements.js";
import { formatCount } from "./shared/formats.js";
import { showMessage, showProblem } from "./shell.js";

const SEPARATORS = ["|", "/", ">", "::", ";", "\\", "."];
const MOST_VALUES = 5000; // asked for
const SAMPLE = 200; // values among which a separator is looked for

// onBuilt(column, taxonomy) saves what was built, and returns whether that went well.
// Returns {open(column, isNew)}.
export function createBuilder({ onBuilt, onClosed }) {
  let column = null;
  let textBefore = "";
  const editor = createOutlineEditor(byId("by-hand"), showMessage);
  for (const radio of document.querySelectorAll("input[name=how]")) {
    radio.addEventListener("change", showWay);
  }
  byId("builder-close").addEventListener("click", close);
  byId("builder-save").addEventListener("click", save);
  // The browser asks before unsaved changes are lost.
  addEventListener("beforeunload", (event) => {
    if (!byId("builder").hidden && editor.getText() !== textBefore) event.preventDefault();
  });
  return { open };

  async function open(name, isNew) {
    column = name;
    let values;
    let draft;
    try {
      ({ values } = await get(buildUrl(buildColumnPath(name, "values"), { limit: MOST_VALUES })));
      draft = await get(buildUrl(buildColumnPath(name, "outline"), { afresh: String(isNew) }));
    } catch (problem) {
      showProblem(problem);
      return;
    }
    byId("builder-title").textContent = isNew
      ? `Build a taxonomy for ${name}`
      : `Edit the taxonomy of ${name} (${draft.file})`;
    byId("meaning").classList.add("building");
    byId("builder").hidden = false;
    document.querySelector("input[name=how][value=outline]").checked = true;
    const examples = values.slice(0, 6).map(({ value }) => value).join(", ");
    byId("separator").value = guessSeparator(values);
    byId("builder-example").textContent = `Values: ${examples}${values.length > 6 ? " …" : ""}`;
    setContent(byId("builder-trouble"));
    editor.setText(draft.outline, new Map(values.map(({ value, records }) => [value, records])));
    textBefore = editor.getText();
    showWay();
    if (draft.left_over.length) showLeftOver(draft.left_over.map(({ value }) => value));
    byId("builder-title").focus();
  }

  function getWay() {
    return document.querySelector("input[name=how]:checked").value;
  }

  function showWay() {
    for (const part of document.querySelectorAll("[data-how]")) {
      part.hidden = part.dataset.how !== getWay();
    }
  }

  function close() {
    byId("meaning").classList.remove("building");
    byId("builder").hidden = true;
    onClosed();
  }

  async function save() {
    const how = getWay();
    const settings = {
      paths: () => ({ separator: byId("separator").value || null }),
      prefixes: () => ({ lengths: (byId("lengths").value.match(/\d+/g) ?? []).map(Number) }),
      outline: () => ({ outline: editor.getText() }),
    }[how]?.();
    byId("builder-save").disabled = true;
    setContent(byId("builder-trouble"));
    try {
      const taxonomy = await post("/api/taxonomies", { column, how, ...settings });
      if (await onBuilt(column, taxonomy)) close();
    } catch (problem) {
      setContent(byId("builder-trouble"), createProblemNote(problem));
      const line = /\bline (\d+)\b/.exec(problem.message);
      if (line) editor.markLine(Number(line[1]));
    } finally {
      byId("builder-save").disabled = false;
    }
  }

  function showLeftOver(values) {
    const count = formatCount(values.length, "value is", "values are");
    const names = `${values.slice(0, 8).join(", ")}${values.length > 8 ? " …" : ""}`;
    const addAll = () => {
      editor.addNames(values);
      setContent(byId("builder-trouble"));
    };
    const button = { type: "button", class: "plain", id: "add-lacking", on: { click: addAll } };
    setContent(
      byId("builder-trouble"),
      h(
        "div",
        { class: "note" },
        h("p", {}, `${count} not in the taxonomy: ${names}`),
        h("button", button, "Add them at the end"),
      ),
    );
  }
}

// The separator that most values contain.
function guessSeparator(values) {
  const sample = values.slice(0, SAMPLE);
  const isUsual = (separator) =>
    sample.filter(({ value }) => value.includes(separator)).length > sample.length / 2;
  return SEPARATORS.find(isUsual) ?? "/";
}
