/**
 * Weighs what the rows of files say of themselves: signs that a token is not fungible, and rows of two chains, are refused;
 * rows that a reorganisation has removed are counted.
 */

import type { DuckDBConnection } from "@duckdb/node-api";
import { Failure } from "../../lib/failure.ts";
import type { AssetFile } from "../asset/asset.ts";
import { rowPlace, shortened } from "../cells/rules.ts";
import { tableChunks } from "../duckdb/input-table.ts";
import { type ChainFile, checkChains } from "./chains.ts";
import { type Sign, speaksSql } from "./columns/signs.ts";
import { type RowCounts, rowWhere, type TransferPlan } from "./columns/transfer-columns.ts";
import type { FileEvidence, Files } from "./shares/share.ts";

/** A file that is read. */
interface FileToWeigh {
  /** Its position in the survey's `history`. */
  index: number;
  plan: TransferPlan;
  /** If its rows have been counted. */
  count: RowCounts | null | undefined;
}

/**
 * @param read the files that are read
 * @param isPart whether only rows after the last checkpoint are read
 * @returns what the rows of each file say, by its position, where they say anything
 * @throws {Failure} a row says that the token is not fungible, or rows are of two chains
 */
export async function weighEvidence(
  connection: DuckDBConnection,
  asset: Pick<AssetFile, "contract" | "source">,
  files: Files,
  read: readonly FileToWeigh[],
  isPart: boolean,
): Promise<Record<number, FileEvidence>> {
  const evidence: Record<number, FileEvidence> = {};
  const chainFiles: ChainFile[] = [];
  for (const { index, plan, count } of read) {
    if (plan.signs.length === 0) continue;
    const said = await countSigns(connection, plan, count?.ofAsset !== count?.all);
    const of = (kind: Sign["of"]) => said.filter(({ sign, rows }) => sign.of === kind && rows > 0);
    const against = of("not fungible").map(({ sign }) => sign);
    if (against.length > 0) throw await notFungible(connection, plan, against);
    const [removed] = of("removed");
    if (removed) {
      const { rows, sign } = removed;
      const first = await rowWhere(connection, plan.table, `${plan.isOfAsset} AND ${speaksSql(sign)}`);
      evidence[index] = { removed: { rows, first: first?.row ?? 0 } };
    }
    chainFiles.push({ plan, chains: of("chain").flatMap(({ least, greatest }) => [least, greatest]) });
  }
  await checkChains(connection, asset, files, chainFiles, isPart);
  return evidence;
}

/** For each sign, the asset's rows that say something, and the least and the greatest of what they mean. */
async function countSigns(connection: DuckDBConnection, { table, signs, isOfAsset }: TransferPlan, hasOthers: boolean) {
  const wanted = hasOthers ? isOfAsset : "true";
  const keys = signs.map(({ key }, i) => `${key} AS soprano_${i}`);
  const groups = `(SELECT ${keys}, count(*) AS rows FROM ${table.relation} WHERE ${wanted} GROUP BY ALL)`;
  const columns = signs.flatMap(({ meaning, speaks }, i) => {
    const means = meaning(`soprano_${i}`);
    const where = `FILTER (${speaks(means)})`;
    const text = `CAST(${means} AS VARCHAR)`;
    return [`coalesce(sum(rows) ${where}, 0)::DOUBLE`, `min(${text}) ${where}`, `max(${text}) ${where}`];
  });
  let cells: unknown[] = [];
  for await (const chunk of tableChunks(connection, table.file, `SELECT ${columns} FROM ${groups}`)) {
    cells = chunk.getRows()[0]!;
  }
  return signs.map((sign, i) => {
    const [rows, least, greatest] = cells.slice(3 * i, 3 * i + 3);
    return { sign, rows: Number(rows), least: String(least), greatest: String(greatest) };
  });
}

async function notFungible(
  connection: DuckDBConnection,
  { table, isOfAsset }: TransferPlan,
  signs: readonly Sign[],
): Promise<Failure> {
  const any = signs.map(speaksSql).join(" OR ");
  const columns = signs.map(({ column }) => column);
  // The failure names the first of several columns that speaks in this row.
  const speaks = signs.map((sign) => ({ ...sign.column, sql: speaksSql(sign), type: "BOOLEAN" }));
  const found = await rowWhere(connection, table, `${isOfAsset} AND (${any})`, { columns: [...columns, ...speaks] });
  const [texts, flags] = [found?.cells.slice(0, signs.length) ?? [], found?.cells.slice(signs.length) ?? []];
  const at = Math.max(0, flags.indexOf("true"));
  const place = rowPlace({ file: table.file.name, row: (found?.row ?? 0) + 1 });
  return new Failure(
    `${place}, column ${columns[at]!.name}: ${shortened(texts[at] ?? "")} means that the token is not fungible, and Soprano reads fungible tokens only. ` +
      'Compare "contract" in ASSET.json with the file; if it is an ERC-20 token, export it without this column.',
  );
}
