/** Publishes the largest holders of each day, an object a calendar month. Months that have ended stay as they are. */

import { decodeLargest } from "../../../data-schema/holders.ts";
import { BUCKET_SECONDS, nextMonthStart } from "../../../data-schema/registry.ts";
import { largestKey, namePart, type PublishedHolders } from "../../../data-schema/stored.ts";
import { isoDay, joinBytes } from "../../../data-schema/text.ts";
import { type ExactCloses, type Kept, largestByDay, totalSupply } from "../../engine/closes.ts";
import { fromBigInt, newBuckets, type Outline, wordCount } from "../../engine/history.ts";
import { CannotResume } from "../../lib/failure.ts";
import { type Layout, TableEncoder } from "../../lib/fixed-width-table.ts";
import { ADDRESS_BYTES } from "../../lib/widths.ts";
import type { Publication } from "../../published/publish/publication.ts";
import { DIGESTS, digestPieces } from "../../store/pieces.ts";
import { readChecked } from "../checkpoint/previous.ts";
import type { StagePlan } from "../left/stage-plan.ts";

/** The largest of some days, one after the other. */
interface Days {
  /** Since 1970-01-01, of each row. */
  day: Uint32Array;
  /** 20 bytes each. */
  address: Uint8Array;
  words: number;
  balance: Uint32Array;
  supplyWords: number;
  supply: Uint32Array;
}

type Months = PublishedHolders["largest"];

/** @param words of each balance, and of each supply */
const layoutOf = (words: number, supplyWords: number) =>
  ({
    day: "u32",
    address: ["u8", ADDRESS_BYTES],
    balance: ["u32", words],
    supply: ["u32", supplyWords],
  }) as const satisfies Layout;

/**
 * @returns what the manifest says of them, and the supply at the last close
 * @throws {CannotResume} the object of the open month is missing or damaged
 */
export async function publishLargest(
  { asset: { symbol }, resume }: StagePlan,
  publication: Publication,
  outline: Outline,
  closes: Kept<ExactCloses>,
): Promise<{ largest: Months; supply: bigint }> {
  const before = resume?.manifest.holders;
  if (resume && !before) throw new CannotResume("the last build has no holders");
  const largest = [...(before?.largest ?? [])];
  let supply = BigInt(before?.supply ?? 0);
  const days = newBuckets(outline, "day");
  if (!days) return { largest, supply };
  const byDay = largestByDay(closes.largest);
  for (let from = days.first, day = 0; from <= days.last; ) {
    const name = isoDay(from).slice(0, 7);
    const to = Math.min(nextMonthStart(from), days.last + BUCKET_SECONDS.day);
    const parts: Days[] = [];
    const begun = largest.at(-1)?.name === name ? largest.pop()! : undefined;
    if (begun) parts.push(await readMonth(publication, symbol, begun));
    for (; from < to; from += BUCKET_SECONDS.day, day++) {
      supply = totalSupply(closes.holdings, day);
      const { count, addresses, words, balances } = byDay.next().value!;
      const supplyWords = wordCount(supply);
      const supplies = new Uint32Array(supplyWords * count);
      for (let row = 0; row < count; row++) fromBigInt(supply, supplies, supplyWords * row, supplyWords);
      parts.push({
        day: new Uint32Array(count).fill(from / BUCKET_SECONDS.day),
        address: addresses,
        words,
        balance: balances,
        supplyWords,
        supply: supplies,
      });
    }
    const month = await putMonth(publication, symbol, name, parts);
    if (month) largest.push(month);
  }
  return { largest, supply };
}

async function readMonth({ store }: Publication, symbol: string, { name, hash }: Months[number]): Promise<Days> {
  return decodeLargest(await readChecked(store, largestKey(symbol, name, hash), hash));
}

/** @returns undefined if nobody has held anything at the close of any of the days */
async function putMonth(
  publication: Publication,
  symbol: string,
  name: string,
  parts: readonly Days[],
): Promise<Months[number] | undefined> {
  const rows = parts.reduce((sum, { day }) => sum + day.length, 0);
  if (rows === 0) return undefined;
  // The largest amounts of the month say how many words are needed, whatever the kernel or an earlier night had.
  const words = Math.max(...parts.map(({ balance, words }) => wordsUsed(balance, words)));
  const supplyWords = Math.max(...parts.map(({ supply, supplyWords }) => wordsUsed(supply, supplyWords)));
  const encoder = new TableEncoder(layoutOf(words, supplyWords));
  const cells = {
    day: joinWords(parts.map(({ day }) => day)),
    address: joinBytes(parts.map(({ address }) => address)),
    balance: joinWords(parts.map(({ balance, words: own }) => widened(balance, own, words))),
    supply: joinWords(parts.map(({ supply, supplyWords: own }) => widened(supply, own, supplyWords))),
  };
  const bytes = joinBytes([...encoder.group(rows, cells), ...encoder.end()]);
  const digests = await digestPieces([bytes], DIGESTS);
  const hash = namePart(digests.sha256);
  await publication.putNamed(largestKey(symbol, name, hash), bytes, digests);
  return { name, hash, size: digests.size };
}

function joinWords(parts: readonly Uint32Array[]): Uint32Array {
  const joined = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** 32-bit words that the largest of some amounts needs. */
function wordsUsed(amounts: Uint32Array, words: number): number {
  for (let used = words; used > 1; used--) {
    for (let at = used - 1; at < amounts.length; at += words) if (amounts[at] !== 0) return used;
  }
  return 1;
}

/** The amounts in another number of words, which they fit into. */
function widened(amounts: Uint32Array, from: number, to: number): Uint32Array {
  if (from === to) return amounts;
  const rows = amounts.length / from;
  const wide = new Uint32Array(to * rows);
  for (let row = 0; row < rows; row++) {
    for (let word = 0; word < Math.min(from, to); word++) wide[to * row + word] = amounts[from * row + word]!;
  }
  return wide;
}
