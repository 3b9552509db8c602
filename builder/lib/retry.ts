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

/** An error that says how long to wait before the next attempt. */
export class Refused extends Error {
  readonly pauseMs: number | undefined;

  constructor(message: string, pauseMs?: number) {
    super(message);
    this.pauseMs = pauseMs;
  }
}

/**
 * @param work gets the number of the attempt, from 1
 * @param isTransient whether the next attempt may succeed
 * @param signal ends the pauses
 * @throws what the last attempt threw; the signal's reason
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
      const asked = error instanceof Refused ? error.pauseMs : undefined;
      const longest = Math.min(longestMs, asked ?? firstMs * 2 ** (attempt - 1));
      // Random, so that requests that were refused together don't return together; never before they may.
      const share = asked === undefined ? 0.5 : 1;
      await sleep(longest * (share + Math.random() / 2), undefined, { signal });
    }
  }
}
