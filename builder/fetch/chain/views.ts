/**
 * View functions at a block. Those that are asked for at the same time go in one request, by a state override
 * (`scan/scanner.ts`), or one by one where no node takes overrides.
 */

import { setImmediate } from "node:timers";
import { NodeFailure, type Nodes } from "./nodes.ts";
import type { FailureKind } from "./rpc/failures.ts";
import { MOST_VIEW_BYTES, SCANNER_ADDRESS, VIEW_SCANNER } from "./scan/scanner.ts";

/** A call of a contract, as hexadecimal texts. */
interface Call {
  to: string;
  data: string;
}

/** Calls in one request: their gas is below what nodes allow a call. */
const MOST_CALLS = 64;

/** Why a node has no state overrides; other failures say nothing about that. */
const WITHOUT_OVERRIDES = new Set<FailureKind>(["unusable", "invalid", "refused", "unknown-method"]);

/** What waits to be asked at a block. */
interface Waiting extends Call {
  resolve(answer: string): void;
  reject(error: unknown): void;
}

class Views {
  readonly #nodes: Nodes;
  readonly #waiting = new Map<string, Waiting[]>();
  #takesOverrides = true;

  constructor(nodes: Nodes) {
    this.#nodes = nodes;
  }

  call(call: Call, tag: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(tag) ?? [];
      if (waiting.push({ ...call, resolve, reject }) > 1) return;
      this.#waiting.set(tag, waiting);
      setImmediate(() => {
        this.#waiting.delete(tag);
        for (let first = 0; first < waiting.length; first += MOST_CALLS) {
          void this.#send(waiting.slice(first, first + MOST_CALLS), tag);
        }
      });
    });
  }

  async #send(calls: readonly Waiting[], tag: string): Promise<void> {
    try {
      const answers = await this.#together(calls, tag);
      for (const [i, { to, data, resolve, reject }] of calls.entries()) {
        if (answers) resolve(answers[i]!);
        else this.#one({ to, data }, tag).then(resolve, reject);
      }
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  }

  async #one(call: Call, tag: string): Promise<string> {
    try {
      return String(await this.#nodes.ask("eth_call", [call, tag]));
    } catch (error) {
      if (error instanceof NodeFailure && error.kind === "reverted") return "0x";
      throw error;
    }
  }

  /** @returns undefined if they have to be asked one by one */
  async #together(calls: readonly Call[], tag: string): Promise<string[] | undefined> {
    const isShort = calls.every(({ data }) => data.length / 2 <= MOST_VIEW_BYTES);
    if (calls.length < 2 || !this.#takesOverrides || !isShort) return undefined;
    const params = [{ to: SCANNER_ADDRESS, data: encoded(calls) }, tag, { [SCANNER_ADDRESS]: { code: VIEW_SCANNER } }];
    try {
      const accept = (answer: unknown) => decoded(answer, calls.length) !== undefined;
      return decoded(await this.#nodes.ask("eth_call", params, { accept, attempts: 2 }), calls.length);
    } catch (error) {
      if (!(error instanceof NodeFailure) || error.kind === "pruned") throw error;
      if (WITHOUT_OVERRIDES.has(error.kind)) this.#takesOverrides = false;
      return undefined;
    }
  }
}

/** As VIEW_SCANNER takes calls. */
function encoded(calls: readonly Call[]): string {
  const parts = calls.map(({ to, data }) => {
    const length = ((data.length - 2) / 2).toString(16).padStart(4, "0");
    return `${to.slice(2)}${length}${data.slice(2)}`;
  });
  return `0x${parts.join("")}`;
}

/** What each call returned, 0x where it failed; undefined if the answer is not the scanner's. */
function decoded(answer: unknown, count: number): string[] | undefined {
  if (typeof answer !== "string" || !/^0x([0-9a-f]{2})*$/i.test(answer)) return undefined;
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
 * @param tag `latest`, or a block as a quantity
 * @returns what it returns, in hex; 0x if it reverts, or there is no contract
 * @throws {NodeFailure} no node answers
 */
export function callView(nodes: Nodes, call: Call, tag: string): Promise<string> {
  const known = views.get(nodes) ?? new Views(nodes);
  views.set(nodes, known);
  return known.call(call, tag);
}
