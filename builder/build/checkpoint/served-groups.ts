/**
 * Row groups that readers find by an index, which lies behind the rows: those of the checkpoint's table and of the lists of
 * holders. Source: docs/formats.md#holders.
 */

import { createHash } from "node:crypto";
import { type HolderGroupPlace, packIndex } from "../../../data-schema/holders.ts";
import { DIGEST_DIGITS, MAGIC } from "../../../data-schema/parquet.ts";
import { type IndexPlace, namePart } from "../../../data-schema/stored.ts";
import type { Layout, Rows, TableEncoder } from "../../lib/fixed-width-table.ts";
import { ADDRESS_BYTES } from "../../lib/widths.ts";
import { sha256Hex } from "../../store/stored-content.ts";
import { type CheckpointRows, KEPT_COLUMNS } from "./checkpoint-rows.ts";

const { lastDeposit, ...SERVED } = KEPT_COLUMNS;

/** The columns that readers need, in the order in which they lie side by side. @param words 32-bit words of each balance */
export const servedLayout = (words: number) =>
  ({
    address: ["u8", ADDRESS_BYTES],
    label: "u8 as i32",
    balance: ["u32", words],
    ...SERVED,
    cohorts: "u32",
  }) as const satisfies Layout;

/** All columns of a checkpoint. */
export const checkpointLayout = (words: number) => ({ ...servedLayout(words), lastDeposit }) as const satisfies Layout;

/** A column is a page's header and its values. */
const SERVED_PIECES = 2 * Object.keys(servedLayout(1)).length;

/** Encodes a row group, and says where its served columns are. */
export function* servedGroup<L extends Layout>(
  encoder: TableEncoder<L>,
  { rows, addresses, labels, balances, ...columns }: CheckpointRows,
): Generator<Uint8Array, HolderGroupPlace> {
  const cells = { address: addresses, label: labels, balance: balances, ...columns };
  const pieces = [...encoder.group(rows, cells as unknown as Rows<L>)];
  const { offset } = encoder.written.groups.at(-1)!.chunks[0]!;
  const served = pieces.slice(offset === MAGIC.length ? 1 : 0).slice(0, SERVED_PIECES);
  const hash = createHash("sha256");
  for (const piece of served) hash.update(piece);
  yield* pieces;
  const length = served.reduce((sum, piece) => sum + piece.length, 0);
  return { offset, length, rows, digest: hash.digest("hex").slice(0, DIGEST_DIGITS) };
}

/** An index, and where it is behind the rows. */
export function encodeIndex(index: object, offset: number): { bytes: Uint8Array; place: IndexPlace } {
  const bytes = packIndex(index);
  return { bytes, place: { offset, length: bytes.length, hash: namePart(sha256Hex(bytes)) } };
}
