/** Where something is done: which of several things, or which place in a whole. */

import fc from "fast-check";

const PARTS = 2 ** 30;

/** A share in [0, 1), evenly distributed: half of all doubles are next to nothing. */
export const share: fc.Arbitrary<number> = fc.nat(PARTS - 1).map((part) => part / PARTS);

/** The item at a share of a list that is not empty. */
export function itemAt<T>(items: readonly T[], share: number): T {
  return items[Math.floor(share * items.length)]!;
}
