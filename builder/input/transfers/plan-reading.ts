/** Plans the reading of an asset's transfers: which blocks are read together. */

import type { AssetFile } from "../asset.ts";
import type { Files, HistoryFile, Reading } from "./share.ts";

export interface PlanReadingOptions {
  /** When a build resumes: only these files are read, and only rows after that block. */
  since?: { lastBlock: number; files: readonly HistoryFile[] };
  /** Rows a share has, about. */
  rows: number;
  /** For copies of files that have to be sorted. */
  folder: string;
  /** Bytes that sorting may use. */
  memory: number;
  /** DuckDB's threads. */
  threads?: number;
}

/** @throws {Failure} a file can't be read */
export async function planReading(_asset: AssetFile, files: Files, { since }: PlanReadingOptions): Promise<Reading> {
  return wholeReading(files, since);
}

/** A reading with a single share. */
export function wholeReading({ history }: Files, since?: PlanReadingOptions["since"]): Reading {
  const read = since?.files ?? history;
  const files = [...history.keys()].filter((index) => read.includes(history[index]!));
  const rows = files.reduce((sum, index) => sum + rowsFromSize(history[index]!), 0);
  return {
    shares: [{ files }],
    counts: history.map(() => null),
    rows,
    sorted: {},
    ...(since && { after: since.lastBlock }),
  };
}

/** Bytes that a transfer takes at least, or nearly so, by the name of its file. */
const ROW_BYTES: readonly (readonly [RegExp, number])[] = [
  [/\.csv$/i, 100],
  [/\.csv\.gz$/i, 20],
  [/./, 10],
];

function rowsFromSize({ role, file: { name, bytes } }: HistoryFile): number {
  if (role !== "transfers") return 0;
  return Math.ceil(bytes / ROW_BYTES.find(([pattern]) => pattern.test(name))![1]);
}
