/** Every read of the bucket takes 100 ms longer, as if it were far away. */

import type { Bench } from "./bench.ts";
import { QUERIES } from "./queries.ts";

export const DELAY_MS = 100;

const FAR_STATES = ["first", "cold", "colo", "warm"] as const;

export interface FarFigures {
  query: string;
  /** Median seconds of a request, by state; `first`: the footer is not cached either. */
  latency: Record<(typeof FAR_STATES)[number], number>;
}

export async function measureFar({ run }: Bench): Promise<FarFigures[]> {
  const measured: FarFigures[] = [];
  for (const query of QUERIES.slice(0, 4)) {
    const latency = {} as FarFigures["latency"];
    for (const state of FAR_STATES) {
      const effort = { connections: 1, seconds: 1.5, requests: 100, delay: DELAY_MS };
      latency[state] = (await run(state, query, effort)).latency;
    }
    measured.push({ query: query.name, latency });
  }
  return measured;
}
