/** Opens the files of a share, restricted to its blocks. */

import type { DuckDBConnection } from "@duckdb/node-api";
import {
  type Column,
  exactColumn,
  openInputTable,
  openParquet,
  type Part,
  type Table,
} from "../../duckdb/input-table.ts";
import { throughTransferShape } from "../columns/transfer-shape.ts";
import { blockColumn, tableBetween } from "./new-rows.ts";
import type { Files, HistoryFile, Reading, Share } from "./share.ts";
import { BLOCK_KEY, FILE_ROW } from "./sort.ts";

/** A file of a share, open. */
export interface ShareFile {
  /** Position in the survey's `history`. */
  index: number;
  table: Table;
}

/** Opens the files of a share that have a role. */
export async function openShare(
  connection: DuckDBConnection,
  files: Files,
  reading: Reading,
  index: number,
  role: HistoryFile["role"],
): Promise<ShareFile[]> {
  const share = reading.shares[index]!;
  const opened: ShareFile[] = [];
  for (const index of share.files) {
    if (files.history[index]!.role !== role) continue;
    const table = await openFile(connection, files, reading, index);
    const block = index in reading.sorted ? exactColumn(table, BLOCK_KEY) : blockColumn(table, role);
    opened.push({ index, table: within(table, share, block) });
  }
  return opened;
}

/** Positions in `history` of the files of a role that a reading reads, whatever its shares. */
export function filesRead({ history }: Files, { counts, shares }: Reading, role: HistoryFile["role"]): number[] {
  return [...history.keys()].filter(
    (index) => history[index]!.role === role && (counts[index] || shares.some(({ files }) => files.includes(index))),
  );
}

/** Opens these files, not their sorted copies, with all rows that the reading wants. */
export async function openOriginals(
  connection: DuckDBConnection,
  files: Files,
  reading: Reading,
  role: HistoryFile["role"],
): Promise<Table[]> {
  const tables: Table[] = [];
  for (const index of filesRead(files, reading, role)) {
    tables.push(await openFile(connection, files, { ...reading, sorted: {} }, index));
  }
  return tables;
}

/** Opens a file, or its sorted copy, restricted to the rows that a reading wants. */
export async function openFile(
  connection: DuckDBConnection,
  { history }: Files,
  { after, sorted }: Pick<Reading, "after" | "sorted">,
  index: number,
): Promise<Table> {
  const { role, file } = history[index]!;
  const path = sorted[index];
  if (path !== undefined) {
    const copy = await openParquet(connection, { ...file, path });
    return { ...copy, part: { ...wholeOf(copy, exactColumn(copy, BLOCK_KEY)), row: FILE_ROW } };
  }
  const table = await openHistory(connection, history[index]!);
  return tableBetween(table, { after, until: history[index]!.former?.until }, role);
}

/** Opens a file of transfers or blocks with all its rows, as the survey has understood it. */
export async function openHistory(
  connection: DuckDBConnection,
  { file, contractColumn: name, shape, former }: Pick<HistoryFile, "file" | "contractColumn" | "shape" | "former">,
): Promise<Table> {
  const table = throughTransferShape(await openInputTable(connection, file), shape);
  return {
    ...table,
    ...(former && { formerContract: former.contract }),
    ...(name !== undefined && { contractColumn: name === null ? null : exactColumn(table, name) }),
  };
}

/** All rows of a table, as a part of it. */
const wholeOf = ({ relation }: Table, column: Column) => ({
  whole: relation,
  condition: "true",
  blocks: { column, from: 0, to: Number.POSITIVE_INFINITY },
});

/** Restricts a table to the blocks of a share. Its column of blocks has integers, none of them NULL, unless the share is all there is. */
function within(table: Table, { from, to }: Share, column: Column): Table {
  const { sql } = column;
  const conditions = [
    ...(from === undefined ? [] : [`${sql} >= ${from}`]),
    ...(to === undefined ? [] : [`${sql} < ${to}`]),
  ];
  if (conditions.length === 0) return table;
  const { condition, blocks, ...part }: Part = table.part ?? wholeOf(table, column);
  const restricted = conditions.join(" AND ");
  return {
    ...table,
    relation: `(FROM ${table.relation} WHERE ${restricted})`,
    part: {
      ...part,
      condition: `(${condition}) AND ${restricted}`,
      blocks: { column, from: Math.max(blocks.from, from ?? 0), to: Math.min(blocks.to, to ?? blocks.to) },
    },
  };
}
