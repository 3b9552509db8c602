/** In the package, in place of builder/store/places.ts: npm replaces the package's folder, so nothing of a user is in it. */

import { fileURLToPath } from "node:url";

export const PROJECT = fileURLToPath(new URL("../../../", import.meta.url));

/** Where the command is run. */
export const HOME = process.cwd();
