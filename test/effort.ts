/**
 * How many random cases property and long tests try: so many as fit a run of CI, or `TEST_EFFORT` times as many, as
 * `.github/workflows/thorough.yml` does once a week.
 */

const EFFORT = Number(process.env.TEST_EFFORT ?? 1);
if (!(EFFORT >= 1)) throw new Error(`TEST_EFFORT is ${process.env.TEST_EFFORT}: give a number from 1 on.`);

export const tries = (usual: number): number => Math.round(usual * EFFORT);

/** A test's limit, in ms. */
export const timeLimit = (usualMs: number): number => usualMs * EFFORT;
