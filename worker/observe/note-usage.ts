/** What each key uses, for the operator to add up: one data point for a finished request. */

import { USAGE_BLOBS, USAGE_DOUBLES } from "../../data-schema/access.ts";
import { logFailure, type RequestEntry, type Sent } from "./log.ts";

/** Texts of a data point together have up to 16 KB; the longest is a list of assets. */
const MOST_LETTERS = 500;

/**
 * Notes a request that brought a valid key, also one that was refused by its plan or for its parameters.
 *
 * @param dataset undefined if the operator does not count
 */
export function noteUsage(
  entry: RequestEntry,
  status: number,
  sent: Sent | undefined,
  dataset: AnalyticsEngineDataset | undefined,
): void {
  const { key, id, route, metric, tool, format, asset } = entry;
  if (dataset === undefined || key === undefined) return;
  const texts = { route, metric: metric ?? tool, format, asset, status: String(status) };
  const numbers = { requests: 1, points: sent?.points ?? 0, bytes: sent?.bytes ?? 0 };
  try {
    dataset.writeDataPoint({
      indexes: [key],
      blobs: USAGE_BLOBS.map((name) => (texts[name] ?? "").slice(0, MOST_LETTERS)),
      doubles: USAGE_DOUBLES.map((name) => numbers[name]),
    });
  } catch (cause) {
    // The answer has been sent: a request that is not counted is better than one that fails.
    logFailure("usage-unavailable", cause, id);
  }
}
