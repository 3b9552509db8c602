/** The blocks at which files begin: the first of each month or day. */

import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import type { Source } from "../../input/asset/source.ts";
import { Failure } from "../../lib/failure.ts";
import { type Block, firstBlocksAt, readBlocks } from "../chain/blocks.ts";
import type { Nodes } from "../chain/nodes/nodes.ts";
import { writeDurably } from "../kept/durable.ts";
import type { FetchedPeriod } from "./file-periods.ts";

/** A file to be written: its blocks, and what its last block is recognised by. */
export interface PlannedFile {
  /** Relative to the asset's inputs, such as `transfers/2026-11-20.parquet`. */
  file: string;
  period: FetchedPeriod;
  /** Both ends inclusive. If no block falls into the period, `to` is `from` − 1. */
  from: number;
  to: number;
  /** The hash of block `to`. */
  lastHash: string;
}

/**
 * Finds the blocks of each period. They are final, so they are kept for the next run.
 *
 * @param first the block with which the first period's file begins
 * @param last the last final block: not earlier than the end of the last period
 * @param cache folder that keeps what was found
 * @param identity what the blocks depend on: the chain
 */
export async function planFiles(
  nodes: Nodes,
  periods: readonly FetchedPeriod[],
  range: { first: Block; last: Block },
  cache: string,
  identity: string,
): Promise<PlannedFile[]> {
  const times = periods.map(({ end }) => end);
  const path = boundariesIn(cache);
  const known = await readBoundaries(path, identity);
  const unknown = times.filter((time) => !known.has(time));
  const found = unknown.length === 0 ? [] : await firstBlocksAt(nodes, unknown, range);
  for (const [index, block] of found.entries()) {
    if (block) known.set(unknown[index]!, block);
  }
  if (unknown.length > 0) await writeDurably(path, `${JSON.stringify({ identity, blocks: [...known] })}\n`);

  let { number: from } = range.first;
  return periods.map((period) => {
    const next = known.get(period.end);
    if (next === undefined || next.number < from || next.time < period.end) {
      throw new Failure(
        `${nodes.hosts.join(", ")}: no final block is at or after the end of ${period.name}; try later.`,
      );
    }
    const planned = { file: `transfers/${period.name}.parquet`, period, from, to: next.number - 1 };
    from = next.number;
    return { ...planned, lastHash: next.parentHash };
  });
}

/**
 * Whether files end where they were planned to. What was kept may be of blocks that have been replaced since; what has just
 * been found is known, and costs no request.
 *
 * @param last the last final block
 */
export async function arePlannedOnChain(nodes: Nodes, planned: readonly PlannedFile[], last: Block): Promise<boolean> {
  const ends = planned.filter(({ to }) => to >= 0);
  if (ends.some(({ to }) => to >= last.number)) return false;
  const headers = await readBlocks(
    nodes,
    ends.flatMap(({ to }) => [to, to + 1]),
  );
  return ends.every(({ period, lastHash }, index) => {
    const [end, next] = [headers[2 * index]!, headers[2 * index + 1]!];
    return end.hash === lastHash && end.time < period.end && next.time >= period.end;
  });
}

/** What the blocks depend on: the chain. */
export const boundariesIdentity = ({ chainId, firstBlock }: Pick<Source, "chainId" | "firstBlock">) =>
  `chain ${chainId}, from block ${firstBlock}`;

/** The first block of what follows a file, if it has been found by an earlier run and still follows it. */
export async function keptBlockAfter(
  cache: string,
  identity: string,
  { to, lastHash }: Pick<PlannedFile, "to" | "lastHash">,
): Promise<Block | undefined> {
  const known = await readBoundaries(boundariesIn(cache), identity);
  return [...known.values()].find(({ number, parentHash }) => number === to + 1 && parentHash === lastHash);
}

/** What was found is searched for again. */
export const forgetBoundaries = (cache: string) => rm(boundariesIn(cache), { force: true });

const boundariesIn = (cache: string) => join(cache, "boundaries.json");

const header = v.object({ number: v.number(), hash: v.string(), parentHash: v.string(), time: v.number() });
const keptSchema = v.object({ identity: v.string(), blocks: v.array(v.tuple([v.number(), header])) });

/** Blocks by the time that each is the first at or after. */
async function readBoundaries(path: string, identity: string): Promise<Map<number, Block>> {
  try {
    const kept = v.parse(keptSchema, JSON.parse(await readFile(path, "utf8")));
    return new Map(kept.identity === identity ? kept.blocks : []);
  } catch {
    // There is none yet, or it can't be read: the blocks are searched for again.
    return new Map();
  }
}
