/** The facts that were gathered from the sources: three CSV files, a row each. Source: docs/labels.md#making-them-again. */

import { EXCHANGE_OF_PROJECT } from "../../../input/shapes/exchanges/exchange-names.ts";
import { exchangeOnEtherscan } from "../../../input/shapes/exchanges/exchange-of.ts";
import { RULES } from "../../../input/shapes/exchanges/left-out.ts";
import { Failure } from "../../../lib/failure.ts";
import { checkedAddress, parseCsv } from "../label-file.ts";

/** What a source says of an address on a chain. */
export interface Claim {
  chain: string;
  /** Lower-case. */
  address: string;
  /** The source's own name for it; empty if it has none. */
  name: string;
  source: string;
  /** When the source's commit was made, such as `2023-10-02`. */
  date: string;
  /** Either the exchange that is meant, or why it is none. */
  exchange?: string;
  why?: string;
}

/** The dates of the sources that the list of Ethereum was gathered from, which has none. */
const DATES: Readonly<Record<string, string>> = {
  spellbook: "2023-05-30",
  "etherscan-labels": "2023-10-02",
  "eth-labels": "2024-06-28",
};

const DEFILLAMA = "defillama-adapters";
export const ETHERSCAN = "etherscan-labels";

/**
 * `exchanges.csv`: Ethereum, with exchanges that are named as in the registry. A row with several sources is a claim of each.
 *
 * @throws {Failure} a row is malformed, or of a source without a date
 */
export function parseEthereum(text: string): Claim[] {
  return parseCsv("exchanges.csv", text, ["address", "exchange", "source"]).flatMap(({ cells, row }) => {
    const [address = "", exchange = "", sources = ""] = cells;
    return sources.split("+").map((source) => {
      const date = DATES[source];
      if (date === undefined)
        throw new Failure(`exchanges.csv, row ${row}: the source “${source}” has no date; add it.`);
      return {
        chain: "ethereum",
        address: checkedAddress("exchanges.csv", row, address.toLowerCase()),
        name: "",
        source,
        date,
        exchange,
      };
    });
  });
}

/**
 * `exchanges-by-chain.csv`: names as the sources have them.
 *
 * @throws {Failure} a row is malformed, or its name stands in no table
 */
export function parseByChain(text: string): Claim[] {
  const file = "exchanges-by-chain.csv";
  return parseCsv(file, text, ["chain", "address", "name", "source", "date"]).map(({ cells, row }) => {
    const [chain = "", address = "", name = "", list = "", date = ""] = cells;
    const [source = "", label] = list.split(":");
    const claim = { chain, address: checkedAddress(file, row, address.toLowerCase()), name, source, date };
    const rule = RULES.find(({ projects, names }) =>
      source === DEFILLAMA ? projects?.includes(name) : names?.test(name),
    );
    if (rule) return { ...claim, why: rule.why };
    const exchange = source === DEFILLAMA ? EXCHANGE_OF_PROJECT[name] : exchangeOnEtherscan(name, label);
    if (exchange !== undefined) return { ...claim, exchange };
    throw new Failure(
      `${file}, row ${row}: “${name}” of ${list} stands for no exchange; add it to exchange-names.ts in builder/input/shapes/exchanges, or leave it out by a rule of left-out.ts there.`,
    );
  });
}

/** What a source says of a contract. */
export interface KindClaim {
  chain: string;
  address: string;
  kind: string;
  name: string;
}

/**
 * `contract-kinds.csv`.
 *
 * @throws {Failure} a row is malformed
 */
export function parseKindClaims(text: string): KindClaim[] {
  const file = "contract-kinds.csv";
  return parseCsv(file, text, ["chain", "address", "kind", "name", "source", "date"]).map(({ cells, row }) => {
    const [chain = "", address = "", kind = "", name = ""] = cells;
    return { chain, address: checkedAddress(file, row, address.toLowerCase()), kind, name };
  });
}
