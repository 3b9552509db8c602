/** View functions of pools, feeds and tokens. */

import { NodeFailure, type Nodes } from "../../chain/nodes/nodes.ts";
import { StateUnavailable } from "../../chain/scan/scan.ts";
import { agreedOn } from "../../chain/scan/second-opinion.ts";
import { usualBlock } from "../../chain/scan/state-block.ts";
import { callView } from "../../chain/scan/views.ts";
import { SELECTORS, type Signature } from "../../chain/selectors.ts";

export interface ViewCall {
  to: string;
  view: Signature;
  /** Each fits into a 32-byte word. */
  parameters?: readonly (string | number | bigint)[];
  /** What ASSET.json says of a value that does not change. */
  expected?: bigint;
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

/**
 * The 32-byte words that each call returns; none if the contract reverts, or the address has no code.
 *
 * @param block default: the last final one, or a newer one where its state is gone
 * @param node index in `nodes.hosts` of the only node to ask
 * @throws {StateUnavailable} no node has the state of the block
 * @throws {Failure} no node answers
 */
export async function callViews(
  nodes: Nodes,
  calls: readonly ViewCall[],
  block?: number,
  node?: number,
): Promise<bigint[][]> {
  if (block !== undefined) return callAt(nodes, calls, block, node);
  const usual = await usualBlock(nodes);
  try {
    return await callAt(nodes, calls, usual, node, { areConstant: true });
  } catch (error) {
    if (!(error instanceof StateUnavailable)) throw error;
    return callAt(nodes, calls, await usualBlock(nodes, usual), node, { areConstant: true });
  }
}

/** @param areConstant whether constants of contracts are asked for, and so of all nodes, once */
function callAt(
  nodes: Nodes,
  calls: readonly ViewCall[],
  at: number,
  node: number | undefined,
  { areConstant = false } = {},
): Promise<bigint[][]> {
  return Promise.all(
    calls.map(async (call) => {
      const { to, view, parameters = [] } = call;
      const data = SELECTORS[view] + parameters.map(word).join("");
      const isConstant = areConstant && CONSTANTS.has(view);
      const asked = isConstant
        ? nodes.known.constant(`${to} ${data}`, () => constant(nodes, call, data, at))
        : callView(nodes, { to, data }, at, node);
      const answer = await asked.catch((error: unknown) => {
        const isPruned = error instanceof NodeFailure && error.kind === "pruned";
        throw isPruned ? new StateUnavailable(error.message) : error;
      });
      return wordsOf(answer);
    }),
  );
}

/** What does not change is asked of all nodes: prices that are wrong by a power of ten would follow from one of them. */
async function constant(nodes: Nodes, { to, view, expected }: ViewCall, data: string, block: number): Promise<string> {
  const right = await agreedOn(nodes, {
    read: async (node) => [await callView(nodes, { to, data }, block, node)],
    nameOf: () => `${view} of ${to} at block ${block}`,
    ...(expected !== undefined && { expected: { values: [`0x${word(expected)}`], by: "ASSET.json" } }),
  });
  return (right?.[0] as string | undefined) ?? callView(nodes, { to, data }, block);
}

/** The views of a contract at a block. */
export const viewsOf =
  (nodes: Nodes, to: string, block: number, node?: number): View =>
  async (view, ...parameters) => {
    const [words] = await callViews(nodes, [{ to, view, parameters }], block, node);
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
