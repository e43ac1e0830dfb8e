// The report of a release: the taxonomies of its columns, before and after.

import { byId } from "./shared/elements.js";
import { drawIciclePair } from "./shared/icicle.js";

drawIciclePair(byId("icicles"), JSON.parse(byId("taxonomies").textContent));
