/**
 * Row groups that readers find by an index, which lies behind the rows: those of the checkpoint's table and of the lists of
 * holders. Source: docs/formats.md#holders.
 */

import { createHash } from "node:crypto";
import { type HolderGroupPlace, packIndex } from "../../../data-schema/holders.ts";
import { DIGEST_DIGITS, MAGIC } from "../../../data-schema/parquet.ts";
import { type IndexPlace, namePart } from "../../../data-schema/stored.ts";
import type { Layout, Rows, TableEncoder } from "../../lib/fixed-width-table.ts";
import { sha256Hex } from "../../store/stored-content.ts";
import type { CheckpointRows } from "./checkpoint-rows.ts";
import { packRows, servedLayout } from "./stored-rows.ts";

/** A column is a page's header and its values. */
const SERVED_PIECES = 2 * Object.keys(servedLayout(1)).length;

/** Encodes a row group, and says where its served columns are. */
export function* servedGroup<L extends Layout>(
  encoder: TableEncoder<L>,
  given: CheckpointRows,
): Generator<Uint8Array, HolderGroupPlace> {
  const { rows } = given;
  const pieces = [...encoder.group(rows, packRows(given) as unknown as Rows<L>)];
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
