// Talking to the workbench: JSON there and back. What it refuses is a Problem with words.

export class Problem extends Error {
  constructor(status, message, hint = "") {
    super(message);
    this.status = status;
    this.hint = hint;
  }
}

export const get = (path, signal) => ask("GET", path, undefined, signal);
export const post = (path, body = {}) => ask("POST", path, body);
export const put = (path, body = {}) => ask("PUT", path, body);
export const remove = (path) => ask("DELETE", path);

// A path with parameters: query("/api/classes", {column: ["a", "b"]})
export function query(path, parameters) {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null || value === undefined || value === "") continue;
    for (const it of [value].flat()) pairs.append(name, it);
  }
  const written = pairs.toString();
  return written ? `${path}?${written}` : path;
}

async function ask(method, path, body, signal) {
  const given = body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  return answered(await reached(path, { method, signal, ...given }));
}

// Send a file as it is.
export async function send(path, file) {
  return answered(await reached(path, { method: "PUT", body: file, headers: { "content-type": "application/octet-stream" } }));
}

async function reached(path, request) {
  try {
    return await fetch(path, { credentials: "same-origin", ...request });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, "The workbench does not answer.", "Is it still running? Start it again with ontomask workbench; the release file keeps what you did.");
  }
}

async function answered(response) {
  const text = await response.text();
  let found = null;
  try { found = text ? JSON.parse(text) : null; } catch { /* no JSON: said below */ }
  if (response.ok) return found;
  throw new Problem(response.status, found?.message ?? `The workbench answered ${response.status}.`, found?.hint ?? "");
}
