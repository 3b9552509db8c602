/**
 * What files of transfers depend on beside the chain. It stays the same from fetch to fetch, or the files of an asset would
 * not fit together. Source: docs/formats.md#fetchjson.
 */

import { inputsPrefix } from "../../../data-schema/stored.ts";
import type { AssetFile } from "../../input/asset/asset.ts";
import type { Source } from "../../input/asset/source.ts";
import { type Fetched, type FetchedTerms, fetchedBlocks } from "../../input/fetched/fetched.ts";
import { Failure } from "../../lib/failure.ts";
import type { ObjectStore } from "../../store/store.ts";
import type { Opening } from "../transfers/opening.ts";

export const termsOf = ({ events, owners }: Source, opening: Opening | undefined): FetchedTerms => ({
  events,
  ...(owners && { owners }),
  ...(opening && { openingBalances: opening.sha256 }),
});

/**
 * Compares ASSET.json with what its files were fetched by.
 *
 * @param place where the inputs are: their folder, and the bucket that keeps them
 * @throws {Failure} they differ; says what to do
 */
export function checkTerms(
  asset: AssetFile,
  source: Source,
  terms: FetchedTerms,
  fetched: Fetched,
  { folder, store }: { folder: string; store?: ObjectStore | undefined },
): void {
  const { from, to } = fetchedBlocks(fetched);
  const now = compared({ chainId: source.chainId, contract: asset.contract }, source.firstBlock, terms, to);
  const then = compared(fetched, from, fetched.terms, to);
  const all = store ? `that folder and ${inputsPrefix(asset.symbol)} in ${store.name}` : "that folder";
  for (const key of Object.keys(now) as (keyof typeof now)[]) {
    if (now[key] === then[key]) continue;
    throw new Failure(
      `${asset.path}: "${key}" is ${now[key]}, but ${folder} was fetched for ${then[key]}. Correct it, or remove ${all} ` +
        "to fetch everything again.",
    );
  }
}

/** By the members of ASSET.json, as texts for the user. */
function compared(
  { chainId, contract }: { chainId: number; contract: string },
  firstBlock: number,
  { events, owners, openingBalances }: FetchedTerms,
  to: number,
) {
  // An owner of later blocks has moved nothing yet.
  const until = owners?.filter(({ fromBlock }) => fromBlock <= to);
  return {
    chainId: String(chainId),
    contract,
    firstBlock: String(firstBlock),
    events,
    owners: until?.map(({ fromBlock, address }) => `${address} from block ${fromBlock} on`).join(", ") ?? "none",
    openingBalances: openingBalances === undefined ? "none" : `a table with the SHA-256 ${openingBalances}`,
  };
}
