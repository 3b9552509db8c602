/** What goes wrong with workerd, which keeps R2 and KV on this machine, and what to tell the user. */

import { Failure } from "../lib/failure.ts";

/** Why workerd does not start, by what Miniflare says. */
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

/** @param reason what a put answered */
export function putSentence(reason: string, key: string, persist: string): string {
  // What workerd answers while another process has locked its database, and of what then was on its way there.
  return /Unspecified error|Network connection lost/.test(reason)
    ? `${key} can't be stored in ${persist}: another build or server uses the folder at this moment, or its disk is ` +
        "full. Let one finish, then build again."
    : `${key} can't be stored in ${persist} (${reason}): check that the disk is not full, then build again.`;
}
