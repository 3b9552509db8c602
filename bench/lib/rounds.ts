/**
 * Measures alternatives side by side: each runs once per round, in turn, so that other load on the machine affects all
 * alike. The figures are the medians of the rounds.
 */

/** The figures of one run, by name: seconds, requests per second, bytes … */
export type Figures = Record<string, number>;

export type Alternatives = Record<string, () => Figures | Promise<Figures>>;

/** The medians of each alternative. */
export type Medians<A extends Alternatives> = { [Name in keyof A]: Awaited<ReturnType<A[Name]>> };

/** The figures of each round, by alternative. */
export type Rounds<A extends Alternatives> = { [Name in keyof A]: Awaited<ReturnType<A[Name]>>[] };

/** Told what is about to run, for progress. */
export type OnRun = (name: string, round: number) => void;

/** Runs every alternative once a round and returns the median of each of its figures. */
export async function medianFigures<A extends Alternatives>(
  rounds: number,
  alternatives: A,
  onRun?: OnRun,
): Promise<Medians<A>> {
  const runs = Object.entries(await figuresOfRounds(rounds, alternatives, onRun));
  return Object.fromEntries(runs.map(([name, figures]) => [name, medianOfEach(figures)])) as Medians<A>;
}

/** Runs every alternative once a round and returns all figures. */
export async function figuresOfRounds<A extends Alternatives>(
  rounds: number,
  alternatives: A,
  onRun: OnRun = () => {},
): Promise<Rounds<A>> {
  const runs = Object.entries(alternatives).map(([name, run]) => ({ name, run, figures: [] as Figures[] }));
  for (let round = 0; round < rounds; round++) {
    for (const { name, run, figures } of runs) {
      onRun(name, round);
      figures.push(await run());
    }
  }
  return Object.fromEntries(runs.map(({ name, figures }) => [name, figures])) as Rounds<A>;
}

function medianOfEach(runs: readonly Figures[]): Figures {
  const names = Object.keys(runs[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, median(runs.map((run) => run[name]!))]));
}

/** The middle value, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Runs `work` and measures the seconds it takes. */
export async function timed(work: () => unknown): Promise<{ seconds: number }> {
  const began = performance.now();
  await work();
  return { seconds: (performance.now() - began) / 1000 };
}
