/** Why workerd does not start, and what to tell the user. */

import { Failure } from "../lib/failure.ts";

/** By what Miniflare says. */
const START: readonly (readonly [RegExp, (match: RegExpMatchArray) => string])[] = [
  [
    /Compatibility date "([^"]+)" is in the future/,
    ([, date]) =>
      `The clock of this machine says ${new Date().toISOString().slice(0, 10)}, but this version of Soprano is from ` +
      `${date} or later: set the clock.`,
  ],
  [
    /Workers runtime failed to start/,
    () =>
      "The Workers runtime (workerd) can't start on this machine: check that `npx workerd --version` works, and lift " +
      "limits on its memory, such as that of `ulimit -v`.",
  ],
];

/**
 * @param error what the start of Miniflare threw
 * @returns undefined if it is none of the known ones
 */
export function startFailure(error: unknown): Failure | undefined {
  const message = String((error as Error).message);
  for (const [pattern, sentence] of START) {
    const match = message.match(pattern);
    if (match) return new Failure(sentence(match), { cause: error });
  }
  return undefined;
}
