/**
 * How many random cases property and long tests try: so many as fit a run of CI, where each run has others, or
 * `TEST_EFFORT` times as many, as `.github/workflows/thorough.yml` does once a week.
 */

const EFFORT = Number(process.env.TEST_EFFORT ?? 1);
if (!(EFFORT >= 1)) throw new Error(`TEST_EFFORT is ${process.env.TEST_EFFORT}: give a number from 1 on.`);

export const tries = (usual: number): number => Math.round(usual * EFFORT);

/** Few random cases may lack what a test is about: then others follow. */
const MOST_ROUNDS = 16;

/**
 * Tries random cases, in so many rounds that what has to come up has come up.
 *
 * @param isCovered whether it has; the test says what is missing if it never does
 */
export async function untilCovered(tryCases: () => unknown, isCovered: () => boolean): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS && (round === 0 || !isCovered()); round++) await tryCases();
}

/** A test's limit, in ms. */
export const timeLimit = (usualMs: number): number => usualMs * EFFORT;
