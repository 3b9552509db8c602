import type { Checkpoint } from "../engine/checkpoint.ts";
import type { BuildPeriods } from "../engine/periods.ts";

/** What `periods` finds. */
export interface Cuts {
  periods: BuildPeriods;
  /** Absent while no day is complete. */
  checkpoint?: Checkpoint;
}
