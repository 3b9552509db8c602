import type { DayTally } from "../../engine/tally.ts";
import type { ShareFacts } from "../../input/transfers/share.ts";
import type { DigestedDay } from "../checkpoint/provenance.ts";

/** What is known of a run. */
export interface RunFacts extends ShareFacts {
  /** Its days with events, ascending. */
  days: (DayTally & DigestedDay)[];
  /** 32-bit words of each value in `halves`. */
  words: number;
}
