/** Pauses for tests: as short as can be. */

import type { NodePatience } from "../../../builder/fetch/chain/nodes/nodes.ts";

export const EAGER: NodePatience = {
  firstPauseMs: 2,
  longestPauseMs: 10,
  longestWaitMs: 3_000,
  hopelessAfterMs: 2_000,
};
