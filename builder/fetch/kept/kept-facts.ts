/**
 * What does not change about an asset, asked of its nodes once and kept in `.part/`; and what makes the next night cheaper. Whether the files are still the
 * chain's is checked each time, so a first fetch, which has none, asks again.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { writeDurably } from "./durable.ts";

const factsSchema = v.strictObject({
  /** The asset on its chain. */
  identity: v.string(),
  facts: v.strictObject({
    /** The header of its first block. */
    first: v.optional(
      v.strictObject({ number: v.number(), hash: v.string(), parentHash: v.string(), time: v.number() }),
    ),
    /** What its contract says; null if it says nothing. */
    decimals: v.optional(v.nullable(v.number())),
    /** The logs of its pools and feeds that were read last, and their blocks: how large the next pages may be. */
    poolLogs: v.optional(v.strictObject({ from: v.number(), to: v.number(), rows: v.number() })),
  }),
});

type Facts = v.InferOutput<typeof factsSchema>["facts"];

export class KeptFacts {
  readonly #path: string;
  readonly #identity: string;
  readonly #facts: Facts;

  private constructor(path: string, identity: string, facts: Facts) {
    this.#path = path;
    this.#identity = identity;
    this.#facts = facts;
  }

  /**
   * @param folder `inputs/<SYMBOL>`
   * @param identity what the facts are of
   * @param isContinued whether there are files; otherwise everything is asked again
   */
  static async open(folder: string, identity: string, isContinued: boolean): Promise<KeptFacts> {
    const path = join(folder, ".part", "facts.json");
    const text = isContinued ? await readFile(path, "utf8").catch(() => "") : "";
    return new KeptFacts(path, identity, parse(text, identity));
  }

  /** The fact that is kept, or what is asked for and kept from then on. */
  async get<Name extends keyof Facts>(
    name: Name,
    ask: () => Promise<NonNullable<Facts[Name]> | Extract<Facts[Name], null>>,
  ): Promise<NonNullable<Facts[Name]> | Extract<Facts[Name], null>> {
    const kept = this.#facts[name];
    if (kept !== undefined) return kept as NonNullable<Facts[Name]>;
    const answer = await ask();
    await this.put(name, answer as Facts[Name]);
    return answer;
  }

  /** What is kept; undefined if nothing is. */
  kept<Name extends keyof Facts>(name: Name): Facts[Name] {
    return this.#facts[name];
  }

  async put<Name extends keyof Facts>(name: Name, value: Facts[Name]): Promise<void> {
    this.#facts[name] = value;
    await writeDurably(this.#path, `${JSON.stringify({ identity: this.#identity, facts: this.#facts })}\n`);
  }
}

function parse(text: string, identity: string): Facts {
  try {
    const kept = v.parse(factsSchema, JSON.parse(text));
    return kept.identity === identity ? kept.facts : {};
  } catch {
    // There are none yet, or they can't be read.
    return {};
  }
}
