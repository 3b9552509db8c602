/** View functions at a block. Those that are asked for at the same time go in one request, by a scanner (`scan/scanner.ts`). */

import { Gathered } from "../../../lib/gathered.ts";
import { readBlock } from "../blocks.ts";
import { isBytes } from "../hex.ts";
import type { Block } from "../nodes/known.ts";
import { NodeFailure, type Nodes } from "../nodes/nodes.ts";
import { askAt } from "./at-block.ts";
import { runAnywhere } from "./run.ts";
import { MOST_VIEW_BYTES, VIEW_SCANNER } from "./scanner.ts";

/** A call of a contract, as hexadecimal texts. */
interface Call {
  to: string;
  data: string;
}

/** Calls in one request: their gas is below what nodes allow a call. */
const MOST_CALLS = 64;

/** What waits to be asked of the nodes, or one of them, at a block. */
interface Waiting extends Call {
  block: number;
  node: number | undefined;
  resolve(answer: string): void;
  reject(error: unknown): void;
}

class Views {
  readonly #nodes: Nodes;
  readonly #gathered = new Gathered<Waiting>((waiting) => {
    for (let first = 0; first < waiting.length; first += MOST_CALLS) {
      void this.#send(waiting.slice(first, first + MOST_CALLS));
    }
  });

  constructor(nodes: Nodes) {
    this.#nodes = nodes;
  }

  call(call: Call, block: number, node: number | undefined): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#gathered.add(`${block} ${node}`, { ...call, block, node, resolve, reject });
    });
  }

  async #send(calls: readonly Waiting[]): Promise<void> {
    const { block, node } = calls[0]!;
    try {
      const header = await readBlock(this.#nodes, block);
      const answers = await this.#together(calls, header, node);
      for (const [i, { to, data, resolve, reject }] of calls.entries()) {
        if (answers) resolve(answers[i]!);
        else this.#one({ to, data }, header, node).then(resolve, reject);
      }
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  }

  async #one(call: Call, header: Block, node: number | undefined): Promise<string> {
    try {
      const options = { accept: isBytes, ...(node !== undefined && { node }) };
      return (await askAt(this.#nodes, "eth_call", (tag) => [call, tag], header, options)) as string;
    } catch (error) {
      if (error instanceof NodeFailure && error.kind === "reverted") return "0x";
      throw error;
    }
  }

  /** @returns undefined if they have to be asked one by one */
  async #together(calls: readonly Call[], header: Block, node: number | undefined): Promise<string[] | undefined> {
    if (calls.some(({ data }) => data.length / 2 > MOST_VIEW_BYTES)) return undefined;
    const run = { scanner: VIEW_SCANNER, data: encodeCalls(calls), header };
    const isWhole = (answer: string) => decodeAnswers(answer, calls.length) !== undefined;
    const answer = await runAnywhere(this.#nodes, run, isWhole, node);
    return answer === undefined ? undefined : decodeAnswers(answer, calls.length);
  }
}

/** Encodes calls the way VIEW_SCANNER takes them. */
export function encodeCalls(calls: readonly Call[]): string {
  const parts = calls.map(({ to, data }) => {
    const length = ((data.length - 2) / 2).toString(16).padStart(4, "0");
    return `${to.slice(2)}${length}${data.slice(2)}`;
  });
  return `0x${parts.join("")}`;
}

/** What each call returned, 0x where it failed; undefined if the answer is not the scanner's. */
export function decodeAnswers(answer: string, count: number): string[] | undefined {
  const returned: string[] = [];
  let at = 2;
  for (let call = 0; call < count; call++) {
    const flag = answer.slice(at, at + 2);
    const digits = 2 * Number(`0x${answer.slice(at + 2, at + 66)}`);
    const end = at + 66 + digits;
    if ((flag !== "00" && flag !== "01") || !(end <= answer.length)) return undefined;
    returned.push(flag === "01" ? `0x${answer.slice(at + 66, end)}` : "0x");
    at = end;
  }
  return at === answer.length ? returned : undefined;
}

/** One for each set of nodes: calls wait there for others. */
const views = new WeakMap<Nodes, Views>();

/**
 * Calls a view function.
 *
 * @param node index in `nodes.hosts` of the only node to ask
 * @returns what it returns, in hex; 0x if it reverts, or there is no contract
 * @throws {StateUnavailable} no node has the state of the block
 * @throws {NodeFailure} no node answers
 */
export function callView(nodes: Nodes, call: Call, block: number, node?: number): Promise<string> {
  const known = views.get(nodes) ?? new Views(nodes);
  views.set(nodes, known);
  return known.call(call, block, node);
}
