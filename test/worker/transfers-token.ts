/** Large transfers of a made-up token, stored as docs/formats.md#large-transfers says: written here in the plainest way. */

import { MAGIC } from "../../data-schema/parquet/file-metadata.ts";
import { largeTransfersKey, type PublishedTransfers } from "../../data-schema/stored/large-transfers.ts";
import { joinBytes } from "../../data-schema/text/bytes.ts";
import { addresses, type Bucket, doubles, FIXED, groupBytes, integers, sha256, words } from "./holders-token.ts";

export interface StoredTransfer {
  /** Unix seconds. */
  time: number;
  block: number;
  logIndex: number;
  /** `0x` and 40 hex digits. */
  from: string;
  to: string;
  /** The numbers that a `StoredHolder` has. */
  fromLabel: number;
  toLabel: number;
  price: number;
  raw: bigint;
}

const longs = (values: readonly number[]) => new Uint8Array(BigInt64Array.from(values.map(BigInt)).buffer);

/** Stores the objects; what it returns belongs into the manifest. @param transfers by day, of each the largest first */
export async function publishTransfers(
  bucket: Bucket,
  symbol: string,
  transfers: readonly StoredTransfer[],
): Promise<PublishedTransfers> {
  const months = Map.groupBy(transfers, ({ time }) => new Date(time * 1000).toISOString().slice(0, 7));
  const largest = Array.from(months, async ([name, rows]) => {
    const bytes = groupBytes(
      [
        ["INT64", longs(rows.map(({ time }) => time))],
        ["INT64", longs(rows.map(({ block }) => block))],
        ["INT32", integers(rows.map(({ logIndex }) => logIndex))],
        [FIXED, addresses(rows.map(({ from }) => from))],
        [FIXED, addresses(rows.map(({ to }) => to))],
        ["INT32", integers(rows.map(({ fromLabel }) => fromLabel))],
        ["INT32", integers(rows.map(({ toLabel }) => toLabel))],
        ["DOUBLE", doubles(rows.map(({ price }) => price))],
        [
          FIXED,
          words(
            rows.map(({ raw }) => raw),
            3,
          ),
        ],
      ],
      rows.length,
    );
    const object = joinBytes([MAGIC, bytes, new TextEncoder().encode("the footer")]);
    const digest = await sha256(object);
    const hash = digest.slice(0, 32);
    await bucket.put(largeTransfersKey(symbol, name, hash), object, { sha256: digest });
    return { name, hash, size: object.length };
  });
  return { largest: await Promise.all(largest) };
}
