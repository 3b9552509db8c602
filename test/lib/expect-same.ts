/** Compares what is large and almost always equal. */

import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";

/** Like `toEqual`, which takes a second for tens of thousands of rows: so it is called only to say what differs. */
export function expectSame(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}
