import type { MetricName } from "../../data-schema/metrics.ts";
import type { Checkpoint } from "../engine/checkpoint.ts";
import type { BuildPeriods, Period } from "../engine/periods.ts";

/** What a task of `write` makes: some metrics of a period, or the checkpoint. */
export type Unit = { resolution: "hour" | "block"; period: Period; metrics: readonly MetricName[] } | "checkpoint";

export interface Cuts {
  periods: BuildPeriods;
  units: Unit[];
  /** Absent while no day is complete. */
  checkpoint?: Checkpoint;
}
