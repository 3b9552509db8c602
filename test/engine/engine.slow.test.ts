/** More of the random histories of engine.property.test.ts, each of which takes half a second of CPU. */

import fc from "fast-check";
import { it } from "vitest";
import { timeLimit, tries } from "../effort.ts";
import { asTheReference } from "./as-the-reference.ts";

it(
  "the engine computes what the reference does, up to any cut, and keeps every invariant",
  () => fc.assert(asTheReference, { numRuns: tries(9) }),
  timeLimit(300_000),
);
