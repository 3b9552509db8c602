import type { Manifest, ManifestPeriod } from "../../data-schema/manifest.ts";
import type { Resolution } from "../../data-schema/resolutions.ts";
import { blockPeriods, dayPeriods, flowYears, hourPeriods, type Period } from "./periods.ts";
import type { Timeline } from "./timeline.ts";

/** The periods that a build computes. A resolution that the asset omits has no entry. */
export interface BuildPeriods {
  /** Years whose events are added up to hours and days. */
  years: Period[];
  day: Period[];
  hour?: Period[];
  block?: Period[];
  /** Periods that ended before the checkpoint, as in the last build's manifest. */
  sealed: { hour: ManifestPeriod[]; block: ManifestPeriod[] };
}

/** @param published manifest of the build that left the timeline's checkpoint */
export function buildPeriods(
  timeline: Timeline,
  resolutions: readonly Resolution[],
  published?: Manifest,
): BuildPeriods {
  const { checkpoint } = timeline;
  const { hour, block } = checkpoint && published ? published.resolutions : {};
  const isOpen = ({ to }: { to: number }) => !checkpoint || to > checkpoint.time;
  return {
    years: flowYears(timeline),
    day: dayPeriods(timeline),
    ...(resolutions.includes("hour") ? { hour: hourPeriods(timeline).filter(isOpen) } : {}),
    ...(resolutions.includes("block") ? { block: blockPeriods(timeline) } : {}),
    sealed: {
      hour: (hour?.periods ?? []).filter((period) => !isOpen(period)),
      block: (block?.periods ?? []).filter(({ from }) => checkpoint && from < checkpoint.openBlocks.from),
    },
  };
}
