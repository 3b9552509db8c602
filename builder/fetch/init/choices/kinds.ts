/** Cohorts of kinds of contracts that init proposes: those that hold the token. Source: docs/contract-kinds.md#at-init. */

import { CONTRACT_KINDS, type ContractKind, isKind, KIND_NAMES } from "../../../../data-schema/registry.ts";
import { SHIPPED } from "../../../input/asset/asset.ts";
import { readKinds, shippedKinds } from "../../../input/labels/shipped-kinds.ts";
import { Failure } from "../../../lib/failure.ts";
import { count } from "../../../lib/terminal/amount-text.ts";
import type { Nodes } from "../../chain/nodes/nodes.ts";
import { readBalances, StateUnavailable } from "../../chain/scan/scan.ts";
import type { StateBlock } from "../../chain/scan/state-block.ts";
import { withPools } from "../../labels/place-kinds.ts";
import { factoryPools } from "../../prices/find-pools.ts";
import type { Prompt } from "../prompt.ts";
import { atReadableBlock } from "../readable-block.ts";

export interface KindsOptions {
  nodes: Nodes;
  contract: string;
  /** Blocks that follow a final one, if the user says. */
  confirmations: number | undefined;
  /** Raw units. */
  totalSupply: bigint;
  /** `--cohorts`: names, or nothing for `none`; undefined without. */
  given: readonly ContractKind[] | undefined;
  ask: Prompt;
  note(line: string): void;
}

/** The addresses of a kind that hold the token, and what they hold. */
interface Holding {
  kind: ContractKind;
  holders: number;
  /** Addresses of the kind that were looked at. */
  of: number;
  /** Raw units. */
  balance: bigint;
}

/**
 * Asks which kinds become cohorts, where some hold the token.
 *
 * @returns the member `cohorts` of ASSET.json; undefined without
 */
export async function chooseKinds(options: KindsOptions): Promise<Record<string, string> | undefined> {
  const { given, ask } = options;
  if (given) return cohortsOf(given);
  const holdings = await holdingsOf(options);
  if (holdings.length === 0) return undefined;
  for (const holding of holdings) options.note(holdingText(holding, options.totalSupply));
  const chosen = await ask({
    text: "Cohorts of kinds of contracts, separated by commas, or none",
    proposal: holdings.map(({ kind }) => kind).join(),
    option: "--cohorts NAMES",
    parse: parseKinds,
  });
  return cohortsOf(chosen);
}

const cohortsOf = (kinds: readonly ContractKind[]): Record<string, string> | undefined =>
  kinds.length === 0 ? undefined : Object.fromEntries(kinds.map((kind) => [kind, SHIPPED]));

/**
 * Parses `--cohorts`: names of kinds, or `none`.
 *
 * @returns in the order of the table
 * @throws {Failure} a name is none
 */
export function parseKinds(text: string): ContractKind[] {
  const names = text.split(",").map((name) => name.trim().replace(/^@/, ""));
  if (names.length === 1 && names[0] === "none") return [];
  const wrong = names.find((name) => !isKind(name));
  if (wrong !== undefined) {
    throw new Failure(
      `Kinds of contracts are ${KIND_NAMES.join(", ")}, separated by commas, or none; "${wrong}" is none of them.`,
    );
  }
  return KIND_NAMES.filter((name) => names.includes(name));
}

/** What each kind holds, in the order of the table; those that hold nothing are left out. */
async function holdingsOf({ nodes, contract, confirmations, note }: KindsOptions): Promise<Holding[]> {
  const shipped = await readKinds(shippedKinds(nodes.chainId).path);
  // The day is written nowhere.
  const rows = withPools(shipped, await factoryPools(nodes, contract), "");
  const addresses = Buffer.from(rows.map(({ address }) => address.slice(2)).join(""), "hex");
  if (rows.length === 0) return [];
  const read = ({ number }: StateBlock) => readBalances(nodes, contract, addresses, number);
  const balances = await atReadableBlock(nodes, contract, confirmations, read).catch((error: unknown) => {
    if (!(error instanceof StateUnavailable)) throw error;
    note(
      "No node tells which kinds of contracts hold the token: name cohorts of them yourself, as in docs/building.md.",
    );
    return [];
  });
  return KIND_NAMES.flatMap((kind) => {
    const own = rows.flatMap((row, index) => (row.kind === kind ? [balances[index] ?? 0n] : []));
    const held = own.filter((balance) => balance > 0n);
    const balance = held.reduce((sum, one) => sum + one, 0n);
    return held.length === 0 ? [] : [{ kind, holders: held.length, of: own.length, balance }];
  });
}

function holdingText({ kind, holders, of, balance }: Holding, totalSupply: bigint): string {
  const share = totalSupply > 0n ? Number((balance * 1_000_000n) / totalSupply) / 10_000 : 0;
  const text = share > 0 && share < 0.01 ? "less than 0.01" : share.toFixed(2);
  const verb = holders === 1 ? "holds" : "hold";
  return `@${kind} (${CONTRACT_KINDS[kind]}): ${count(holders)} of ${count(of)} ${verb} ${text} % of the supply`;
}
