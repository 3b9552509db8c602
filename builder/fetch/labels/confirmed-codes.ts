/** Codes that two nodes agree on: labels are kept for good, so a node alone is not believed where there are several. */

import { Failure } from "../../lib/failure.ts";
import { ADDRESS_BYTES } from "../../lib/widths.ts";
import { addressTexts } from "../chain/hex.ts";
import type { Nodes } from "../chain/nodes/nodes.ts";
import { type Code, readCodes, StateUnavailable } from "../chain/scan/scan.ts";
import { agreedOn } from "../chain/scan/second-opinion.ts";

/**
 * Reads each code again from another node than the one that it was read from. Where the two differ, all nodes are asked.
 *
 * @param addresses 20 bytes each
 * @param codes of each address
 * @param readers the index in `nodes.hosts` of the node that said so
 * @returns the codes that count; those that no other node could tell are as they were
 * @throws {Failure} nothing tells which nodes are right
 */
export async function confirmCodes(
  nodes: Nodes,
  addresses: Uint8Array,
  codes: readonly Code[],
  readers: readonly number[],
  block: number,
): Promise<Code[]> {
  const doubtful: number[] = [];
  for (const [reader, places] of Map.groupBy(codes.keys(), (place) => readers[place]!)) {
    if (nodes.active.every((node) => node === reader)) continue;
    const again = await ifRead(readCodes(nodes, pickAddresses(addresses, places), block, { except: reader }));
    doubtful.push(...places.filter((place, i) => again && again[i] !== codes[place]));
  }
  const confirmed = [...codes];
  if (doubtful.length === 0) return confirmed;
  const asked = pickAddresses(addresses, doubtful);
  const names = addressTexts(asked);
  const right = await agreedOn(nodes, {
    read: (node) => readCodes(nodes, asked, block, { node }),
    nameOf: (index) => `the code of ${names[index]} at block ${block}`,
  });
  for (const [i, place] of doubtful.entries()) confirmed[place] = (right?.[i] as Code | undefined) ?? confirmed[place]!;
  return confirmed;
}

/** Undefined if the others can't tell. */
async function ifRead<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof StateUnavailable || error instanceof Failure) return undefined;
    throw error;
  }
}

/** Some of the addresses, 20 bytes each. */
export function pickAddresses(addresses: Uint8Array, places: readonly number[] | Uint32Array): Uint8Array {
  const bytes = new Uint8Array(ADDRESS_BYTES * places.length);
  for (const [i, place] of places.entries()) {
    bytes.set(addresses.subarray(ADDRESS_BYTES * place, ADDRESS_BYTES * (place + 1)), ADDRESS_BYTES * i);
  }
  return bytes;
}
