/** Checks, before anything is measured, that all contenders give the same answers. */

import { type Bench, PEERS, STATES } from "./bench.ts";
import { QUERIES } from "./queries.ts";

/** @throws {Error} an answer differs from the one that was rendered when the token was made */
export async function compareText(bench: Bench): Promise<void> {
  for (const query of QUERIES) {
    const expected = await bench.text("rendered", query);
    // The slow ones would need gigabytes for the longest series; the other queries are enough to check them.
    const contenders = query.name === "all blocks" ? STATES : [...STATES, ...PEERS];
    for (const contender of contenders) {
      if ((await bench.text(contender, query)) !== expected) {
        throw new Error(`${contender} gives another answer to the query "${query.name}"`);
      }
    }
  }
}
