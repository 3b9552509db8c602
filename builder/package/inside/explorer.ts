/** In the package, in place of explorer/build.ts: the pages have been built. */

import { join } from "node:path";
import { PROJECT } from "../../store/places.ts";

export const buildExplorer = async (): Promise<string> => join(PROJECT, "explorer", "dist");
