/** View functions of pools, feeds and tokens. */

import { newestBlock } from "../chain/blocks.ts";
import { NodeFailure, type Nodes } from "../chain/nodes.ts";
import { StateUnavailable } from "../chain/scan.ts";
import { SELECTORS, type Signature } from "../chain/selectors.ts";
import { callView } from "../chain/views.ts";

export interface ViewCall {
  to: string;
  view: Signature;
  /** Each fits into a 32-byte word. */
  parameters?: readonly (string | number | bigint)[];
}

/** Calls a view of one contract: the 32-byte words that it returns. */
export type View = (view: Signature, ...parameters: bigint[]) => Promise<bigint[]>;

/** What does not change while assets are fetched: they share tokens and feeds. */
const CONSTANTS: ReadonlySet<Signature> = new Set<Signature>([
  "decimals()",
  "token0()",
  "token1()",
  "stable()",
  "tickSpacing()",
  "lmPool()",
  "aggregator()",
  "phaseId()",
  "phaseAggregators(uint16)",
]);

const word = (value: string | number | bigint) => BigInt.asUintN(256, BigInt(value)).toString(16).padStart(64, "0");

/** Where nothing says at which block a view is called: the last final one, or where nobody has asked for it, the newest. */
const usualBlock = async (nodes: Nodes) => (nodes.known.lastFinal ?? (await newestBlock(nodes))).number;

/**
 * The 32-byte words that each call returns; none if the contract reverts, or the address has no code.
 *
 * @param block default: the last final one
 * @throws {StateUnavailable} no node has the state of the block
 * @throws {Failure} no node answers
 */
export async function callViews(nodes: Nodes, calls: readonly ViewCall[], block?: number): Promise<bigint[][]> {
  const at = block ?? (await usualBlock(nodes));
  return Promise.all(
    calls.map(async ({ to, view, parameters = [] }) => {
      const data = SELECTORS[view] + parameters.map(word).join("");
      const ask = () => callView(nodes, { to, data }, at);
      const isConstant = block === undefined && CONSTANTS.has(view);
      const answer = await (isConstant ? nodes.known.constant(`${to} ${data}`, ask) : ask()).catch((error: unknown) => {
        const isPruned = error instanceof NodeFailure && error.kind === "pruned";
        throw isPruned ? new StateUnavailable(error.message) : error;
      });
      return wordsOf(answer);
    }),
  );
}

/** The views of a contract at a block. */
export const viewsOf =
  (nodes: Nodes, to: string, block: number): View =>
  async (view, ...parameters) => {
    const [words] = await callViews(nodes, [{ to, view, parameters }], block);
    return words!;
  };

function wordsOf(hex: string): bigint[] {
  const count = Math.floor((hex.length - 2) / 64);
  return Array.from({ length: count }, (_, index) => BigInt(`0x${hex.slice(2 + 64 * index, 66 + 64 * index)}`));
}

/** The address in a word; undefined for none, and for the zero address. */
export function addressOf(word: bigint | undefined): string | undefined {
  if (word === undefined || word === 0n || word >> 160n !== 0n) return undefined;
  return `0x${word.toString(16).padStart(40, "0")}`;
}
