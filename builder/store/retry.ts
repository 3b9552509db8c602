/** Doing again what failed for a reason that passes. */

import { setTimeout as sleep } from "node:timers/promises";

export interface Patience {
  /** Attempts in all. */
  attempts: number;
  /** Wait before the second attempt; it doubles with each further one. */
  firstMs: number;
  longestMs: number;
}

/** About a minute and a half in all. */
export const PATIENCE: Patience = { attempts: 10, firstMs: 200, longestMs: 30_000 };

/**
 * @param work gets the number of the attempt, from 1
 * @param passing whether a failure may be over by the next attempt
 * @param signal ends the waiting
 */
export async function retry<T>(
  work: (attempt: number) => Promise<T>,
  passing: (error: unknown, attempt: number) => boolean,
  { attempts, firstMs, longestMs }: Patience,
  signal?: AbortSignal,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      if (attempt === attempts || !passing(error, attempt) || signal?.aborted) throw error;
      const longest = Math.min(longestMs, firstMs * 2 ** (attempt - 1));
      // Spread out: what was turned away together does not come back together.
      await sleep(longest * (0.5 + Math.random() / 2), undefined, { signal });
    }
  }
}
