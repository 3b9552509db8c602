import type { Resolution } from "../data-schema/resolutions.ts";
import { blockPeriods, dayPeriods, flowYears, hourPeriods, type Period } from "./engine/periods.ts";
import type { Timeline } from "./engine/timeline.ts";

/** What a build works through. A resolution that the asset leaves out has no entry. */
export interface Plan {
  /** Years whose events are added up to hours, and on to days. */
  years: Period[];
  day: Period[];
  hour?: Period[];
  block?: Period[];
}

export function planBuild(timeline: Timeline, resolutions: readonly Resolution[]): Plan {
  return {
    years: flowYears(timeline),
    day: dayPeriods(timeline),
    ...(resolutions.includes("hour") ? { hour: hourPeriods(timeline) } : {}),
    ...(resolutions.includes("block") ? { block: blockPeriods(timeline) } : {}),
  };
}
