/**
 * Digests of events, to tell in which months an input has changed. The digest of some events is a sum over them, so it
 * does not depend on how a history is cut. Nothing else relies on it: whoever wants two inputs to look the same can.
 */

import { BUCKET_SECONDS } from "../../data-schema/resolutions.ts";
import type { History } from "../engine/history.ts";
import { wordsOf } from "./address-order.ts";

/** 32-bit numbers of a digest: each is a sum of its own. */
const LANES = 2;
/** Odd numbers, one a lane, so that each lane mixes in its own way. */
const SEEDS = [0x9e3779b1, 0x85ebca77] as const;

/** The digest of each day's events, by start of the day in Unix seconds: 16 hex digits. */
export function digestDays(history: History): Map<number, string> {
  const { rows, block, logIndex, timestamp, from, to, values, valueWords } = history;
  const addresses = digestAddresses(history.addresses);
  const days = new Map<number, string>();
  for (let row = 0; row < rows; ) {
    const day = Math.floor(timestamp[row]! / BUCKET_SECONDS.day) * BUCKET_SECONDS.day;
    const sums = new Uint32Array(LANES);
    for (; row < rows && timestamp[row]! < day + BUCKET_SECONDS.day; row++) {
      for (let lane = 0; lane < LANES; lane++) {
        const seed = SEEDS[lane]!;
        let hash = mix(block[row]! | 0, seed, (block[row]! / 2 ** 32) | 0);
        hash = mix(hash, seed, logIndex[row]!);
        hash = mix(hash, seed, timestamp[row]! | 0);
        hash = mix(hash, seed, addresses[LANES * from[row]! + lane]!);
        hash = mix(hash, seed, addresses[LANES * to[row]! + lane]!);
        // Words that only the widest value needs must not count: leading zeros are skipped.
        let words = valueWords;
        while (words > 0 && values[row * valueWords + words - 1] === 0) words--;
        for (let word = 0; word < words; word++) hash = mix(hash, seed, values[row * valueWords + word]!);
        sums[lane]! += mix(mix(hash, 0x2c1b3c6d, words), seed, 0);
      }
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
  const digests = new Uint32Array((words.length / 5) * LANES);
  for (let at = 0, into = 0; at < words.length; at += 5, into += LANES) {
    for (let lane = 0; lane < LANES; lane++) {
      let hash: number = SEEDS[lane]!;
      for (let word = 0; word < 5; word++) hash = mix(hash, SEEDS[lane]!, words[at + word]!);
      digests[into + lane] = hash;
    }
  }
  return digests;
}

function mix(hash: number, seed: number, word: number): number {
  const mixed = Math.imul(hash ^ word, seed);
  return mixed ^ (mixed >>> 15);
}
