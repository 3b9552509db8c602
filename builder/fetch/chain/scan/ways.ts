/** The ways to read balances or code of many addresses, the best first. A node that can't do one takes the next. */

import { addressTexts, isBytes } from "../hex.ts";
import type { Block } from "../nodes/known.ts";
import { NodeFailure, type Nodes } from "../nodes/nodes.ts";
import { NodeError } from "../rpc/failures.ts";
import { SELECTORS } from "../selectors.ts";
import { byHash, byNumber, takesHashes, withoutBlock } from "./at-block.ts";
import { isContractCode } from "./code.ts";
import { BY_CREATION, BY_OVERRIDE, type CallForm, runAt } from "./run.ts";
import { BALANCE_ANSWER_BYTES, BALANCE_SCANNER, CODE_SCANNER } from "./scanner.ts";

/** What is asked of each address. */
export interface Target {
  /** The contract of the token; empty for codes. */
  contract: string;
  header: Block;
}

export interface Way<T> {
  name: string;
  /** Addresses in a call, at most. */
  most: number;
  /**
   * Asks one node.
   *
   * @param addresses 20 bytes each
   * @throws the call fails, or its answer is not one of this way
   */
  read(nodes: Nodes, node: number, target: Target, addresses: Uint8Array): Promise<T[]>;
}

/** An answer that is not one of the way. */
export class WrongAnswer extends Error {
  override name = "WrongAnswer";
}

/** 5,000 balances take 14 million gas: less than one transaction may use (EIP-7825), and nodes allow that or more. */
const SCANNED = 5_000;
/** What fits into the code of a contract, and into what creates it. */
const CREATED_BALANCES = 700;
const CREATED_CODES = 2_000;
const BATCHED = 500;

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex");

/** The first word of an answer to `balanceOf`; undefined if it returned less. */
export const balanceIn = (answer: unknown) =>
  typeof answer === "string" && answer.length >= 66 ? BigInt(answer.slice(0, 66)) : undefined;

export const balanceOf = (address: string) => `${SELECTORS["balanceOf(address)"]}${"0".repeat(24)}${address.slice(2)}`;

const isReverted = (error: unknown) =>
  (error instanceof NodeError || error instanceof NodeFailure) && error.kind === "reverted";

const scannedBalances = (form: CallForm, most: number): Way<bigint | undefined> => ({
  name: `balances by ${form.name}`,
  most,
  async read(nodes, node, { contract, header }, addresses) {
    const count = addresses.length / 20;
    const data = `${contract}${hexOf(addresses)}`;
    const answer = await scan(nodes, node, form, BALANCE_SCANNER, data, header, BALANCE_ANSWER_BYTES * count);
    const text = answer.toString("hex");
    return Array.from({ length: count }, (_, i) => {
      const at = BALANCE_ANSWER_BYTES * i;
      return answer[at] === 1 ? BigInt(`0x${text.slice(2 * at + 2, 2 * at + 2 * BALANCE_ANSWER_BYTES)}`) : undefined;
    });
  },
});

const scannedCodes = (form: CallForm, most: number): Way<"contract" | "none"> => ({
  name: `codes by ${form.name}`,
  most,
  async read(nodes, node, { header }, addresses) {
    const data = `0x${hexOf(addresses)}`;
    const answer = await scan(nodes, node, form, CODE_SCANNER, data, header, addresses.length / 20);
    return Array.from(answer, (flag) => (flag === 1 ? "contract" : "none"));
  },
});

/** @param bytes of the answer */
async function scan(
  nodes: Nodes,
  node: number,
  form: CallForm,
  scanner: string,
  data: string,
  header: Block,
  bytes: number,
): Promise<Buffer> {
  const answer = await runAt(nodes, node, form, { scanner, data, header });
  // A node that ignores the override answers 0x: nobody's code is at the address.
  if (answer?.length !== 2 + 2 * bytes) throw new WrongAnswer("the answer is not the scanner's");
  return Buffer.from(answer.slice(2), "hex");
}

/** How a batch names its block. What is asked by number, nothing binds to it. */
const TAGS: readonly [how: string, tagOf: (nodes: Nodes, node: number, header: Block) => unknown][] = [
  [
    "hash",
    async (nodes, node, header) => {
      if (await takesHashes(nodes, node, header)) return byHash(header);
      throw new WrongAnswer("it takes no hashes of blocks");
    },
  ],
  ["number", (_nodes, _node, header) => byNumber(header)],
];

const batchedBalances = TAGS.map(
  ([how, tagOf]): Way<bigint | undefined> => ({
    name: `balances in batches, by ${how}`,
    most: BATCHED,
    async read(nodes, node, { contract, header }, addresses) {
      const tag = await tagOf(nodes, node, header);
      const params = addressTexts(addresses).map((address) => [{ to: contract, data: balanceOf(address) }, tag]);
      try {
        return (await batch(nodes, node, "eth_call", params, header)).map(balanceIn);
      } catch (error) {
        // One that reverts fails the batch.
        if (params.length === 1 && isReverted(error)) return [undefined];
        throw error;
      }
    },
  }),
);

const batchedCodes = TAGS.map(
  ([how, tagOf]): Way<"contract" | "none"> => ({
    name: `codes in batches, by ${how}`,
    most: BATCHED,
    async read(nodes, node, { header }, addresses) {
      const tag = await tagOf(nodes, node, header);
      const params = addressTexts(addresses).map((address) => [address, tag]);
      return (await batch(nodes, node, "eth_getCode", params, header)).map((code) => {
        if (!isBytes(code)) throw new WrongAnswer("the answer is not code");
        return isContractCode(code) ? "contract" : "none";
      });
    },
  }),
);

/** @throws {NodeError} also of a node that has another block of that number */
async function batch(nodes: Nodes, node: number, method: string, params: readonly unknown[][], header: Block) {
  try {
    return await nodes.askAll(
      params.map((params) => ({ method, params })),
      { node, attempts: 3 },
    );
  } catch (error) {
    throw error instanceof NodeFailure && error.kind === "behind" ? withoutBlock(header) : error;
  }
}

export const BALANCES: readonly Way<bigint | undefined>[] = [
  scannedBalances(BY_OVERRIDE, SCANNED),
  scannedBalances(BY_CREATION, CREATED_BALANCES),
  ...batchedBalances,
];

export const CODES: readonly Way<"contract" | "none">[] = [
  scannedCodes(BY_OVERRIDE, SCANNED),
  scannedCodes(BY_CREATION, CREATED_CODES),
  ...batchedCodes,
];
