/** Decides from digests and counts whether a build resumes. Pure. Source: docs/building.md#incremental-builds. */

import { SCHEMA_VERSION } from "../../data-schema/series.ts";
import { ENGINE_VERSION } from "../engine/version.ts";
import type { CannotResume } from "../failure.ts";
import type { Previous } from "../incremental/previous.ts";
import { type AssetIdentity, digestPrices, identityOf } from "../incremental/provenance.ts";
import { type ChangedLabels, changedLabels } from "../incremental/seen-addresses.ts";
import type { AssetFile } from "../input/asset.ts";
import { buildId } from "../input/build-id.ts";
import { labelText } from "../input/labels.ts";
import type { HistoryFile, Survey } from "../input/survey.ts";
import { counted } from "../terminal/amounts.ts";

export type Plan =
  /** Every transfer is read and replayed. */
  | { kind: "full"; reason: string }
  /** Only the rows after the checkpoint's last block are read, of the files that have any. */
  | { kind: "incremental"; previous: Previous; files: HistoryFile[] }
  /** The active build was made from the same input: there is nothing to do. */
  | { kind: "unchanged"; previous: Previous };

/** @param previous the last build, or why there is none to resume from */
export function planBuild(asset: AssetFile, survey: Survey, previous: Previous | CannotResume): Plan {
  if ("cannotResume" in previous) return { kind: "full", reason: previous.cannotResume };
  const reason = firstDifference(asset, survey, previous);
  if (reason !== undefined) return { kind: "full", reason };
  if (asset.asOf !== undefined && isActive(previous, buildId(asset, asset.asOf, survey.files))) {
    return { kind: "unchanged", previous };
  }
  const hasNoNewRows = ({ role, isSame, known }: HistoryFile) =>
    role === "transfers" && isSame && known?.rowsAfter === 0;
  return { kind: "incremental", previous, files: survey.history.filter((file) => !hasNoNewRows(file)) };
}

/** Whether a build is the active one and was published completely. */
export const isActive = ({ manifest, isRecorded }: Previous, build: string) => isRecorded && manifest.build === build;

/** Why a build can't resume: how today's input differs from what the checkpoint was made from. */
function firstDifference(
  asset: AssetFile,
  { history, unmatched, prices, labels }: Survey,
  { checkpoint, provenance, file }: Previous,
): string | undefined {
  const { time, lastEvent } = checkpoint;
  const day = new Date(time * 1000).toISOString().slice(0, 10);
  if (provenance.schema !== SCHEMA_VERSION) return "the format has changed";
  if (provenance.engine !== ENGINE_VERSION) {
    return `the engine has changed (${ENGINE_VERSION}, was ${provenance.engine})`;
  }
  for (const [key, value] of Object.entries(identityOf(asset))) {
    const was = provenance.asset[key as keyof AssetIdentity];
    if (String(was) !== String(value)) return `${key} has changed (${value}, was ${was})`;
  }
  if (asset.asOf !== undefined && asset.asOf < time) {
    return `asOf lies before the end of the last build's last day, ${day}`;
  }
  if (provenance.prices !== digestPrices(prices, time)) return `prices before ${day} have changed`;
  for (const { file } of unmatched) {
    const exists = history.some((today) => today.file.name === file);
    return exists ? `${file} has changed` : `${file} is missing`;
  }
  for (const { isSame, added, file } of history) {
    if (isSame) continue;
    if (!added) return "the new rows can't be read";
    else if (added.settled !== 0) {
      return `${file.name} has ${counted(added.settled, "new row")} of blocks that were read before, up to ${lastEvent.block}`;
    }
  }
  const changed = changedLabels(file.labels(), labels);
  return changed && labelReason(changed);
}

function labelReason({ first: { address, before, now }, count }: ChangedLabels): string {
  const others = count > 1 ? `; ${counted(count, "label")} have changed in all` : "";
  return `the label of ${address} has changed (${labelText(now)}, was ${labelText(before)})${others}`;
}
