/** A quick look at what is almost always the same. */

import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";

/** Like `toEqual`, which takes a second for tens of thousands of rows, and is asked only for what differs. */
export function expectSame(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}
