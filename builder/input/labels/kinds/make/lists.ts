/** What the sources say together: a list for each chain. Source: docs/contract-kinds.md#rules. */

import { ZERO_ADDRESS } from "../../../../../data-schema/asset.ts";
import type { ContractKind } from "../../../../../data-schema/registry.ts";
import type { Found, KindChain } from "./found.ts";

/** An address that is left out, since the sources know it as several kinds. */
export interface Ambiguous {
  address: string;
  kinds: ContractKind[];
  name: string;
}

/**
 * The list of a chain.
 *
 * @param found of all chains; where several name an address, the first one's name and source are kept
 */
export function chainList(chain: KindChain, found: readonly Found[]): { rows: Found[]; ambiguous: Ambiguous[] } {
  const own = found.filter((row) => row.chain === chain && row.address !== ZERO_ADDRESS);
  const rows: Found[] = [];
  const ambiguous: Ambiguous[] = [];
  for (const [address, all] of Map.groupBy(own, (row) => row.address)) {
    const kinds = [...new Set(all.map(({ kind }) => kind))].sort();
    if (kinds.length === 1) rows.push(all[0]!);
    else ambiguous.push({ address, kinds, name: all[0]!.name });
  }
  return { rows: rows.sort((a, b) => (a.address < b.address ? -1 : 1)), ambiguous };
}
