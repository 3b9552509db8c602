/** What an answer of a distribution says beside its numbers. */

import { type Bucket, DISTRIBUTIONS } from "../../data-schema/registry.ts";
import { isoTimeWithoutZone } from "../../data-schema/text.ts";
import type { Distribution } from "../read/distribution.ts";
import type { TimeForm } from "../request/parameters/table-parameters.ts";

export const distributionFacts = ({ name, selector, resolution, manifest }: Distribution) => ({
  asset: manifest.symbol,
  build: manifest.build,
  asOf: manifest.asOf,
  distribution: name,
  selector,
  resolution,
});

export const timeOf = (seconds: number, time: TimeForm) => (time === "unix" ? seconds : isoTimeWithoutZone(seconds));

/** The ends of a bucket: costs, or times in the form of the answer; null where it has none. */
export function endsOf({ name }: Distribution, { from, to }: Bucket, time: TimeForm) {
  const isTime = DISTRIBUTIONS[name].key === "time";
  const text = (end: number | null) => (isTime && end !== null ? timeOf(end, time) : end);
  return { from: text(from), to: text(to) };
}
