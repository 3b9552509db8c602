/** A made-up distribution of the token: `BUCKETS` buckets, each with an address on every day. */

import type { Series } from "../../builder/engine/series.ts";
import { type SeriesFile, seriesFile } from "../../builder/published/objects/encode-series.ts";
import { VARIOUS_UNITS } from "../../data-schema/parquet.ts";
import { bucketSeries, DISTRIBUTION_FIELDS, nextYearStart, periodName } from "../../data-schema/registry.ts";
import type { Manifest } from "../../data-schema/stored.ts";
import { DAY, HISTORY, SYMBOL } from "./queries.ts";

export const BUCKETS = 200;

/** The object of each year, and what the manifest says of them. */
export async function putDistribution(
  random: () => number,
  put: (file: SeriesFile<"cost_basis">) => Promise<unknown>,
): Promise<NonNullable<Manifest["distributions"]>> {
  const day: NonNullable<Manifest["distributions"]>["day"] = [];
  for (let { from } = HISTORY; from < HISTORY.to; from = nextYearStart(from)) {
    const to = nextYearStart(from);
    const name = periodName("hour", from);
    const t = Float64Array.from({ length: (Math.min(to, HISTORY.to) - from) / DAY }, (_, i) => from + i * DAY);
    const runs = DISTRIBUTION_FIELDS.flatMap((field) =>
      Array.from({ length: BUCKETS }, (_, k): Series => {
        const v = t.map(() => 1e6 * random());
        const isCount = field === "num_addresses";
        return { selector: bucketSeries(field, "total", `k${k}`), t, v: isCount ? v.map(Math.ceil) : v };
      }),
    );
    const file = seriesFile(SYMBOL, { name: "cost_basis", unit: VARIOUS_UNITS }, "day", name, runs)!;
    await put(file);
    const empty = { rows: 0 as const };
    day.push({ name, from, to, objects: { cost_basis: file.entry, acquired: empty, first_seen: empty } });
  }
  return { day, week: [], month: [] };
}
