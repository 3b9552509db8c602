/**
 * Histories of extremes in random nights: they publish what one full build publishes, bit for bit, and that is what the
 * slow reference computes.
 */

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { decodeSeries } from "../../builder/published/objects/decode-series.ts";
import { METRICS, type MetricName, SINGLE_SERIES, selectorIn } from "../../data-schema/registry/metrics.ts";
import { listedSeries } from "../../data-schema/stored.ts";
import { activeManifest } from "../build/checkpoint/nights.ts";
import {
  FORMS,
  type Form,
  isBuildable,
  type Night,
  nights,
  pricesOf,
  publishNights,
} from "../build/checkpoint/random-nights.ts";
import { compareSeries } from "../reference/compare.ts";
import { extremes, histories } from "../reference/histories.ts";
import { decidedReference, type SeriesByKey, type Token } from "../reference/reference.ts";
import type { MemoryStore } from "../store/memory-store.ts";
import { partIn } from "../store/unpacked.ts";
import type { Attack, Target } from "./attack.ts";

type Case = [token: Token, times: Night[], form: Form];

const token = fc.oneof({ weight: 3, arbitrary: extremes() }, histories(30)).filter(isBuildable);

export const extremeHistories: Attack = {
  name: "extremes",
  unit: "histories of extremes",
  async open() {
    const target: Target<Case> = {
      cases: token.chain((token) => fc.tuple(fc.constant(token), nights(token), fc.constantFrom(...FORMS))),
      async attempt([token, times, form]) {
        const referenced = decidedReference({ ...token, prices: pricesOf(token) });
        if (!referenced) return 0;
        const { nightly, whole } = await publishNights(token, times, form);
        const [built, wanted] = [await activeManifest(nightly, "TOK"), await activeManifest(whole, "TOK")];
        if (!isDeepStrictEqual(built, wanted)) throw new Error("the nights do not publish what a full build does");
        const [difference] = compareSeries(await seriesIn(whole), referenced);
        if (difference !== undefined) throw new Error(`not as the reference: ${difference}`);
        return 1;
      },
      async close() {},
    };
    return target;
  },
};

/** Metrics without a selector: their one series has a name when it is stored, and none in the reference. */
const SINGLE: ReadonlySet<MetricName> = new Set(
  METRICS.filter((metric) => selectorIn(metric) === null).map(({ name }) => name),
);

/** What is published, in the reference's form. */
async function seriesIn(store: MemoryStore): Promise<SeriesByKey> {
  const series: SeriesByKey = new Map();
  for (const { key, metric, resolution } of listedSeries(await activeManifest(store, "TOK"))) {
    // The reference leaves them out: test/engine/calendar/price-series.test.ts compares them.
    if (metric === "price" && resolution === "hour") continue;
    for (const { selector, t, v, block } of decodeSeries((await partIn(store, key))!.bytes)) {
      const name = `${metric}|${resolution}|${SINGLE.has(metric) && selector === SINGLE_SERIES ? "-" : selector}`;
      const points = Array.from(t, (seconds, i) => ({ t: seconds, v: v[i]!, ...(block && { block: block[i]! }) }));
      series.set(name, [...(series.get(name) ?? []), ...points]);
    }
  }
  return series;
}
