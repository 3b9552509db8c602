/** The balances that a fetch has proven, for who looks at what is published of them. Source: docs/operating.md#verify. */

import { DAY_SECONDS } from "../../../../data-schema/text.ts";
import { readAsset } from "../../../input/asset/asset.ts";
import { inputsFolder, readFetched } from "../../../input/fetched/fetched.ts";
import { advisedFetch } from "../../../lib/advised.ts";
import { Failure } from "../../../lib/failure.ts";
import { savedLedger } from "./saved-ledger.ts";

/** The balances at the end of the last day that was fetched as a whole. */
export interface ProvenBalances {
  symbol: string;
  /** Unix seconds. */
  end: number;
  /** Addresses with a balance. */
  holders: number;
  /** The balances of addresses of 20 bytes each, raw; 0 of one that never held any. */
  of(addresses: Uint8Array): bigint[];
}

/**
 * What the last fetch of an asset has kept: it follows from the transfers, and the fetch has compared it with the chain.
 *
 * @param path of its ASSET.json
 * @throws {Failure} nothing has been fetched, its last check did not pass, or it has kept no balances
 */
export async function provenBalances(path: string): Promise<ProvenBalances> {
  const { symbol } = await readAsset(path);
  const folder = inputsFolder(path, symbol);
  const fetched = await readFetched(folder);
  const isProven = fetched?.check?.status === "passed";
  const ledger = isProven ? savedLedger(folder, fetched.files) : undefined;
  if (!fetched || !ledger) {
    const problem = isProven ? "its last fetch has kept no balances" : "its balances have not been proven";
    throw new Failure(`${path}: ${problem}. Run ${advisedFetch(path, "--check", "all")} first.`);
  }
  const asOf = Date.parse(fetched.asOf) / 1000;
  return {
    symbol,
    end: asOf - (asOf % DAY_SECONDS),
    holders: ledger.numbers("holders").length,
    of: (addresses) => Array.from(ledger.addresses.numbersOf(addresses, "find"), (number) => ledger.balance(number)),
  };
}
