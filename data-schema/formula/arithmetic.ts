/** The arithmetic of doubles, as in numpy: division by 0 is infinite, or NaN of 0. */

import type { Operator } from "./tokens.ts";

export const ARITHMETIC: Record<Operator, (a: number, b: number) => number> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
};
