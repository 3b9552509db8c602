/** One build after the other of many assets: a failure of one is no failure of the others. */

import { Failure, StoreFailure, sentenceOf } from "../failure.ts";
import { readAsset } from "../input/asset.ts";
import type { ObjectStore } from "../store/store.ts";
import { Pool } from "../threads/pool.ts";
import { type AssetOutcome, type BatchReport, batchReport } from "./batch-report.ts";
import { type BuildOptions, build } from "./build.ts";
import type { BuildReport } from "./report.ts";

/** An asset file as it was named, and its symbol; null where that can't be read. */
export interface BatchAsset {
  file: string;
  symbol: string | null;
}

export interface BatchOptions extends BuildOptions {
  onBegin(asset: BatchAsset): void;
  onBuilt(report: BuildReport): void;
  onFailed(asset: BatchAsset, error: unknown): void;
}

/**
 * The assets of a run.
 *
 * @throws {Failure} two of them have the same symbol: one would take the other's place
 */
export async function readBatch(files: readonly string[]): Promise<BatchAsset[]> {
  const fileOf = new Map<string, string>();
  const assets: BatchAsset[] = [];
  for (const file of files) {
    // What is wrong with a file is told when it is its turn.
    const symbol = await readAsset(file).then(
      (asset) => asset.symbol,
      () => null,
    );
    const other = symbol === null ? undefined : fileOf.get(symbol);
    if (other === file) throw new Failure(`${file} is named twice: name each asset once.`);
    if (other !== undefined) {
      throw new Failure(`${other} and ${file} both have the symbol ${symbol}: give each asset a symbol of its own.`);
    }
    if (symbol !== null) fileOf.set(symbol, file);
    assets.push({ file, symbol });
  }
  return assets;
}

/** Builds every asset that can be built. A store that is lost ends it: the assets after it are skipped. */
export async function buildBatch(
  assets: readonly BatchAsset[],
  store: ObjectStore,
  { onBegin, onBuilt, onFailed, ...options }: BatchOptions,
): Promise<BatchReport> {
  const began = new Date();
  const outcomes: AssetOutcome[] = [];
  let lost: StoreFailure | undefined;
  const pool = new Pool(options.threads);
  try {
    for (const asset of assets) {
      if (lost !== undefined) {
        outcomes.push({ ...asset, status: "skipped", seconds: 0 });
        continue;
      }
      const start = performance.now();
      const seconds = () => Math.round(performance.now() - start) / 1000;
      onBegin(asset);
      try {
        const report = await build(asset.file, store, { ...options, pool });
        outcomes.push({ ...asset, ...outcomeOf(report), seconds: seconds() });
        onBuilt(report);
      } catch (error) {
        outcomes.push({ ...asset, status: "failed", error: sentenceOf(error), seconds: seconds() });
        if (error instanceof StoreFailure) lost = error;
        onFailed(asset, error);
      }
    }
  } finally {
    await pool.close();
  }
  return batchReport(store.name, began, outcomes, lost?.message);
}

function outcomeOf({ asset, build, isUnchanged, start, transfers, replayed, published }: BuildReport) {
  return {
    symbol: asset.symbol,
    status: isUnchanged ? ("unchanged" as const) : ("published" as const),
    build,
    ...("reason" in start ? { reason: start.reason } : { from: new Date(start.from * 1000).toISOString() }),
    transfers,
    replayed,
    objectsWritten: published.written,
    bytesWritten: published.bytesWritten,
  };
}
