/** Pauses for tests: as short as can be. */

import type { Patience } from "../../../builder/fetch/chain/nodes/nodes.ts";

export const EAGER: Patience = { firstPauseMs: 2, longestPauseMs: 10, longestWaitMs: 3_000, hopelessAfterMs: 2_000 };
