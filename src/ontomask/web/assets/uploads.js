// Storing a file of the user in the working folder.

import { Problem, sendFile } from "./api.js";
import { formatBytes } from "./shared/formats.js";
import { session } from "./shell.js";

// Stores a file, and returns it as {name, bytes}; a Problem where it is too large.
export function storeFile(file) {
  if (file.size > session.largest_upload) {
    const [size, most] = [file.size, session.largest_upload].map(formatBytes);
    const message = `${file.name} is too large: ${size}, the limit is ${most}.`;
    throw new Problem(413, message, "Copy it into the working folder and choose it there.");
  }
  return sendFile(`/api/files/${encodeURIComponent(file.name)}`, file);
}
