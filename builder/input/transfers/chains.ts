/** The transfers of an asset are of one chain. Rows tell by its id or by its name, and only like is compared with like. */

import type { DuckDBConnection } from "@duckdb/node-api";
import { Failure } from "../../lib/failure.ts";
import type { AssetFile } from "../asset/asset.ts";
import { rowPlace, shortened } from "../cells/rules.ts";
import { literal } from "../duckdb/database.ts";
import { tableChunks } from "../duckdb/input-table.ts";
import { type Sign, signMeaning, speaksSql } from "./columns/signs.ts";
import { planTransfers, rowWhere, type TransferPlan } from "./columns/transfer-columns.ts";
import { openFile } from "./shares/open-share.ts";
import type { Files } from "./shares/share.ts";

/** A file, and the chains that the asset's rows are of. */
export interface ChainFile {
  plan: TransferPlan;
  /** At most two that a column names. */
  chains: readonly string[];
}

const KINDS = ["id", "name"] as const;
type Kind = (typeof KINDS)[number];

const ID = "[0-9]+";
const kindOf = (chain: string): Kind => (new RegExp(`^${ID}$`).test(chain) ? "id" : "name");

/**
 * @param isPart whether only rows after the last checkpoint are read, and older ones may be of another chain
 * @throws {Failure} rows are of two chains, or of another one than the asset's source
 */
export async function checkChains(
  connection: DuckDBConnection,
  asset: Pick<AssetFile, "contract" | "source">,
  files: Files,
  read: readonly ChainFile[],
  isPart: boolean,
): Promise<void> {
  for (const kind of KINDS) {
    const of = ({ chains }: ChainFile) => chains.filter((chain) => kindOf(chain) === kind);
    const found = read.flatMap(of);
    if (found.length === 0) continue;
    const older = isPart ? await anyFile(connection, asset, files, kind) : undefined;
    const stated = kind === "id" && asset.source ? [String(asset.source.chainId)] : [];
    if (new Set([...stated, ...(older ? of(older) : []), ...found]).size === 1) continue;
    throw await twoChains(connection, stated[0], [...(older ? [older] : []), ...read], kind);
  }
}

/** The first file with a row that tells its chain, and that row's. */
async function anyFile(
  connection: DuckDBConnection,
  { contract }: Pick<AssetFile, "contract">,
  files: Files,
  kind: Kind,
): Promise<ChainFile | undefined> {
  for (const [index, { role }] of files.history.entries()) {
    if (role !== "transfers") continue;
    const plan = planTransfers(await openFile(connection, files, { sorted: {} }, index), contract);
    for (const sign of chainSigns(plan)) {
      const sql = `SELECT ${signMeaning(sign)} FROM ${plan.table.relation} WHERE ${rowsOf(plan, sign, kind)} LIMIT 1`;
      for await (const chunk of tableChunks(connection, plan.table.file, sql)) {
        return { plan, chains: [String(chunk.getRows()[0]![0])] };
      }
    }
  }
  return undefined;
}

const chainSigns = ({ signs }: TransferPlan) => signs.filter(({ of }) => of === "chain");

/** SQL condition: a row of the asset has a chain of a kind. */
const rowsOf = ({ isOfAsset }: TransferPlan, sign: Sign, kind: Kind) =>
  `${isOfAsset} AND ${speaksSql(sign)} AND regexp_full_match(${signMeaning(sign)}, '${ID}') = ${kind === "id"}`;

/** Names the first row that tells its chain, unless the asset does, and the first one of another chain. */
async function twoChains(
  connection: DuckDBConnection,
  stated: string | undefined,
  files: readonly ChainFile[],
  kind: Kind,
): Promise<Failure> {
  const first =
    stated === undefined
      ? await firstRow(connection, files, kind)
      : { chain: stated, text: `"source.chainId" in ASSET.json is ${stated}` };
  const other = await firstRow(connection, files, kind, first?.chain);
  return new Failure(
    `${first?.text}, but ${other?.text}. The transfers of an asset are of one chain: remove the others, or write its name alike.`,
  );
}

async function firstRow(connection: DuckDBConnection, files: readonly ChainFile[], kind: Kind, but?: string) {
  for (const { plan } of files) {
    for (const sign of chainSigns(plan)) {
      const isOther = but === undefined ? "true" : `${signMeaning(sign)} <> ${literal(but)}`;
      const columns = [sign.column, { ...sign.column, sql: signMeaning(sign), type: "VARCHAR" }];
      const found = await rowWhere(connection, plan.table, `${rowsOf(plan, sign, kind)} AND ${isOther}`, { columns });
      if (!found) continue;
      const place = rowPlace({ file: plan.table.file.name, row: found.row + 1 });
      const [text, chain] = found.cells as [string, string];
      return { chain, text: `${place}, column ${sign.column.name} says ${shortened(text)}` };
    }
  }
  return undefined;
}
