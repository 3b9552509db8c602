/** What a contract answers at a block. */

import type { Nodes } from "../chain/nodes/nodes.ts";
import { codeAt } from "../chain/scan/creation.ts";
import { callView } from "../chain/scan/views.ts";
import { SELECTORS, type Signature } from "../chain/selectors.ts";

const DIGITS_OF_A_WORD = 64;

/** An address as a word of call data, without 0x. */
const addressWord = (address: string) => address.slice(2).toLowerCase().padStart(DIGITS_OF_A_WORD, "0");

export class Contract {
  readonly address: string;
  readonly #nodes: Nodes;
  readonly #node: number | undefined;

  /**
   * @param address lower-case
   * @param node index in `nodes.hosts` of the only node to ask
   */
  constructor(nodes: Nodes, address: string, node?: number) {
    this.address = address;
    this.#nodes = nodes;
    this.#node = node;
  }

  /** The code in hexadecimal; `0x` where there is none. */
  code(block: number, address = this.address): Promise<string> {
    return codeAt(this.#nodes, address, block, this.#node);
  }

  /** @returns what a function answers, without 0x; undefined if it reverts or does not exist */
  async call(signature: Signature, block: number, argument = ""): Promise<string | undefined> {
    const call = { to: this.address, data: SELECTORS[signature] + argument };
    const answer = (await callView(this.#nodes, call, block, this.#node)).slice(2).toLowerCase();
    return answer === "" ? undefined : answer;
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
