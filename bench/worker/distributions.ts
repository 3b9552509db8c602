/** Three years of a distribution by day, against the limit for one request. */

import { TABLE_FORMAT_NAMES, type TableFormat } from "../../worker/request/parameters/table-formats.ts";
import { medianFigures } from "../lib/rounds.ts";
import type { Bench } from "./bench.ts";
import type { Measured } from "./processes/load-process.ts";
import { KEY, SYMBOL } from "./queries.ts";
import { WIDE_STATES } from "./wide.ts";

/** Seconds that an answer as JSON may take, warm. */
export const LIMIT = 0.06;

export type DistributionFigures = Record<TableFormat, Record<(typeof WIDE_STATES)[number], Measured>>;

export async function measureDistributions({ runPath }: Bench, isFull: boolean): Promise<DistributionFigures> {
  const effort = { connections: 1, seconds: isFull ? 1 : 0.4 };
  const alternatives: Record<string, () => Promise<Measured>> = {};
  for (const f of TABLE_FORMAT_NAMES) {
    const parameters = new URLSearchParams({ api_key: KEY, a: SYMBOL, last: "1096", f });
    for (const state of WIDE_STATES) {
      const path = `/v3/distributions/cost_basis?${parameters}`;
      // Once in advance, to fill the caches.
      await runPath(state, path, { ...effort, requests: 1 });
      alternatives[`${f} ${state}`] = () => runPath(state, path, effort);
    }
  }
  const medians = await medianFigures(isFull ? 9 : 5, alternatives);
  const both = (f: TableFormat) => ({ cold: medians[`${f} cold`]!, warm: medians[`${f} warm`]! });
  return Object.fromEntries(TABLE_FORMAT_NAMES.map((f) => [f, both(f)])) as DistributionFigures;
}
