/** View functions of pools, feeds and tokens, called at the newest block. */

import { NodeFailure, type Nodes } from "../../chain/nodes.ts";

/** Selectors are the first four bytes of the Keccak-256 of the signatures, which a test computes. */
export const SELECTORS = {
  "token0()": "0x0dfe1681",
  "token1()": "0xd21220a7",
  "getReserves()": "0x0902f1ac",
  "slot0()": "0x3850c7bd",
  "liquidity()": "0x1a686502",
  "decimals()": "0x313ce567",
  "symbol()": "0x95d89b41",
  "description()": "0x7284e416",
  "aggregator()": "0x245a7bfc",
  "phaseId()": "0x58303b10",
  "phaseAggregators(uint16)": "0xc1597304",
  "latestRoundData()": "0xfeaf968c",
  "getPair(address,address)": "0xe6a43905",
  "getPool(address,address,uint24)": "0x1698ee82",
} as const;

export interface ViewCall {
  to: string;
  view: keyof typeof SELECTORS;
  /** Each fits into a 32-byte word. */
  parameters?: readonly (string | number)[];
}

const word = (value: string | number) => BigInt(value).toString(16).padStart(64, "0");

/**
 * The 32-byte words that each call returns; none if the contract reverts, or the address has no code.
 *
 * @throws {Failure} no node answers
 */
export async function callViews(nodes: Nodes, calls: readonly ViewCall[]): Promise<bigint[][]> {
  return Promise.all(
    calls.map(async ({ to, view, parameters = [] }) => {
      const data = SELECTORS[view] + parameters.map(word).join("");
      const answer = await nodes.ask("eth_call", [{ to, data }, "latest"]).catch((error: unknown) => {
        if (error instanceof NodeFailure && error.kind === "reverted") return "0x";
        throw error;
      });
      return wordsOf(String(answer));
    }),
  );
}

function wordsOf(hex: string): bigint[] {
  const count = Math.floor((hex.length - 2) / 64);
  return Array.from({ length: count }, (_, index) => BigInt(`0x${hex.slice(2 + 64 * index, 66 + 64 * index)}`));
}

/** The address in a word; undefined for none, and for the zero address. */
export function addressOf(word: bigint | undefined): string | undefined {
  if (word === undefined || word === 0n || word >> 160n !== 0n) return undefined;
  return `0x${word.toString(16).padStart(40, "0")}`;
}
