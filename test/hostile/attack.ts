/**
 * What an attack is, and how one is carried out: fast-check makes cases from a seed, and makes a case that goes wrong
 * as small as it can.
 */

import fc from "fast-check";

export interface Attack {
  /** For `--only`. */
  name: string;
  /** What it tries, in the plural. */
  unit: string;
  /** Cases that `npm test` tries; none if left out. */
  few?: number;
  /** What this machine lacks for it; undefined where it can run. */
  lacks?(): string | undefined;
  open(): Promise<Target>;
}

/** What is attacked, and with what. */
export interface Target<Case = unknown> {
  cases: fc.Arbitrary<Case>;
  /**
   * Tries a case.
   *
   * @returns how many of the attack's unit that was
   * @throws {Error} what has gone wrong
   */
  attempt(one: Case): Promise<number>;
  close(): Promise<void>;
}

/** How much to try: a number of cases, or until a time in milliseconds since 1970. */
export interface Extent {
  seed: number;
  /** Of a case that went wrong: tries that case alone. */
  path?: string | undefined;
  cases?: number;
  until?: number;
}

/** A case that went wrong, and what repeats it. */
export interface Finding {
  problem: string;
  example: string;
  seed: number;
  path: string;
}

export interface Outcome {
  tried: number;
  findings: Finding[];
}

/** Different findings after which an attack ends. */
const MAX_FINDINGS = 5;

/** What an attack gets that took all of its time to prepare, on a busy machine. */
const LEAST_MS = 5_000;

/** Carries out an attack. After a finding it goes on with the next seed. */
export async function carryOut({ open }: Attack, { seed, path, cases, ...extent }: Extent): Promise<Outcome> {
  const target = await open();
  const until = extent.until && (Date.now() < extent.until ? extent.until : Date.now() + LEAST_MS);
  const findings = new Map<string, Finding>();
  let tried = 0;
  let running: Promise<unknown> = Promise.resolve();
  const property = fc.asyncProperty(target.cases, async (one) => {
    const attempt = target.attempt(one);
    running = attempt.catch(() => {});
    tried += await attempt;
  });
  try {
    for (let next = seed; findings.size < MAX_FINDINGS; next++) {
      const limit = until === undefined ? [] : [fc.interruptAfterTimeLimit(Math.max(0, until - Date.now()))];
      const details = await fc.check(property, {
        ...{ seed: next, numRuns: cases ?? Number.MAX_SAFE_INTEGER, plugins: limit },
        ...(path !== undefined && { path, endOnFailure: true }),
      });
      // An interrupted case still uses the target.
      await running;
      const { counterexample, counterexamplePath } = details;
      if (counterexample !== null && counterexamplePath !== null) {
        const [example] = counterexample as [unknown];
        const problem = messageOf(details.errorInstance);
        const finding = { problem, example: fc.stringify(example), seed: next, path: counterexamplePath };
        // Alike but for their numbers, they are one: the smallest of them.
        const kind = problem.replaceAll(/\d+/g, "#");
        const known = findings.get(kind);
        if (!known || finding.example.length < known.example.length) findings.set(kind, finding);
      }
      if (path !== undefined || until === undefined || Date.now() >= until) break;
    }
  } finally {
    await target.close();
  }
  return { tried, findings: [...findings.values()] };
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
