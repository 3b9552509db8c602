/** What a contract answers at a block. */

import { NodeFailure, type Nodes } from "../chain/nodes.ts";

/** Selectors of the functions that are called: the first four bytes of the signature's Keccak-256. */
export const SELECTORS = {
  "name()": "0x06fdde03",
  "symbol()": "0x95d89b41",
  "decimals()": "0x313ce567",
  "totalSupply()": "0x18160ddd",
  "balanceOf(address)": "0x70a08231",
  "owner()": "0x8da5cb5b",
  "getOwner()": "0x893d20e8",
  "supportsInterface(bytes4)": "0x01ffc9a7",
} as const;

export type Signature = keyof typeof SELECTORS;

const DIGITS_OF_A_WORD = 64;

/** An address as a word of call data, without 0x. */
export const addressWord = (address: string) => address.slice(2).toLowerCase().padStart(DIGITS_OF_A_WORD, "0");

export const hexBlock = (block: number) => `0x${block.toString(16)}`;

export class Contract {
  readonly address: string;
  readonly #nodes: Nodes;

  /** @param address lower-case */
  constructor(nodes: Nodes, address: string) {
    this.address = address;
    this.#nodes = nodes;
  }

  /** The code in hexadecimal; `0x` where there is none. */
  async code(block: number, address = this.address): Promise<string> {
    const accept = (result: unknown) => typeof result === "string" && /^0x([0-9a-f]{2})*$/i.test(result);
    return (await this.#nodes.ask("eth_getCode", [address, hexBlock(block)], { accept })) as string;
  }

  /** @returns what a function answers, without 0x; undefined if it reverts or does not exist */
  async call(signature: Signature, block: number, argument = ""): Promise<string | undefined> {
    const data = SELECTORS[signature] + argument;
    const accept = (result: unknown) => typeof result === "string" && /^0x([0-9a-f]{2})*$/i.test(result);
    try {
      const params = [{ to: this.address, data }, hexBlock(block)];
      const answer = ((await this.#nodes.ask("eth_call", params, { accept })) as string).slice(2).toLowerCase();
      return answer === "" ? undefined : answer;
    } catch (error) {
      if (error instanceof NodeFailure && error.kind === "reverted") return undefined;
      throw error;
    }
  }

  /** @returns a word as a number; undefined if the function does not answer with one */
  async number(signature: Signature, block: number, argument = ""): Promise<bigint | undefined> {
    const answer = await this.call(signature, block, argument);
    return answer?.length === DIGITS_OF_A_WORD ? BigInt(`0x${answer}`) : undefined;
  }

  /** @returns lower-case; undefined if the function does not answer with an address */
  async ownerAt(block: number): Promise<string | undefined> {
    for (const signature of ["owner()", "getOwner()"] as const) {
      const word = await this.number(signature, block);
      if (word !== undefined && word > 0n && word < 1n << 160n) return `0x${word.toString(16).padStart(40, "0")}`;
    }
    return undefined;
  }

  balance(address: string, block: number): Promise<bigint | undefined> {
    return this.number("balanceOf(address)", block, addressWord(address));
  }
}

/**
 * A text as contracts answer it: a string, or the bytes32 of early tokens.
 *
 * @param answer hexadecimal, without 0x
 */
export function decodeText(answer: string): string | undefined {
  const bytes = Buffer.from(answer, "hex");
  if (bytes.length === 32) return utf8(bytes.subarray(0, endOfText(bytes)));
  const word = (at: number) =>
    at + 32 <= bytes.length ? BigInt(`0x${bytes.toString("hex", at, at + 32)}`) : undefined;
  const offset = word(0);
  if (offset === undefined || offset > BigInt(bytes.length)) return undefined;
  const length = word(Number(offset));
  const start = Number(offset) + 32;
  if (length === undefined || BigInt(start) + length > BigInt(bytes.length)) return undefined;
  return utf8(bytes.subarray(start, start + Number(length)));
}

const endOfText = (bytes: Buffer) => (bytes.includes(0) ? bytes.indexOf(0) : bytes.length);

const utf8 = (bytes: Buffer) => new TextDecoder().decode(bytes);
