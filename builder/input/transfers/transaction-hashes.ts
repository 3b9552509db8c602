/** The transactions of single transfers, where the files tell them. */

import { withDatabase } from "../duckdb/database.ts";
import { tableChunks, textSql } from "../duckdb/input-table.ts";
import { marksOf } from "./columns/marks.ts";
import { planTransfers } from "./columns/transfer-columns.ts";
import { openFile } from "./shares/open-share.ts";
import type { Files } from "./shares/share.ts";

/** Where a transfer is on the chain. */
export interface LogPlace {
  block: number;
  logIndex: number;
}

/** A name for a log, for maps. */
export const logName = ({ block, logIndex }: LogPlace): string => `${block}/${logIndex}`;

/**
 * The hashes of transactions, `0x…` in lower case, by `logName`; those that no file tells are left out.
 *
 * @param logs of rows that have been read before
 * @param after only rows after this block are looked at
 */
export async function transactionHashes(
  contract: string,
  files: Files,
  logs: readonly LogPlace[],
  after?: number,
): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  if (logs.length === 0) return hashes;
  const wanted = new Set(logs.map(logName));
  const blocks = [...new Set(logs.map(({ block }) => block))].join(", ");
  const reading = { sorted: {}, ...(after !== undefined && { after }) };
  await withDatabase(1, async (connection) => {
    for (const [index, { role }] of files.history.entries()) {
      if (role !== "transfers") continue;
      const table = await openFile(connection, files, reading, index);
      const { columns, signs, isOfAsset } = planTransfers(table, contract);
      const hash = marksOf(table, signs).transactionHash?.column;
      if (!hash) continue;
      const number = ({ sql }: { sql: string }) => `TRY_CAST(${sql} AS UBIGINT)`;
      const digits = hash.type === "BLOB" ? `'0x' || lower(hex(${hash.sql}))` : `lower(${textSql(hash)})`;
      const [block, logIndex] = [number(columns.block.column), number(columns.logIndex.column)];
      const sql = `SELECT ${block}::DOUBLE, ${logIndex}::DOUBLE, ${digits} FROM ${table.relation} WHERE ${isOfAsset} AND ${block} IN (${blocks})`;
      for await (const chunk of tableChunks(connection, table.file, sql)) {
        for (const [block, logIndex, digits] of chunk.getRows()) {
          const name = logName({ block: Number(block), logIndex: Number(logIndex) });
          const found = String(digits).replace(/^(?!0x)/, "0x");
          if (wanted.has(name) && /^0x[0-9a-f]{64}$/.test(found)) hashes.set(name, found);
        }
      }
    }
  });
  return hashes;
}
