// The Data screen: choose a table, and see what it holds.

import { get, post, send } from "./api.js";
import { byId, fill, h, many, size, whole } from "./dom.js";
import { failed, lines, onSession, reload, say, session } from "./shell.js";

let shown = null; // the table whose columns are shown

onSession(async (now) => {
  byId("limit").textContent = size(now.largest_upload);
  tellTrouble(now.not_opened);
  lines({
    shell: [`ontomask init ${quoted(now.data ?? "patients.csv")} --output proposed.yaml`],
    python: ["from ontomask.releasefile.profile.table_profile import profile", `profile(${JSON.stringify(now.data ?? "patients.csv")})`],
  });
  if (now.opening) return;
  await Promise.all([showFiles(), now.data ? showTable(now) : null]);
});

function quoted(name) {
  return /^[\w.\-/]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}

function tellTrouble(wrong) {
  fill(byId("trouble"), wrong ? h("div", { class: "note bad" }, h("p", {}, h("b", {}, "It cannot be opened. "), wrong.message), wrong.hint ? h("p", { class: "soft" }, wrong.hint) : null) : null);
}

// ---------------------------------------------------------------- files

async function showFiles() {
  const found = await get("/api/files");
  byId("folder").textContent = found.folder;
  if (!found.tables.length) {
    fill(byId("files"), h("li", { class: "soft" }, "No tables here yet: upload one, or copy it into this folder."));
    return;
  }
  fill(byId("files"), found.tables.map((file) => {
    const open = file.name === found.open;
    const button = h("button", { type: "button", "data-open": file.name, "aria-current": open ? "true" : null, on: { click: () => openFile(file.name) } },
      h("span", { class: "name" }, file.name), h("span", { class: "soft small" }, size(file.bytes)), open ? h("span", { class: "tag" }, "open") : null);
    return h("li", {}, button);
  }));
}

async function openFile(file) {
  const said = { delimiter: byId("delimiter").value, encoding: byId("encoding").value.trim(), table: byId("inner").value.trim() };
  const given = Object.fromEntries(Object.entries(said).filter(([, value]) => value));
  busy(true);
  tellTrouble(null);
  const opening = post("/api/data", { file, ...given });
  setTimeout(() => reload().catch(() => {}), 150); // the frame shows what is being done
  try {
    const about = session.fields.data;
    await opening;
    const other = about && about !== file ? ` ${session.file} is about it now; Undo brings back that about ${about}.` : "";
    say(`${file} is open.${other}`, "good");
  } catch (problem) {
    tellTrouble({ message: problem.message, hint: problem.hint });
  } finally {
    busy(false);
    shown = null;
    await reload();
    await showFiles();
  }
}

function busy(is) {
  for (const button of byId("files").querySelectorAll("button")) button.disabled = is;
}

async function upload(file) {
  if (!file) return;
  if (file.size > session.largest_upload) {
    tellTrouble({ message: `${file.name} has ${size(file.size)}, and up to ${size(session.largest_upload)} are taken.`, hint: "Copy it into the folder, and open it from there." });
    return;
  }
  byId("uploading").hidden = false;
  try {
    await send(`/api/files/${encodeURIComponent(file.name)}`, file);
    await showFiles();
    await openFile(file.name);
  } catch (problem) {
    tellTrouble({ message: problem.message, hint: problem.hint });
  } finally {
    byId("uploading").hidden = true;
    byId("upload").value = "";
  }
}

byId("upload").addEventListener("change", (event) => upload(event.target.files[0]));
const drop = byId("drop");
for (const name of ["dragenter", "dragover"]) {
  drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); });
}
for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => { event.preventDefault(); upload(event.dataTransfer.files[0]); });

// ---------------------------------------------------------------- the table

async function showTable(now) {
  if (shown === now.data) return;
  shown = now.data;
  try {
    const [columns, preview] = await Promise.all([get("/api/columns"), get("/api/preview")]);
    byId("summary").textContent = `${many(now.records, "record")} of ${many(now.columns, "column")}.`;
    fill(byId("columns").tBodies[0], columns.columns.map(row));
    fill(byId("rows").tHead, h("tr", {}, preview.names.map((name) => h("th", { scope: "col" }, name))));
    fill(byId("rows").tBodies[0], preview.rows.map((cells) => h("tr", {}, cells.map((cell) =>
      h("td", {}, cell === null ? h("span", { class: "soft" }, "missing") : cell)))));
    byId("opened").hidden = false;
  } catch (problem) {
    failed(problem);
  }
}

function row(column) {
  const about = column.exact ? "" : "about ";
  const frequent = column.frequent.slice(0, 3).map((it) => [h("span", {}, it.value), h("span", { class: "soft" }, ` ${whole(it.records)}`)]);
  return h("tr", { "data-column": column.name },
    h("th", { scope: "row" }, column.name),
    h("td", {}, column.type),
    h("td", { class: "number" }, `${about}${whole(column.distinct)}`),
    h("td", { class: "number" }, column.uniques === null ? "–" : whole(column.uniques)),
    h("td", { class: "number" }, `${whole(column.missing)}`),
    h("td", { class: "small frequent" }, frequent.map((it, i) => [i ? ", " : null, it])));
}
