/** The headers of a night, in one batch: most of them are known before anything else is. Source: docs/chain.md#fetch. */

import { join } from "node:path";
import { DAY_SECONDS, HOUR_SECONDS } from "../../../data-schema/text.ts";
import { type Fetched, fetchedEnd } from "../../input/fetched/fetched.ts";
import { finalizedBlock, readBlocks } from "../chain/blocks.ts";
import { boundariesIdentity, keptBlockAfter } from "../times/boundaries.ts";
import type { AssetFetch } from "./work.ts";

type Ahead = Pick<AssetFetch, "nodes" | "folder" | "source" | "confirmations" | "hours" | "until">;

/** Days or hours, at most, whose ends are read ahead. */
const ENDS = 4;

/**
 * Reads the last block of the newest file, which is compared, and those between which the next files should end if blocks come
 * evenly. Where they don't, the end is searched for.
 */
export async function readHeadersAhead(
  fetched: Fetched,
  { nodes, folder, source, confirmations, hours, until }: Ahead,
): Promise<void> {
  const final = await finalizedBlock(nodes, confirmations);
  const end = fetchedEnd(fetched);
  const complete = Date.parse(fetched.asOf) / 1000;
  const kept = await keptBlockAfter(join(folder, ".part"), boundariesIdentity(source), end);
  const begin = kept ?? { number: end.to + 1, time: complete };
  const numbers = new Set(kept ? [end.to] : [end.to, begin.number]);
  const seconds = hours ? HOUR_SECONDS : DAY_SECONDS;
  const last = Math.min(until?.end ?? final.time, final.time, complete + ENDS * seconds);
  for (let time = complete + seconds; time <= last; time += seconds) {
    const passed = (time - begin.time) * (final.number - begin.number);
    const next = begin.number + Math.ceil(passed / (final.time - begin.time));
    // Where it begins is not known exactly.
    for (const number of kept ? [next - 1, next] : [next - 1, next, next + 1]) numbers.add(number);
  }
  const there = [...numbers].filter((number) => number >= 0 && number <= final.number);
  await readBlocks(nodes, there);
}
