/** View functions of pools, feeds and tokens, called at the newest block. */

import { NodeFailure, type Nodes } from "../../chain/nodes.ts";
import { SELECTORS, type Signature } from "../../chain/selectors.ts";

export interface ViewCall {
  to: string;
  view: Signature;
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
