/** Questions to the user: answered on a terminal, by an option, or with --yes by what is proposed. */

import { createInterface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import { ESCAPES } from "../../lib/escapes.ts";
import { Failure } from "../../lib/failure.ts";

interface Question<T> {
  /** Such as `Maximum supply in whole tokens`. */
  text: string;
  /** What is taken for an empty answer; undefined if there is nothing to propose. */
  proposal: string | undefined;
  /** What answers it without a terminal, such as `--max-supply N`. */
  option: string;
  /** @throws {Failure} what is wrong with an answer */
  parse(answer: string): T | Promise<T>;
}

export type Prompt = <T>(question: Question<T>) => Promise<T>;

export interface PromptOptions {
  input: (Readable & { isTTY?: boolean }) | undefined;
  output: Writable;
  /** Accepts every proposal. */
  yes: boolean;
}

/** Ends with `close`. */
export function asker({ input, output, yes }: PromptOptions): { ask: Prompt; close(): void } {
  // The system's own line editing does: readline's would write over the question.
  const terminal = !yes && input?.isTTY ? createInterface({ input, terminal: false }) : undefined;
  /** Lines that were typed ahead. */
  const lines = terminal?.[Symbol.asyncIterator]();

  async function ask<T>({ text, proposal, option, parse }: Question<T>): Promise<T> {
    if (!lines) {
      if (yes && proposal !== undefined) return parse(proposal);
      const accept = proposal === undefined || yes ? "" : `, or accept ${proposal} with --yes`;
      throw new Failure(`${text}? Answer with ${option}${accept}.`);
    }
    for (;;) {
      output.write(`${ESCAPES.terminal(text)}${proposal === undefined ? "" : ` [${proposal}]`}: `);
      const { value, done } = await lines.next();
      if (done) throw new Failure(`${text}? There was no answer, so nothing was written. Answer, or give ${option}.`);
      const answer = String(value).trim();
      try {
        if (answer !== "" || proposal !== undefined) return await parse(answer === "" ? proposal! : answer);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        output.write(`${ESCAPES.terminal(error.message)}\n`);
      }
    }
  }

  return { ask, close: () => terminal?.close() };
}
