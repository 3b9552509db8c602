import type { Checkpoint } from "../../engine/checkpoint.ts";
import type { BuildPeriods } from "../../engine/periods.ts";

/** What `periods` finds. */
export interface Cuts {
  periods: BuildPeriods;
  /** By block period: in how many new blocks each row of sums (flow-sums.ts) is used. */
  blockEntries: Record<string, number[]>;
  /** Absent while no day is complete. */
  checkpoint?: Checkpoint;
}
