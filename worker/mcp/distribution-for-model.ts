/** A distribution for a model: its buckets at one close, as many as it can take. */

import { bucketFieldsOf } from "../../data-schema/registry.ts";
import { isoTimeWithoutZone } from "../../data-schema/text.ts";
import { Lease } from "../budget.ts";
import type { Context } from "../context.ts";
import { withManifest } from "../locate/locate.ts";
import { SIDES } from "../read/around-price.ts";
import { distributionOf, layoutOf, openYears, readField } from "../read/distribution.ts";
import type { DistributionQuery } from "../request/distribution-query.ts";
import { distributionFacts, endsOf } from "../table/distribution-facts.ts";
import { ANSWER_BYTES, asJson, largestThatFits, type ToolAnswer } from "./tool-answer.ts";

/**
 * Reads the last close of a query.
 *
 * @param url where all of it is, without a key
 * @throws {Problem} as GET /v3/distributions/<name>
 */
export function readDistribution(query: DistributionQuery, url: string, context: Context): Promise<ToolAnswer> {
  return withManifest(query.symbol, context, async (manifest) => {
    const distribution = distributionOf({ ...query, last: 1 }, manifest);
    const lease = new Lease(context.isolate.budget, context.now, context.entry.owner);
    const held = { ...context, lease };
    try {
      const years = await openYears(distribution, held);
      const layout = await layoutOf(distribution, years, held);
      const fields: Float64Array[] = [];
      const names = bucketFieldsOf(distribution.selector);
      for (const field of names) {
        fields.push(await readField(distribution, years, field, layout, held));
      }
      const [t] = distribution.t;
      const { around } = layout;
      const rows = layout.shown.map((bucket, place) => ({
        name: bucket.name,
        ...endsOf(distribution, bucket, "iso"),
        ...(around && t !== undefined && { side: SIDES[around.at(place, t).side] }),
        ...Object.fromEntries(names.map((field, index) => [field, fields[index]![place]!])),
      }));
      // Without the buckets that have the least tokens, if they are too many.
      const bySupply = [...rows.keys()].sort((a, b) => fields[0]![b]! - fields[0]![a]!);
      const answer = (count: number) => {
        const shown = new Set(bySupply.slice(0, count));
        const left = rows.length - count;
        return asJson({
          ...distributionFacts(distribution),
          t: t === undefined ? null : isoTimeWithoutZone(t),
          ...(around && { price: t === undefined ? null : around.price.priceAt(t) }),
          buckets: rows.filter((_, place) => shown.has(place)),
          omitted: left > 0 ? [`The ${left} buckets with the least supply are left out; the url has them.`] : [],
          url,
        });
      };
      return answer(largestThatFits(rows.length, ANSWER_BYTES, answer));
    } finally {
      lease.end();
    }
  });
}
