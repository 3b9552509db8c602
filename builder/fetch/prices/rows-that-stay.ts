/** What a fetch says of rows that it leaves as they are, though it would compute them otherwise now. */

import { isoTime } from "../../../data-schema/text.ts";
import type { PriceSource } from "../../input/asset/source.ts";
import type { FetchedPrices } from "../../input/fetched/fetched.ts";

const AGAIN = "run this again with --recheck prices";

/**
 * @param previous what the last update has left
 * @param digest of the source now
 * @param start of the first new hour, Unix seconds
 */
export function* rowsThatStay(
  source: PriceSource,
  previous: FetchedPrices | undefined,
  digest: string,
  start: number,
): Generator<string> {
  if (!previous) return;
  if (previous.source !== digest) {
    if (previous.rows === 0) return;
    yield `"source.prices" in ASSET.json has changed. The rows of prices.csv up to ${isoTime(start)} stay as they are; later ` +
      `ones follow what it says now. To compute all of them again, ${AGAIN}.`;
    return;
  }
  if (typeof source === "string" || !("pools" in source)) return;
  if (!previous.proof) {
    yield `Prices before ${isoTime(start)} were fetched by a version that did not prove them. To compute them again, ${AGAIN}.`;
    return;
  }
  // A pool that has no price yet begins with no position.
  const pools = Object.entries(previous.proof.pools).filter(
    ([, { sqrtPriceX96 = "0", ticks }]) => sqrtPriceX96 !== "0" && ticks === undefined,
  );
  if (pools.length === 0) return;
  const named = pools.map(([address]) => address).join(", ");
  yield `Prices: an earlier version of Soprano did not record the positions in ${pools.length === 1 ? "the pool" : "the pools"} ` +
    `${named}, so depth is the virtual reserve, which narrow positions make large. To read them, and compute all hours again, ${AGAIN}.`;
}
