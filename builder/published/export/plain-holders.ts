/**
 * Rows of holders as any reader of Parquet takes them. Those of the store are small: times are what they differ by, and some
 * columns have an encoding that few know. Source: docs/formats.md#exported-holders.
 */

import { decodeHolders, rawAt, tokensOfRaw } from "../../../data-schema/holders.ts";
import { readBytes, withFile } from "../../lib/files/parquet-file.ts";
import { type Layout, TableEncoder, TableFile } from "../../lib/fixed-width-table.ts";
import { ADDRESS_BYTES } from "../../lib/widths.ts";

/** @param words 32-bit words of each balance */
const plainLayout = (words: number) =>
  ({
    address: ["u8", ADDRESS_BYTES],
    label: "u8 as i32",
    balance: ["u32", words],
    tokens: "f64",
    basis: "f64",
    since: "f64",
    firstEvent: "i64",
    lastEvent: "i64",
    realised: "f64",
    sent: "f64",
    receipts: "u32",
    sends: "u32",
    cohorts: "u32",
  }) as const satisfies Layout;

/**
 * The pieces of a file with the rows of another, a row group at a time.
 *
 * @param path a table or lists of holders, as they are stored
 * @param sortedBy the address in a table; nothing in lists
 * @throws {Error} the file is damaged
 */
export function* plainHolders(path: string, decimals: number, sortedBy: "address" | undefined): Generator<Uint8Array> {
  const file = new TableFile(path, {});
  let encoder: TableEncoder<ReturnType<typeof plainLayout>> | undefined;
  for (let group = 0; group < file.groups; group++) {
    const { offset, length } = file.rangeOf(group);
    const { rows, words, ...columns } = decodeHolders(withFile(path, (open) => readBytes(open, offset, length)));
    encoder ??= new TableEncoder(plainLayout(words), "ZSTD", sortedBy);
    yield* encoder.group(rows, {
      ...columns,
      label: Uint8Array.from(columns.label),
      tokens: Float64Array.from({ length: rows }, (_, row) =>
        tokensOfRaw(rawAt(columns.balance, row, words), decimals),
      ),
      firstEvent: Float64Array.from(columns.firstEvent),
      lastEvent: Float64Array.from(columns.lastEvent),
    });
  }
  yield* (encoder ?? new TableEncoder(plainLayout(1))).end();
}
