/** The timeline of an asset's input, for the engine to replay. */

import { balanceEdges } from "../../data-schema/asset.ts";
import type { Checkpoint } from "../engine/checkpoint.ts";
import { prepareTimeline, type Timeline } from "../engine/timeline.ts";
import { Failure } from "../failure.ts";
import type { AssetFile } from "./asset.ts";
import type { Input } from "./read.ts";

/** @throws {Failure} there is nothing to publish */
export function timelineOf(
  { path, maxSupply, decimals }: AssetFile,
  { history, prices, groups, asOf }: Input,
  checkpoint?: Checkpoint,
): Timeline {
  const parameters = { decimals, balanceEdges: balanceEdges(maxSupply, decimals), asOf };
  const timeline = prepareTimeline(history, prices, groups, parameters, checkpoint);
  if (!timeline.totals.first) {
    throw new Failure(
      `${path}: its transfers before ${new Date(asOf * 1000).toISOString()} move no tokens, ` +
        "so there is nothing to publish: check transfers and asOf.",
    );
  }
  return timeline;
}
