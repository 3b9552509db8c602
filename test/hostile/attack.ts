/**
 * What an attack is, and how one is carried out: fast-check makes cases from a seed, and makes a case that goes wrong
 * as small as it can.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { newFolder } from "../folders.ts";

export interface Attack {
  /** For `--only`. */
  name: string;
  /** What it tries, in the plural. */
  unit: string;
  /** The test that tries a few of the same in every run of CI. */
  twin?: string;
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

/** Opens an attack that tries each case in a folder of its own, which is removed afterwards. */
export function inFolders<Case>(
  cases: fc.Arbitrary<Case>,
  attempt: (one: Case, folder: string) => Promise<number>,
): Attack["open"] {
  return async () => {
    const parent = newFolder();
    const target: Target<Case> = {
      cases,
      async attempt(one) {
        const folder = mkdtempSync(join(parent, "case-"));
        try {
          return await attempt(one, folder);
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      },
      async close() {
        rmSync(parent, { recursive: true, force: true });
      },
    };
    return target as Target;
  };
}

/** How much to try: a number of cases, or until a time in milliseconds since 1970. */
export interface Extent {
  seed: number;
  /** The path of a case that went wrong: tries that case alone. */
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
/** Cases of one seed; then the next seed follows. */
const CASES = 20;

/** Carries out an attack. After a finding it goes on with the next seed; a case that has begun is never broken off. */
export async function carryOut({ open }: Attack, { seed, path, cases, until }: Extent): Promise<Outcome> {
  const target = await open();
  const findings = new Map<string, Finding>();
  let [tried, begun] = [0, 0];
  const isOver = () => until === undefined || Date.now() >= until;
  const property = fc.asyncProperty(target.cases, async (one) => {
    // Neither more cases nor smaller ones, but one at least, however long it took to prepare.
    if (until !== undefined && begun > 0 && isOver()) return;
    begun++;
    tried += await target.attempt(one);
  });
  try {
    for (let next = seed; findings.size < MAX_FINDINGS; next++) {
      const replay = path === undefined ? {} : { path, endOnFailure: true };
      const details = await fc.check(property, { seed: next, numRuns: cases ?? CASES, ...replay });
      const { counterexample, counterexamplePath, errorInstance } = details;
      if (counterexample !== null && counterexamplePath !== null) {
        const [example] = counterexample as [unknown];
        const problem = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
        const finding = { problem, example: fc.stringify(example), seed: next, path: counterexamplePath };
        // Alike but for their numbers, they are one: the smallest of them.
        const kind = problem.replaceAll(/\d+/g, "#");
        const known = findings.get(kind);
        if (!known || finding.example.length < known.example.length) findings.set(kind, finding);
      }
      if (path !== undefined || isOver()) break;
    }
  } finally {
    await target.close();
  }
  return { tried, findings: [...findings.values()] };
}
