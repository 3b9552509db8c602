/** The decimals of ASSET.json against the contract's: with others, every amount is wrong by a power of ten. */

import { contractDecimals } from "../../input/asset/asset.ts";
import { wrongDecimals } from "../../input/fetched/fetched-asset.ts";
import type { AssetFetch } from "../plan/work.ts";
import { callViews } from "../prices/pools/calls.ts";
import type { Identity } from "./statements.ts";

/**
 * Asks once, and is content with what is kept from then on, until a check finds something else.
 *
 * @param said by one node, at the block of a check
 * @throws {Failure} the contract says something else; one that says nothing is believed
 */
export async function checkDecimals({ asset, nodes, facts }: AssetFetch, said: Identity = {}): Promise<void> {
  const expected = BigInt(contractDecimals(asset));
  const ask = async () => {
    const [[said] = []] = await callViews(nodes, [{ to: asset.contract, view: "decimals()", expected }]);
    return said === undefined ? null : Number(said);
  };
  const isWrong = (decimals: number | null) => decimals !== null && decimals !== contractDecimals(asset);
  if (!isWrong(said.decimals ?? (await facts.get("decimals", ask)))) return;
  // A node may have been wrong, or ASSET.json been corrected since.
  const decimals = await ask();
  await facts.put("decimals", decimals);
  if (isWrong(decimals)) throw wrongDecimals(asset, decimals!);
}
