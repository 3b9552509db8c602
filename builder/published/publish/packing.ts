/** Which parts of a build go into which of its packs. Pure. Source: docs/formats.md#packs. */

import { nextMonthStart, nextYearStart } from "../../../data-schema/registry.ts";
import type { Manifest } from "../../../data-schema/stored.ts";
import { DAY_SECONDS } from "../../../data-schema/text.ts";

/** Larger ones are objects of their own, bytes. */
export const LARGEST_PART = 8 * 1024 * 1024;
/** So large is a pack at most, bytes. */
const LARGEST_PACK = 64 * 1024 * 1024;
/** A pack of which less than this share is named is not kept for that: the next build takes it along. */
const LEAST_NAMED = 1 / 4;
/** So many bytes that it does not name a build leaves in its packs, at most, for each that it names. */
const MOST_UNNAMED = 0.4;

interface Part {
  key: string;
  size: number;
}

/**
 * Packs of some parts, in the order of their keys, so that series of a metric and a resolution lie one after the other. Parts to
 * which nothing will be added lie apart from the others, which the next build replaces.
 */
export function cutPacks<P extends Part>(parts: readonly P[], isClosed: (key: string) => boolean): P[][] {
  const sorted = parts.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const { closed = [], open = [] } = Object.groupBy(sorted, ({ key }) => (isClosed(key) ? "closed" : "open"));
  return [...cut(closed), ...cut(open)];
}

function cut<P extends Part>(parts: readonly P[]): P[][] {
  const packs: P[][] = [];
  let size = 0;
  for (const part of parts) {
    size += part.size;
    if (packs.length > 0 && size <= LARGEST_PACK) packs.at(-1)!.push(part);
    else {
      packs.push([part]);
      size = part.size;
    }
  }
  return packs;
}

/**
 * Whether a part is of a year, a month or a period of blocks that ended with the last complete day, so that no build adds to it.
 *
 * @param asOf Unix seconds
 * @param blocks the periods of blocks, whose names don't tell when they end
 */
export function closedBefore(asOf: number, blocks: readonly { name: string; to: number }[] = []) {
  const until = asOf - (asOf % DAY_SECONDS);
  const ends = new Map(blocks.map(({ name, to }) => [name, to]));
  return (key: string): boolean => {
    const [of, , resolution, ...more] = key.split("/");
    const [name = ""] = (more.at(-1) ?? resolution ?? "").split(".");
    if (of === "series" && resolution === "block") return (ends.get(name) ?? Number.POSITIVE_INFINITY) <= until;
    const start = Date.parse(name) / 1000;
    if (/^\d{4}$/.test(name)) return nextYearStart(start) <= until;
    return /^\d{4}-\d{2}$/.test(name) && nextMonthStart(start) <= until;
  };
}

/** The same of the parts of a build. */
export const closedIn = ({ asOf, resolutions: { block } }: Manifest) =>
  closedBefore(Date.parse(asOf) / 1000, block?.periods);

/**
 * The parts that a build takes along into its own packs, out of packs of which it names little, and out of those of which it names
 * least, as long as all packs together have much that it does not name.
 *
 * @param parts those that it has in packs, with the packs
 * @param named bytes of all that it names
 */
export function takenAlong<P extends Part & { pack: { hash: string; size: number } }>(
  parts: readonly P[],
  named: number,
): P[] {
  const packs = Array.from(Map.groupBy(parts, ({ pack }) => pack.hash).values(), (ofPack) => {
    const { size } = ofPack[0]!.pack;
    const unnamed = size - ofPack.reduce((sum, part) => sum + part.size, 0);
    return { ofPack, unnamed, share: 1 - unnamed / size };
  }).sort((a, b) => a.share - b.share);
  let left = packs.reduce((sum, { unnamed }) => sum + unnamed, 0);
  return packs.flatMap(({ ofPack, unnamed, share }) => {
    if (share >= LEAST_NAMED && left <= MOST_UNNAMED * named) return [];
    left -= unnamed;
    return ofPack;
  });
}
