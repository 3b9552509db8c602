/**
 * Addresses dealt out to a fixed number of shards. An address's balance and cost depend on its own events alone, so
 * shards replay independently; their number is fixed, and so is the order of addresses within one, so that sums over
 * addresses do not depend on the number of threads. A shard's state fits a core's cache.
 */

import type { History } from "./history.ts";
import { radixSort } from "./radix-sort.ts";

export const SHARDS = 16;

const ADDRESS_BYTES = 20;

export interface Shards {
  /** Position of each address within its shard: shards hold their addresses in byte order. */
  position: Uint32Array<SharedArrayBuffer>;
  /** Addresses of all shards, one shard after the other; shard s begins at `firstAddress[s]`. */
  addresses: Uint32Array<SharedArrayBuffer>;
  firstAddress: number[];
  /**
   * Halves of all events that count, one shard after the other, in event order: 2·row for the sender's half,
   * 2·row + 1 for the receiver's. Shard s begins at `firstHalf[s]`.
   */
  halves: Uint32Array<SharedArrayBuffer>;
  firstHalf: number[];
}

/** @param tokens whole tokens per event, 0 for those that count nowhere */
export function assignShards(history: History, tokens: Float64Array, rows: number): Shards {
  const { addresses: bytes, from, to } = history;
  const count = bytes.length / ADDRESS_BYTES;
  const shardOf = new Uint8Array(count);
  for (let id = 1; id < count; id++) shardOf[id] = shardOfAddress(bytes, id);

  // The zero address is no holder: it is in no shard.
  const ids = new Uint32Array(new SharedArrayBuffer(4 * (count - 1)));
  for (let i = 0; i < ids.length; i++) ids[i] = i + 1;
  for (let byte = ADDRESS_BYTES - 2; byte >= 0; byte -= 2) {
    radixSort(ids, (id) => (bytes[id * ADDRESS_BYTES + byte] << 8) | bytes[id * ADDRESS_BYTES + byte + 1]);
  }
  radixSort(ids, (id) => shardOf[id]);

  const firstAddress = new Array<number>(SHARDS + 1).fill(0);
  for (const id of ids) firstAddress[shardOf[id] + 1]++;
  for (let s = 0; s < SHARDS; s++) firstAddress[s + 1] += firstAddress[s];
  const position = new Uint32Array(new SharedArrayBuffer(4 * count));
  ids.forEach((id, i) => {
    position[id] = i - firstAddress[shardOf[id]];
  });

  const firstHalf = new Array<number>(SHARDS + 1).fill(0);
  for (let row = 0; row < rows; row++) {
    if (tokens[row] === 0) continue;
    if (from[row] !== 0) firstHalf[shardOf[from[row]] + 1]++;
    if (to[row] !== 0) firstHalf[shardOf[to[row]] + 1]++;
  }
  for (let s = 0; s < SHARDS; s++) firstHalf[s + 1] += firstHalf[s];
  const halves = new Uint32Array(new SharedArrayBuffer(4 * firstHalf[SHARDS]));
  const next = firstHalf.slice();
  for (let row = 0; row < rows; row++) {
    if (tokens[row] === 0) continue;
    if (from[row] !== 0) halves[next[shardOf[from[row]]]++] = 2 * row;
    if (to[row] !== 0) halves[next[shardOf[to[row]]]++] = 2 * row + 1;
  }
  return { position, addresses: ids, firstAddress, halves, firstHalf };
}

/** Mixes the last eight bytes: vanity addresses share their leading bytes (finaliser of MurmurHash3, A. Appleby). */
function shardOfAddress(bytes: Uint8Array, id: number): number {
  const end = (id + 1) * ADDRESS_BYTES;
  let hash = 0;
  for (let at = end - 8; at < end; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % SHARDS;
}
