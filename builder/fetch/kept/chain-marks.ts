/**
 * By which blocks the chain of pages is recognised: a block's hash commits to all blocks before. What was final may be
 * replaced while no fetch runs, and pages of the old blocks would be mixed with new ones. Source: docs/chain.md#resume.
 */

import { readFile } from "node:fs/promises";
import * as v from "valibot";
import { writeDurably } from "./durable.ts";

const markSchema = v.strictObject({ number: v.number(), hash: v.string() });

type Mark = v.InferOutput<typeof markSchema>;

/** The chain that new pages are of. */
export interface ChainMarks {
  /** Final blocks, ascending; no page ends above the last one. */
  blocks: readonly Mark[];
  /** The hash that a final block has now. */
  hashOf(number: number): Promise<string>;
}

/** @returns the last block up to which pages that were read with the marks of a file are of this chain; −1 if none are */
export async function lastOnChain(path: string, { blocks, hashOf }: ChainMarks): Promise<number> {
  const highest = blocks.at(-1)?.number ?? -1;
  const kept = (await readMarks(path)).filter(({ number }) => number <= highest);
  const isOnChain = async ({ number, hash }: Mark) => {
    const known = blocks.find((block) => block.number === number);
    return hash === (known?.hash ?? (await hashOf(number)));
  };
  let [good, bad] = [-1, kept.length];
  // Most often, all of them are: the newest one comes first.
  for (let at = bad - 1; good < bad - 1; at = (good + bad) >> 1) {
    if (await isOnChain(kept[at]!)) good = at;
    else bad = at;
  }
  return kept[good]?.number ?? -1;
}

async function readMarks(path: string): Promise<Mark[]> {
  try {
    return v.parse(v.array(markSchema), JSON.parse(await readFile(path, "utf8")));
  } catch {
    // There are none, or they can't be read: no page is believed.
    return [];
  }
}

export async function writeMarks(path: string, { blocks }: ChainMarks): Promise<void> {
  await writeDurably(path, JSON.stringify(blocks.map(({ number, hash }) => ({ number, hash }))));
}
