/**
 * How much property and long tests try: so many random cases, interruptions and kills as fit a run of CI, or `TEST_EFFORT`
 * times as many. `.github/workflows/thorough.yml` runs them once a week with more.
 */

const EFFORT = Number(process.env.TEST_EFFORT ?? 1);
if (!(EFFORT >= 1)) throw new Error(`TEST_EFFORT is ${process.env.TEST_EFFORT}: give a number from 1 on.`);

/** How many cases to try. */
export const tries = (usual: number): number => Math.round(usual * EFFORT);

/** Every `usual`-th of many places that are alike; more of them, or all, with more effort. */
export const everyNth = (usual: number): number => Math.max(1, Math.floor(usual / EFFORT));

/** A test's limit, in ms. */
export const timeLimit = (usualMs: number): number => usualMs * EFFORT;
