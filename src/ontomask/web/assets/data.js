// The Data screen: choose a table and see its columns.

import { get, post } from "./api.js";
import { quoteForPython, quoteForShell, showCommands } from "./commands.js";
import { createProblemNote } from "./notes.js";
import { byId, h, setContent } from "./shared/elements.js";
import { formatBytes, formatCount, formatInteger } from "./shared/formats.js";
import { onSession, reloadSession, session, showMessage, showProblem } from "./shell.js";
import { storeFile } from "./uploads.js";

const FREQUENT_VALUES = 3; // of a column are shown

let shownTable = null; // the table whose columns are shown

onSession(async (current) => {
  byId("limit").textContent = formatBytes(current.largest_upload);
  showTrouble(current.not_opened);
  const table = current.data ?? "patients.csv";
  showCommands({
    shell: [`ontomask init ${quoteForShell(table)} --output proposed.yaml`],
    python: [
      "from ontomask.releasefile.profile.table_profile import profile",
      `profile(${quoteForPython(table)})`,
    ],
  });
  if (current.opening) return;
  await Promise.all([showFiles(), current.data ? showTable(current) : null]);
});

function showTrouble(problem) {
  const note = problem ? createProblemNote(problem, "The table cannot be opened.") : null;
  setContent(byId("trouble"), note);
}

// ---------------------------------------------------------------- files

async function showFiles() {
  const { folder, tables, open } = await get("/api/files");
  byId("folder").textContent = folder;
  const nothing = "This folder contains no tables yet. Upload one, or copy it into the folder.";
  setContent(
    byId("files"),
    tables.length
      ? tables.map((file) => createFileItem(file, file.name === open))
      : h("li", { class: "soft" }, nothing),
  );
}

function createFileItem({ name, bytes }, isOpen) {
  return h(
    "li",
    {},
    h(
      "button",
      {
        type: "button",
        "data-open": name,
        "aria-current": isOpen ? "true" : null,
        on: { click: () => openFile(name) },
      },
      h("span", { class: "name" }, name),
      h("span", { class: "soft small" }, formatBytes(bytes)),
      isOpen ? h("span", { class: "tag" }, "open") : null,
    ),
  );
}

async function openFile(file) {
  setBusy(true);
  showTrouble(null);
  const opening = post("/api/data", { file, ...readOptions() });
  setTimeout(() => reloadSession().catch(() => {}), 150); // the frame shows what is being done
  try {
    const before = session.fields.data;
    await opening;
    const replaced = before && before !== file
      ? ` ${session.file} now describes this table; press Undo to return to ${before}.`
      : "";
    showMessage(`${file} is open.${replaced}`, "good");
  } catch (problem) {
    showTrouble(problem);
  } finally {
    setBusy(false);
    shownTable = null;
    await reloadSession();
    await showFiles();
  }
}

// The reading options that the user has set.
function readOptions() {
  const options = {
    delimiter: byId("delimiter").value,
    encoding: byId("encoding").value.trim(),
    table: byId("inner").value.trim(),
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value));
}

function setBusy(isBusy) {
  for (const button of byId("files").querySelectorAll("button")) button.disabled = isBusy;
}

async function uploadFile(file) {
  if (!file) return;
  byId("uploading").hidden = false;
  try {
    await storeFile(file);
    await showFiles();
    await openFile(file.name);
  } catch (problem) {
    showTrouble(problem);
  } finally {
    byId("uploading").hidden = true;
    byId("upload").value = "";
  }
}

byId("upload").addEventListener("change", (event) => uploadFile(event.target.files[0]));
const dropZone = byId("drop");
for (const name of ["dragenter", "dragover"]) {
  dropZone.addEventListener(name, (event) => {
    event.preventDefault();
    dropZone.classList.add("over");
  });
}
for (const name of ["dragleave", "drop"]) {
  dropZone.addEventListener(name, () => dropZone.classList.remove("over"));
}
dropZone.addEventListener("drop", (event) => {
  event.preventDefault();
  uploadFile(event.dataTransfer.files[0]);
});

// ---------------------------------------------------------------- the table

async function showTable({ data, records, columns }) {
  if (shownTable === data) return;
  shownTable = data;
  try {
    const [profile, preview] = await Promise.all([get("/api/columns"), get("/api/preview")]);
    const size = `${formatCount(records, "record")}, ${formatCount(columns, "column")}.`;
    byId("summary").textContent = size;
    setContent(byId("columns").tBodies[0], profile.columns.map(createColumnRow));
    showFirstRows(preview);
    byId("opened").hidden = false;
  } catch (problem) {
    showProblem(problem);
  }
}

function showFirstRows({ names, rows }) {
  const headers = names.map((name) => h("th", { scope: "col" }, name));
  setContent(byId("rows").tHead, h("tr", {}, headers));
  setContent(
    byId("rows").tBodies[0],
    rows.map((cells) => h("tr", {}, cells.map((cell) => h("td", {}, formatCell(cell))))),
  );
}

function formatCell(cell) {
  return cell === null ? h("span", { class: "soft" }, "missing") : cell;
}

function createColumnRow(column) {
  const about = column.exact ? "" : "about ";
  const frequent = column.frequent.slice(0, FREQUENT_VALUES).map(({ value, records }, i) => [
    i ? ", " : null,
    h("span", {}, value),
    h("span", { class: "soft" }, ` ${formatInteger(records)}`),
  ]);
  return h(
    "tr",
    { "data-column": column.name },
    h("th", { scope: "row" }, column.name),
    h("td", {}, column.type),
    h("td", { class: "number" }, `${about}${formatInteger(column.distinct)}`),
    h("td", { class: "number" }, formatInteger(column.uniques)),
    h("td", { class: "number" }, formatInteger(column.missing)),
    h("td", { class: "small frequent" }, frequent),
  );
}
