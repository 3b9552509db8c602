import type { MetricName } from "../../data-schema/metrics.ts";
import { Failure } from "../failure.ts";

/** A sum that no double can hold. */
export function tooLarge(metric: MetricName): Failure {
  return new Failure(`${metric} is too large for a 64-bit float: check decimals in the asset file and the prices.`);
}
