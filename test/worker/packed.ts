/** The parts of a token that is published as single objects, laid in packs. */

import { namePart } from "../../data-schema/stored/objects.ts";
import { packKey } from "../../data-schema/stored/packs.ts";
import {
  buildKey,
  checkpointKey,
  currentKey,
  type Manifest,
  parseManifest,
  partsOf,
} from "../../data-schema/stored.ts";
import { hex, joinBytes } from "../../data-schema/text/bytes.ts";

/** Bytes of a pack, at most, unless one part has more: a token with two large metrics has several. */
const PACK_BYTES = 2 << 20;

/**
 * Lays the parts of an asset's active manifest in packs, by key, and removes the objects that they were. The checkpoint stays
 * an object. The manifest is written again, in `builds/` too.
 */
export async function layInPacks(bucket: R2Bucket, symbol: string): Promise<Manifest> {
  const active = (await bucket.get(currentKey(symbol)))!;
  const text = await active.text();
  const manifest = parseManifest(text);
  const { checkpoint } = manifest;
  const keys = new Set(partsOf(manifest).map(({ key }) => key));
  if (checkpoint) keys.delete(checkpointKey(symbol, checkpoint.hash));
  const packs: { hash: string; size: number }[] = [];
  const places = new Map<string, [pack: number, offset: number]>();
  for (const group of await groupsOf(bucket, [...keys].sort())) {
    const bytes = joinBytes(group.map((part) => part.bytes));
    const digest = hex(await crypto.subtle.digest("SHA-256", bytes));
    let offset = 0;
    for (const part of group) {
      places.set(part.hash, [packs.length, offset]);
      offset += part.bytes.length;
    }
    packs.push({ hash: namePart(digest), size: bytes.length });
    await bucket.put(packKey(symbol, namePart(digest)), bytes, { sha256: digest });
  }
  // Whatever has a hash and a size is a part, or the checkpoint, which lies nowhere.
  const packed = JSON.parse(text, (_, value) => {
    const at = value?.size === undefined || value.hash === undefined ? undefined : places.get(namePart(value.hash));
    return at && value !== checkpoint ? { ...value, at } : value;
  });
  const written = JSON.stringify(packs.length === 0 ? packed : { ...packed, packs });
  const { customMetadata = {} } = active;
  await bucket.put(currentKey(symbol), written, { customMetadata });
  await bucket.put(buildKey(symbol, manifest.build), written);
  if (keys.size > 0) await bucket.delete([...keys]);
  return parseManifest(written);
}

interface PartBytes {
  hash: string;
  bytes: Uint8Array<ArrayBuffer>;
}

async function groupsOf(bucket: R2Bucket, keys: readonly string[]): Promise<PartBytes[][]> {
  const groups: PartBytes[][] = [];
  let room = 0;
  for (const key of keys) {
    const object = await bucket.get(key);
    // Tests name parts that nobody reads, and do not store them.
    if (object === null) continue;
    const bytes = new Uint8Array(await object.arrayBuffer());
    if (bytes.length > room) {
      groups.push([]);
      room = PACK_BYTES;
    }
    groups.at(-1)!.push({ hash: namePart(hex(await crypto.subtle.digest("SHA-256", bytes))), bytes });
    room -= bytes.length;
  }
  return groups;
}
