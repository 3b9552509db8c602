/** Says what a build would do. Source: docs/building.md#incremental-builds. */

import { reasonText } from "../history/cause-text.ts";
import type { Previous } from "../incremental/previous.ts";
import type { AssetFile } from "../input/asset.ts";
import { readAssetToBuild } from "../input/fetched-asset.ts";
import { readInputSince } from "../input/read.ts";
import { timelineOf } from "../input/timeline.ts";
import type { ObjectStore } from "../store/store.ts";
import { counted } from "../terminal/amounts.ts";
import { planFor } from "./build.ts";
import { isActive } from "./plan.ts";
import { startText } from "./report.ts";
import type { BuildOptions } from "./steps.ts";
import { workFolder } from "./work-folder.ts";

/**
 * @returns one line: the day from which a build would resume and the events to replay; or why it would be a full build
 * @throws {Failure} the same as a build, up to and including reading
 */
export async function dryRun(
  assetPath: string,
  store: ObjectStore,
  options: Pick<BuildOptions, "threads" | "asOf" | "full" | "work" | "rehash">,
): Promise<string> {
  const folder = workFolder(options.work);
  try {
    return await outcome(await readAssetToBuild(assetPath, options.asOf), store, folder.path, options);
  } finally {
    folder.remove();
  }
}

async function outcome(
  asset: AssetFile,
  store: ObjectStore,
  folder: string,
  options: Pick<BuildOptions, "threads" | "full" | "work" | "rehash">,
): Promise<string> {
  const { survey, plan } = await planFor(asset, store, folder, options);
  if (plan.kind === "full") return `${asset.symbol}: ${startText({ reason: reasonText(plan.causes) })}`;
  if (plan.kind === "unchanged") return unchangedText(plan.previous);
  const { previous, files } = plan;
  const checkpoint = previous.file.load();
  const input = await readInputSince(asset, survey, { checkpoint, files }, options);
  if ("cannotResume" in input) return `${asset.symbol}: ${startText({ reason: input.cannotResume })}`;
  if (isActive(previous, input.build)) return unchangedText(previous);
  const { firstRow, endRow } = timelineOf(asset, input, checkpoint);
  const from = new Date(checkpoint.time * 1000).toISOString().slice(0, 10);
  return `${asset.symbol}: resume from ${from}, ${counted(endRow - firstRow, "event")} to replay`;
}

const unchangedText = ({ manifest: { symbol, build } }: Previous) => `${symbol}: unchanged, build ${build} is active`;
