/** What a build would do, without building. */

import { readPrevious } from "../incremental/previous.ts";
import { StartOver } from "../incremental/start-over.ts";
import { readAsset } from "../input/asset.ts";
import { readInput } from "../input/read.ts";
import { Publication } from "../publish/publication.ts";
import type { ObjectStore } from "../store/store.ts";
import { counted } from "../terminal/amounts.ts";
import { timelineOf } from "./build.ts";

/**
 * @returns a line: from where a build would go on, and with how much; or why it would begin with the first transfer
 * @throws {Failure} as of a build, as far as that reads
 */
export async function sinceCheck(
  assetPath: string,
  store: ObjectStore,
  { threads, asOf }: { threads: number; asOf?: number },
): Promise<string> {
  const asset = await readAsset(assetPath, asOf);
  const publication = await Publication.begin(store, asset);
  try {
    const previous = await readPrevious(publication);
    const { firstRow, endRow } = timelineOf(asset, await readInput(asset, { threads, previous }), previous);
    const from = new Date(previous.checkpoint.time * 1000).toISOString().slice(0, 10);
    return `${asset.symbol} on from ${from}: ${counted(endRow - firstRow, "event")} to replay`;
  } catch (error) {
    if (error instanceof StartOver) return `${asset.symbol} from the first transfer: ${error.message}`;
    throw error;
  }
}
