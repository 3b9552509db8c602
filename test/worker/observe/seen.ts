/** The token SEEN: three days, and blocks enough for an answer that is a stream. */

import { env } from "cloudflare:workers";
import type { Manifest } from "../../../data-schema/stored.ts";
import { at, DAY, publish } from "../token.ts";

const START = at("2025-03-01");
/** Blocks of the selector total. */
export const LONG = 200_000;

export function publishSeen(): Promise<Manifest> {
  return publish(env.BUCKET, {
    symbol: "SEEN",
    metrics: ["sopr"],
    periods: {
      day: [{ name: "all", from: START, to: START + 9 * DAY }],
      block: [{ name: "2025-03", from: START, to: START + LONG }],
    },
    range: { day: [START, START + 8 * DAY] },
    series: (_, resolution, selector) =>
      resolution === "day"
        ? [0, 1, 2].map((day) => ({ t: START + day * DAY, v: 1 }))
        : Array.from({ length: selector === "total" ? LONG : 0 }, (_, index) => ({ t: START + index, v: 1 })),
  });
}
