/** What the sources say together: the labels that ship, and what is left out of them. Source: docs/labels.md#left-out. */

import { KINDS_OF_WALLETS } from "../../../input/shapes/exchanges/left-out.ts";
import {
  exchangeFile,
  formatLabels,
  formatLeftOut,
  type LabelRow,
  LEFT_OUT_FILE,
  type LeftOutRow,
} from "../label-file.ts";
import { type Claim, ETHERSCAN, type KindClaim } from "./gathered.ts";

export interface MergedLabels {
  /** By chain; the addresses ascend. */
  exchanges: Map<string, LabelRow[]>;
  /** By chain and address. */
  leftOut: LeftOutRow[];
}

/** Merges the claims, in any order. The result is in an order of its own. */
export function mergeClaims(claims: readonly Claim[], kinds: readonly KindClaim[]): MergedLabels {
  const kindsOf = Map.groupBy(
    kinds.filter(({ kind }) => !KINDS_OF_WALLETS.has(kind)),
    placeOf,
  );
  // An address without code has one owner on all chains, and nothing here tells which have code.
  const saidOf = Map.groupBy(
    claims.filter(({ exchange }) => exchange !== undefined),
    ({ address }) => address,
  );
  const exchanges = new Map<string, LabelRow[]>();
  const leftOut: LeftOutRow[] = [];
  const places = [...Map.groupBy(claims, placeOf)].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [place, unsorted] of places) {
    const own = unsorted.toSorted(bySource);
    const { chain, address } = own[0]!;
    const ruledOut = own.find(({ why }) => why !== undefined);
    const said = saidOf.get(address) ?? [];
    const contradicting = kindsOf.get(place);
    if (ruledOut) {
      leftOut.push({ chain, address, why: ruledOut.why!, said: `${ruledOut.name} (${ruledOut.source})` });
    } else if (contradicting) {
      const of = new Set(contradicting.map(({ kind, name }) => `${name} (${kind})`));
      leftOut.push({ chain, address, why: CONTRADICTED, said: `${claimsText(own)}; ${[...of].sort().join("; ")}` });
    } else if (new Set(said.map(({ exchange }) => exchange)).size > 1) {
      leftOut.push({ chain, address, why: CONTRADICTED, said: claimsText(said) });
    } else {
      exchanges.set(chain, [...(exchanges.get(chain) ?? []), shippedRow(own)]);
    }
  }
  return { exchanges, leftOut };
}

/** Why an address is left out that two sources call something different. */
export const CONTRADICTED = "contradicted";

const placeOf = ({ chain, address }: { chain: string; address: string }) => `${chain} ${address}`;

/** By source, then by name, those without a name last. */
function bySource(a: Claim, b: Claim): number {
  const [one, other] = [a, b].map(({ source, name }) => `${source} ${name === "" ? "\uffff" : name}`);
  return one! < other! ? -1 : one === other ? 0 : 1;
}

/** Such as `okcoin (defillama-adapters); okx (eth-labels)`. */
const claimsText = (claims: readonly Claim[]) =>
  [...new Set(claims.map(({ exchange, source }) => `${exchange} (${source})`))].sort().join("; ");

/** @param claims of one address on one chain, which agree, by source */
function shippedRow(claims: readonly Claim[]): LabelRow {
  const { address, exchange } = claims[0]!;
  const sources = [...Map.groupBy(claims, ({ source }) => source)];
  // Etherscan's names tell wallets apart; DefiLlama's are those of its folders.
  const named = claims.filter(({ name }) => name !== "");
  const { name } = named.find(({ source }) => source === ETHERSCAN) ?? named[0] ?? { name: exchange! };
  return {
    address,
    label: exchange!,
    name,
    sources: sources.map(([source, [claim]]) => ({ source, date: claim!.date })),
  };
}

/** The files, as paths in the folder of labels, and what is in them. */
export function labelFiles({ exchanges, leftOut }: MergedLabels): Map<string, string> {
  const byChain = [...exchanges].map(([chain, rows]) => [exchangeFile(chain), formatLabels(rows)] as const);
  return new Map([...byChain, [LEFT_OUT_FILE, formatLeftOut(leftOut)]]);
}
