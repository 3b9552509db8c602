/**
 * Digests of events, to tell in which months an input has changed. The digest of some events is a sum over them, so it
 * does not depend on how a history is cut. Nothing else relies on it: whoever wants two inputs to look the same can.
 */

import { BUCKET_SECONDS } from "../../../data-schema/registry.ts";
import type { History } from "../../engine/history.ts";
import { wordsOf } from "../../input/address-order.ts";

/** 32-bit numbers of a digest: sums of the events' hashes, mixed in two ways. */
const LANES = 2;

/** The digest of each day's events, by start of the day in Unix seconds: 16 hex digits. */
export function digestDays(history: History): Map<number, string> {
  const { rows, block, logIndex, timestamp, from, to, values, valueWords } = history;
  const addresses = digestAddresses(history.addresses);
  const days = new Map<number, string>();
  for (let row = 0; row < rows; ) {
    const day = Math.floor(timestamp[row]! / BUCKET_SECONDS.day) * BUCKET_SECONDS.day;
    const sums = new Uint32Array(LANES);
    for (; row < rows && timestamp[row]! < day + BUCKET_SECONDS.day; row++) {
      let hash = mix(block[row]! | 0, (block[row]! / 2 ** 32) | 0);
      hash = mix(hash, logIndex[row]!);
      hash = mix(hash, timestamp[row]! | 0);
      hash = mix(hash, addresses[from[row]!]!);
      hash = mix(hash, addresses[to[row]!]!);
      // Words that only the widest value needs must not count: leading zeros are skipped.
      let words = valueWords;
      while (words > 0 && values[row * valueWords + words - 1] === 0) words--;
      for (let word = 0; word < words; word++) hash = mix(hash, values[row * valueWords + word]!);
      hash = mix(hash, words);
      sums[0]! += hash;
      sums[1]! += Math.imul(hash ^ (hash >>> 16), 0x85ebca77);
    }
    days.set(day, hex(sums));
  }
  return days;
}

/** The digest of the events of both: either may be of none, which is empty. */
export function addDigests(a: string, b: string): string {
  if (a === "" || b === "") return a || b;
  const lane = (digest: string, index: number) => Number.parseInt(digest.slice(8 * index, 8 * index + 8), 16);
  return hex(Uint32Array.from({ length: LANES }, (_, index) => lane(a, index) + lane(b, index)));
}

function hex(lanes: Uint32Array): string {
  return Array.from(lanes, (lane) => lane.toString(16).padStart(8, "0")).join("");
}

function digestAddresses(addresses: Uint8Array): Uint32Array {
  const words = wordsOf(addresses);
  const digests = new Uint32Array(words.length / 5);
  for (let at = 0, into = 0; at < words.length; at += 5, into++) {
    let hash = 0;
    for (let word = 0; word < 5; word++) hash = mix(hash, words[at + word]!);
    digests[into] = hash;
  }
  return digests;
}

function mix(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, 0x9e3779b1);
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
}
