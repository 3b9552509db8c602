/**
 * Alternatives measured side by side: each runs once a round, in turn, so that whatever else the machine does meets
 * them all alike; what counts is the median of the rounds.
 */

/** What one run of an alternative gave, by name: seconds, requests per second, bytes … */
export type Figures = Record<string, number>;

export type Alternatives = Record<string, () => Figures | Promise<Figures>>;

/** What each alternative gives. */
export type Medians<A extends Alternatives> = { [Name in keyof A]: Awaited<ReturnType<A[Name]>> };

/**
 * Runs every alternative once a round and returns the median of each of its figures.
 *
 * @param onRun told what is about to run, for progress
 */
export async function medianFigures<A extends Alternatives>(
  rounds: number,
  alternatives: A,
  onRun: (name: string, round: number) => void = () => {},
): Promise<Medians<A>> {
  const runs = Object.keys(alternatives).map((name) => ({ name, figures: [] as Figures[] }));
  for (let round = 0; round < rounds; round++) {
    for (const { name, figures } of runs) {
      onRun(name, round);
      figures.push(await alternatives[name]());
    }
  }
  return Object.fromEntries(runs.map(({ name, figures }) => [name, medianOfEach(figures)])) as Medians<A>;
}

function medianOfEach(runs: readonly Figures[]): Figures {
  return Object.fromEntries(Object.keys(runs[0]).map((figure) => [figure, median(runs.map((run) => run[figure]))]));
}

/** The middle one, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Runs `work` and says how long it took. */
export async function timed<T>(work: () => T | Promise<T>): Promise<{ seconds: number; result: T }> {
  const began = performance.now();
  const result = await work();
  return { seconds: (performance.now() - began) / 1000, result };
}
