// Talking to the workbench: JSON there and back. What it refuses is a Problem with a message.

export class Problem extends Error {
  constructor(status, message, hint = "") {
    super(message);
    this.status = status;
    this.hint = hint;
  }
}

export const get = (path, signal) => request("GET", path, undefined, signal);
export const post = (path, body = {}) => request("POST", path, body);
export const put = (path, body = {}) => request("PUT", path, body);
export const remove = (path) => request("DELETE", path);

// A path with parameters: buildUrl("/api/classes", {column: ["a", "b"]})
export function buildUrl(path, parameters) {
  const pairs = new URLSearchParams();
  for (const [name, values] of Object.entries(parameters)) {
    if (values === null || values === undefined || values === "") continue;
    for (const value of [values].flat()) pairs.append(name, value);
  }
  const query = String(pairs);
  return query ? `${path}?${query}` : path;
}

// The path of something about a column.
export function buildColumnPath(column, what) {
  return `/api/columns/${encodeURIComponent(column)}/${what}`;
}

// Sends a file unchanged.
export async function sendFile(path, file) {
  const headers = { "content-type": "application/octet-stream" };
  return readAnswer(await fetchOrFail(path, { method: "PUT", body: file, headers }));
}

async function request(method, path, body, signal) {
  const content = body === undefined
    ? {}
    : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  return readAnswer(await fetchOrFail(path, { method, signal, ...content }));
}

async function fetchOrFail(path, options) {
  try {
    return await fetch(path, { credentials: "same-origin", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    const hint = "It may have been stopped. Start it again with `ontomask workbench`; " +
      "your settings are saved in the release file.";
    throw new Problem(0, "The workbench does not respond.", hint);
  }
}

async function readAnswer(response) {
  const answer = parseJson(await response.text());
  if (response.ok) return answer;
  const message = answer?.message ?? `The workbench returned an error (HTTP ${response.status}).`;
  throw new Problem(response.status, message, answer?.hint ?? "");
}

function parseJson(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}
