/** Retries what failed for a reason that may pass. */

import { setTimeout as sleep } from "node:timers/promises";

export interface RetryPolicy {
  /** Attempts in all. */
  attempts: number;
  /** Longest pause before the second attempt; it doubles before each further one. */
  firstMs: number;
  /** No pause is longer. */
  longestMs: number;
}

/** Pauses of about a minute in all. */
export const DEFAULT_RETRY_POLICY: RetryPolicy = { attempts: 10, firstMs: 200, longestMs: 30_000 };

/**
 * @param work gets the number of the attempt, from 1
 * @param isTransient whether the next attempt may succeed
 * @param signal ends the pauses
 * @throws what the last attempt threw
 */
export async function retry<T>(
  work: (attempt: number) => Promise<T>,
  isTransient: (error: unknown, attempt: number) => boolean,
  { attempts, firstMs, longestMs }: RetryPolicy,
  signal?: AbortSignal,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      if (attempt === attempts || !isTransient(error, attempt) || signal?.aborted) throw error;
      const longest = Math.min(longestMs, firstMs * 2 ** (attempt - 1));
      // Random, so that requests that were refused together don't return together.
      await sleep(longest * (0.5 + Math.random() / 2), undefined, { signal });
    }
  }
}
