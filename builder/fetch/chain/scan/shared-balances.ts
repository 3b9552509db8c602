/**
 * Balances of several tokens that are asked for at the same time and block, as those of many small assets in a night, in one
 * request, by the scanner of views. Source: docs/chain.md#many-assets.
 */

import { Gathered } from "../../../lib/gathered.ts";
import { ADDRESS_BYTES } from "../../../lib/widths.ts";
import { readBlock } from "../blocks.ts";
import { addressTexts } from "../hex.ts";
import type { Block } from "../nodes/known.ts";
import { NodeFailure, type Nodes } from "../nodes/nodes.ts";
import { OF_THE_NODE } from "../rpc/failures.ts";
import { StateUnavailable, stateUnavailable } from "./kept-states.ts";
import { runAnywhere } from "./run.ts";
import { VIEW_SCANNER } from "./scanner.ts";
import { decodeAnswers, encodeCalls } from "./views.ts";
import { balanceIn, balanceOf } from "./ways.ts";

/** Balances in a request: their gas, some 5,000 each, is below what nodes allow a call. */
const MOST = 3_000;
/** Balances of one token: for more, the scanner of balances asks alone, with a third of the bytes. */
const MOST_OF_ONE = 1_000;

/** The balances of one token. */
interface Question {
  contract: string;
  holders: readonly string[];
  block: number;
  resolve(balances: (bigint | undefined)[] | undefined): void;
  reject(error: unknown): void;
}

class SharedBalances {
  readonly #nodes: Nodes;
  /** Balances in a request, as far as is known. */
  #most = MOST;
  /** Whether the nodes have run the scanner. */
  #isProven = false;
  readonly gathered = new Gathered<Question>((questions) => {
    for (const group of groupsOf(questions, this.#most)) void this.#ask(group);
  });

  constructor(nodes: Nodes) {
    this.#nodes = nodes;
  }

  async #ask(group: readonly Question[]): Promise<void> {
    if (group.length === 1) return group[0]!.resolve(undefined);
    try {
      await this.#askPart(group, await readBlock(this.#nodes, group[0]!.block));
    } catch (error) {
      const kind = error instanceof NodeFailure ? error.kind : undefined;
      const isOfAll = error instanceof StateUnavailable || (kind !== undefined && OF_THE_NODE.has(kind));
      for (const { block, resolve, reject } of group) {
        if (kind === "pruned") reject(stateUnavailable(block));
        else if (isOfAll) reject(error);
        // Alone, each finds out what is wrong, and whether it concerns it.
        else resolve(undefined);
      }
    }
  }

  /** @returns whether the answer came in one piece */
  async #askPart(group: readonly Question[], header: Block): Promise<boolean> {
    if (group.length === 1) {
      group[0]!.resolve(undefined);
      return true;
    }
    const found = await this.#together(group, header);
    if (found) {
      for (const [i, { resolve }] of group.entries()) resolve(found[i]);
      return true;
    }
    const [first] = group as [Question];
    // A single balance tells whether the nodes run the scanner at all.
    this.#isProven ||= (await this.#together([{ ...first, holders: first.holders.slice(0, 1) }], header)) !== undefined;
    if (!this.#isProven) {
      for (const { resolve } of group) resolve(undefined);
      return false;
    }
    const middle = group.length >> 1;
    const halves = [group.slice(0, middle), group.slice(middle)];
    const areWhole = await Promise.all(halves.map((half) => this.#askPart(half, header)));
    // Where one of the halves fails, too, the reason may be one of the tokens.
    if (!areWhole.includes(false)) this.#most = Math.min(this.#most, Math.ceil(countOf(group) / 2));
    return false;
  }

  /** @returns the balances of each; undefined if the scanner fails */
  async #together(group: readonly Question[], header: Block): Promise<(bigint | undefined)[][] | undefined> {
    const calls = group.flatMap(({ contract, holders }) =>
      holders.map((holder) => ({ to: contract, data: balanceOf(holder) })),
    );
    const run = { scanner: VIEW_SCANNER, data: encodeCalls(calls), header };
    const isWhole = (answer: string) => decodeAnswers(answer, calls.length) !== undefined;
    const answer = await runAnywhere(this.#nodes, run, isWhole, undefined, calls.length === 1);
    const balances = answer && decodeAnswers(answer, calls.length)?.map(balanceIn);
    if (!balances) return undefined;
    this.#isProven = true;
    return group.map(({ holders }) => balances.splice(0, holders.length));
  }
}

const countOf = (group: readonly Question[]) => group.reduce((sum, { holders }) => sum + holders.length, 0);

function groupsOf(questions: readonly Question[], most: number): Question[][] {
  const groups: Question[][] = [];
  for (const question of questions) {
    const group = groups.at(-1);
    if (group && countOf(group) + question.holders.length <= most) group.push(question);
    else groups.push([question]);
  }
  return groups;
}

/** One for each set of nodes: questions wait there for others. */
const shared = new WeakMap<Nodes, SharedBalances>();

/**
 * Balances of a token, asked for together with those of others.
 *
 * @param addresses 20 bytes each
 * @returns undefined if they are to be asked for alone: nobody else asks, there are many, or the question with others failed
 * @throws {StateUnavailable} no node has the state of the block
 */
export async function sharedBalances(
  nodes: Nodes,
  contract: string,
  addresses: Uint8Array,
  block: number,
): Promise<(bigint | undefined)[] | undefined> {
  const count = addresses.length / ADDRESS_BYTES;
  if (count === 0 || count > MOST_OF_ONE) return undefined;
  const known = shared.get(nodes) ?? new SharedBalances(nodes);
  shared.set(nodes, known);
  return new Promise((resolve, reject) => {
    known.gathered.add(`${block}`, { contract, holders: addressTexts(addresses), block, resolve, reject });
  });
}
