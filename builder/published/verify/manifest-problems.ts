/** Checks a manifest beyond its schema. */

import { balanceUnit } from "../../../data-schema/asset.ts";
import {
  type BucketResolution,
  byWhole,
  isCalendar,
  METRICS,
  type Metric,
  nextYearStart,
  periodName,
  RESOLUTION_FACTS,
  RESOLUTIONS,
  type Resolution,
  resolutionsOf,
  yearStart,
} from "../../../data-schema/registry.ts";
import { isOlderThan, type Manifest, type ManifestPeriod } from "../../../data-schema/stored.ts";
import { isoTime } from "../../../data-schema/text.ts";

interface PeriodRule {
  what: string;
  isRight: (period: ManifestPeriod, last: number) => boolean;
}

const all = (resolution: BucketResolution): PeriodRule => ({
  what: `all ${resolution}s`,
  isRight: ({ to }, last) => to === RESOLUTION_FACTS[resolution].start(last, 1),
});

/** Where the periods of a resolution may begin and end. */
const PERIOD_RULES: Record<Resolution, PeriodRule> = {
  ...byWhole(all),
  hour: { what: "a calendar year", isRight: ({ from, to }) => from === yearStart(from) && to === nextYearStart(from) },
  block: {
    what: "whole days",
    isRight: ({ from, to }) => [from, to].every((time) => time === RESOLUTION_FACTS.day.start(time)),
  },
};

/** A sentence for each problem. The parser has already checked that periods follow each other without a gap. */
export function manifestProblems(manifest: Manifest): string[] {
  const { digit, exponent } = balanceUnit(manifest.maxSupply);
  const unit = `The manifest's balanceUnit ${manifest.balanceUnit} does not follow from maxSupply ${manifest.maxSupply}.`;
  return [
    ...(manifest.balanceUnit === `${digit}e${exponent}` ? [] : [unit]),
    ...RESOLUTIONS.flatMap((resolution) => resolutionProblems(manifest, resolution)),
  ];
}

function resolutionProblems(manifest: Manifest, resolution: Resolution): string[] {
  const buckets = manifest.resolutions[resolution];
  const end = buckets?.last;
  /** Time of the last point, in Unix seconds; NaN without a point. */
  const last = (typeof end === "object" ? end?.t : end) ?? Number.NaN;
  const { what, isRight } = PERIOD_RULES[resolution];
  const metrics = (METRICS as readonly Metric[]).filter((metric) => resolutionsOf(metric).includes(resolution));
  const required = metrics.filter(
    ({ name, kind }) => (kind !== "price" || manifest.schema > 1) && !isOlderThan(manifest, name),
  );
  const problems = (buckets?.periods ?? []).flatMap((period) => {
    const name = `${resolution} ${period.name}`;
    const missing = required.filter((metric) => !Object.hasOwn(period.metrics, metric.name)).map(({ name }) => name);
    const alien = Object.keys(period.metrics).filter((name) => !metrics.some((metric) => metric.name === name));
    return [
      ...(period.name === periodName(resolution, period.from)
        ? []
        : [`The period ${name} begins at ${isoTime(period.from)}.`]),
      ...(isRight(period, last) ? [] : [`The period ${name} is not ${what}.`]),
      ...missing.map((metric) => `The period ${name} does not list ${metric}.`),
      ...alien.map((metric) => `The period ${name} lists ${metric}, which has no such resolution.`),
    ];
  });
  const isMissing = !buckets && manifest.schema > 1 && isCalendar(resolution);
  if (isMissing) problems.push(`The manifest does not list the resolution ${resolution}.`);
  return [...problems, ...endProblems(manifest, resolution, last)];
}

/** The last block must be before asOf, and the last bucket must be the last complete one at asOf. */
function endProblems(manifest: Manifest, resolution: Resolution, last: number): string[] {
  const asOf = Date.parse(manifest.asOf) / 1000;
  if (Number.isNaN(last)) return [];
  if (resolution === "block") {
    return last < asOf ? [] : [`The last block, of ${isoTime(last)}, is not before asOf ${manifest.asOf}.`];
  }
  const complete = RESOLUTION_FACTS[resolution].start(asOf, -1);
  return last === complete
    ? []
    : [`The last ${resolution} is ${isoTime(last)}, but the last complete one at asOf is ${isoTime(complete)}.`];
}
