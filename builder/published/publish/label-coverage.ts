/** What a manifest says of the labels: which they are, how many, and how much of the token they cover. */

import type { MetricName } from "../../../data-schema/registry.ts";
import type { LabelCoverage, Manifest } from "../../../data-schema/stored.ts";
import { COVERAGE_METRICS, coverage, type LabelKind } from "../../engine/calendar.ts";
import type { Series } from "../../engine/series.ts";
import type { AssetFile } from "../../input/asset/asset.ts";
import type { JoinedInput } from "../../input/join-shares.ts";
import type { LabelCounts } from "../../input/labels/address-labels.ts";
import type { WholeObject } from "../objects/encode-series.ts";
import { summariesOf } from "./active-manifest.ts";

/** The days of a build that has a complete one. */
export interface CompleteDays {
  /** Start of the last one, Unix seconds. */
  last: number;
  /** The day objects, by metric. */
  objects: ReadonlyMap<MetricName, Pick<WholeObject, "recent">>;
  /** Labelled addresses that have held the token by its close. */
  held: LabelCounts;
}

/**
 * @param addresses all that are labelled, whether or not they appear in transfers
 * @param days undefined while no day is complete: then only the labels are counted
 * @returns undefined for an asset without labels
 */
export function labelCoverage(
  { labelsVersion }: Pick<AssetFile, "labelsVersion">,
  { report: { files } }: Pick<JoinedInput, "report">,
  addresses: LabelCounts,
  days: CompleteDays | undefined,
): Manifest["labels"] {
  const own = new Map(summariesOf(files).map(({ role, sha256 }) => [role, sha256]));
  const runs = new Map<string, Series>();
  for (const metric of COVERAGE_METRICS) {
    for (const run of days?.objects.get(metric)?.recent ?? []) runs.set(`${metric} ${run.selector}`, run);
  }
  const covered = (kind: LabelKind): LabelCoverage => {
    const sha256 = own.get(kind);
    return {
      ...(sha256 !== undefined && { sha256 }),
      addresses: addresses[kind],
      ...(days && {
        held: days.held[kind],
        ...coverage(kind, (metric, selector) => runs.get(`${metric} ${selector}`), days.last),
      }),
    };
  };
  const version = own.has("labels") ? labelsVersion : undefined;
  const found = {
    ...((own.has("exchanges") || own.has("labels") || own.has("deposits")) && {
      exchanges: { ...(version !== undefined && { version }), ...covered("exchanges") },
    }),
    ...(own.has("contracts") && { contracts: covered("contracts") }),
  };
  return Object.keys(found).length > 0 ? found : undefined;
}
