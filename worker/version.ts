/** Soprano's version. */

import project from "../package.json" with { type: "json" };

export const VERSION: string = project.version;
