/** What to say of a file that the store does not have. */

import { listedObjects } from "../../data-schema/stored/manifest.ts";
import { namePart } from "../../data-schema/stored/objects.ts";
import type { Context } from "../context.ts";
import { damaged, Problem } from "../problems/problem.ts";
import { type FilePath, filesPath, pathOf } from "../request/file-path.ts";
import { withManifest } from "./locate.ts";

/**
 * The successor of a missing file is the one of its metric and period in the active build.
 *
 * @throws {Problem} 404 there is no such asset or file; 500 the active build has it; 503 the store is out of reach
 */
export function missingFile(symbol: string, file: FilePath, context: Context): Promise<never> {
  return withManifest(symbol, context, async (manifest) => {
    const active = Array.from(listedObjects(manifest)).find(
      ({ resolution, metric, period }) =>
        resolution === file.resolution && metric === file.metric && period.name === file.period,
    );
    if (active && namePart(active.entry.hash) === file.hash) throw damaged(`${active.key} is missing`);
    const detail = "There is no such file, or no longer: GET /v3/files/<ASSET> lists those there are.";
    throw new Problem("unknown-file", detail, { suggestion: active && `${filesPath(symbol)}/${pathOf(active)}` });
  });
}
