/**
 * Alternatives measured side by side: each runs once a round, in turn, so that whatever else the machine does meets
 * them all alike; what counts is the median of the rounds.
 */

/** What one run of an alternative gave, by name: seconds, requests per second, bytes … */
export type Figures = Record<string, number>;

export type Alternatives<Name extends string, F extends Figures> = Record<Name, () => F | Promise<F>>;

/**
 * Runs every alternative once a round and returns the median of each of its figures.
 *
 * @param onRun told what is about to run, for progress
 */
export async function medianFigures<Name extends string, F extends Figures>(
  rounds: number,
  alternatives: Alternatives<Name, F>,
  onRun: (name: Name, round: number) => void = () => {},
): Promise<Record<Name, F>> {
  const names = Object.keys(alternatives) as Name[];
  const runs = Object.fromEntries(names.map((name) => [name, [] as F[]])) as Record<Name, F[]>;
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      onRun(name, round);
      runs[name].push(await alternatives[name]());
    }
  }
  return Object.fromEntries(names.map((name) => [name, medianOfEach(runs[name])])) as Record<Name, F>;
}

function medianOfEach<F extends Figures>(runs: readonly F[]): F {
  const figures = Object.keys(runs[0]).map((figure) => [figure, median(runs.map((run) => run[figure]))]);
  return Object.fromEntries(figures) as F;
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
