/** Where Soprano is, and where it works. The package has builder/package/inside/places.ts in its place. */

import { fileURLToPath } from "node:url";

/** The folder of its files: the project's. */
export const PROJECT = fileURLToPath(new URL("../../", import.meta.url));

/** The folder of what a user has and changes: wrangler.toml, local state, the demo's data. */
export const HOME = PROJECT;
