/** Applies the stored theme. A script of its own that runs before the first paint, so that the page doesn't flash. */

import { readItem } from "./browser-storage.ts";

const stored = readItem("soprano-theme");
if (stored === "light" || stored === "dark") document.documentElement.dataset.theme = stored;
