/**
 * The ways to read balances or code of many addresses, the best first. A node that can't do one takes the next: some
 * have no state overrides, and Multicall3 is not on every chain.
 */

import { isContractCode } from "../code.ts";
import { isBytes, quantity } from "../hex.ts";
import { NodeFailure, type Nodes } from "../nodes.ts";
import { NodeError } from "../rpc/failures.ts";
import { SELECTORS } from "../selectors.ts";
import { BALANCE_ANSWER_BYTES, BALANCE_SCANNER, CODE_SCANNER, SCANNER_ADDRESS } from "./scanner.ts";

/** What is asked of each address. */
export interface Target {
  /** The contract of the token; empty for codes. */
  contract: string;
  block: number;
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

/** https://www.multicall3.com: at this address on some 250 chains. */
export const MULTICALL3 = "0xca11bde05977b3631167028862be2a173976ca11";

/** 5,000 balances take 14 million gas: less than one transaction may use (EIP-7825), and nodes allow that or more. */
const SCANNED = 5_000;
/** About 200 kB of calldata. */
const AGGREGATED = 1_000;
const BATCHED = 500;

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex");

/** Each of the addresses, 0x and 40 digits. */
const listOf = (addresses: Uint8Array) =>
  Array.from({ length: addresses.length / 20 }, (_, i) => `0x${hexOf(addresses.subarray(20 * i, 20 * i + 20))}`);

async function scan(nodes: Nodes, node: number, code: string, data: string, block: number, bytes: number) {
  const call = { to: SCANNER_ADDRESS, data };
  const answer = await nodes.attempt(node, "eth_call", [call, quantity(block), { [SCANNER_ADDRESS]: { code } }]);
  // A node that ignores the override answers 0x: nobody's code is at the address.
  if (typeof answer !== "string" || answer.length !== 2 + 2 * bytes)
    throw new WrongAnswer("the answer is not the scanner's");
  return Buffer.from(answer.slice(2), "hex");
}

/** ox throws errors of its own. Where there is no contract, the answer is 0x. */
function decodeAnswer<T>(decode: () => T): T {
  try {
    return decode();
  } catch {
    throw new WrongAnswer("the answer is not Multicall3's");
  }
}

/** The first word of an answer to `balanceOf`; undefined if it returned less. */
const balanceIn = (answer: unknown) =>
  typeof answer === "string" && answer.length >= 66 ? BigInt(answer.slice(0, 66)) : undefined;

const balanceOf = (address: string) => `${SELECTORS["balanceOf(address)"]}${"0".repeat(24)}${address.slice(2)}`;

export const BALANCES: readonly Way<bigint | undefined>[] = [
  {
    name: "balances by override",
    most: SCANNED,
    async read(nodes, node, { contract, block }, addresses) {
      const count = addresses.length / 20;
      const data = `${contract}${hexOf(addresses)}`;
      const answer = await scan(nodes, node, BALANCE_SCANNER, data, block, BALANCE_ANSWER_BYTES * count);
      const text = answer.toString("hex");
      return Array.from({ length: count }, (_, i) => {
        const at = BALANCE_ANSWER_BYTES * i;
        return answer[at] === 1 ? BigInt(`0x${text.slice(2 * at + 2, 2 * at + 2 * BALANCE_ANSWER_BYTES)}`) : undefined;
      });
    },
  },
  {
    name: "balances by Multicall3",
    most: AGGREGATED,
    async read(nodes, node, { contract, block }, addresses) {
      const { encodeData, decodeResult, from } = await import("ox/AbiFunction");
      const aggregate = from(
        "function tryAggregate(bool requireSuccess, (address target, bytes callData)[] calls) returns ((bool success, bytes returnData)[])",
      );
      const calls = listOf(addresses).map((address) => ({
        target: contract as `0x${string}`,
        callData: balanceOf(address) as `0x${string}`,
      }));
      const call = { to: MULTICALL3, data: encodeData(aggregate, [false, calls]) };
      const answer = await nodes.attempt(node, "eth_call", [call, quantity(block)]);
      const results = decodeAnswer(() => decodeResult(aggregate, answer as `0x${string}`));
      if (results.length !== calls.length) throw new WrongAnswer("the answer is not Multicall3's");
      return results.map(({ success, returnData }) => (success ? balanceIn(returnData) : undefined));
    },
  },
  {
    name: "balances in batches",
    most: BATCHED,
    async read(nodes, node, { contract, block }, addresses) {
      const params = listOf(addresses).map((address) => [{ to: contract, data: balanceOf(address) }, quantity(block)]);
      try {
        const calls = params.map((params) => ({ method: "eth_call", params }));
        return (await nodes.askAll(calls, { node })).map(balanceIn);
      } catch (error) {
        // One that reverts fails the batch.
        if (params.length === 1 && isReverted(error)) return [undefined];
        throw error;
      }
    },
  },
];

const isReverted = (error: unknown) =>
  (error instanceof NodeError || error instanceof NodeFailure) && error.kind === "reverted";

export const CODES: readonly Way<"contract" | "none">[] = [
  {
    name: "codes by override",
    most: SCANNED,
    async read(nodes, node, { block }, addresses) {
      const count = addresses.length / 20;
      const answer = await scan(nodes, node, CODE_SCANNER, `0x${hexOf(addresses)}`, block, count);
      return Array.from(answer, (flag) => (flag === 1 ? "contract" : "none"));
    },
  },
  {
    name: "codes in batches",
    most: BATCHED,
    async read(nodes, node, { block }, addresses) {
      const calls = listOf(addresses).map((address) => ({ method: "eth_getCode", params: [address, quantity(block)] }));
      const codes = await nodes.askAll(calls, { node });
      return codes.map((code) => {
        if (!isBytes(code)) throw new WrongAnswer("the answer is not code");
        return isContractCode(code) ? "contract" : "none";
      });
    },
  },
];
