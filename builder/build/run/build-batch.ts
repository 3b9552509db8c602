/** Builds several assets one after the other. If one fails, the others are built all the same. */

import type { BatchAsset } from "../../input/asset/batch-asset.ts";
import { StoreFailure, sentenceOf } from "../../lib/failure.ts";
import type { ObjectStore } from "../../store/store.ts";
import { Pool } from "../threads/thread-pool.ts";
import { type AssetOutcome, type BatchReport, batchReport } from "./batch-report.ts";
import { build } from "./build.ts";
import type { BuildOptions } from "./build-options.ts";
import type { BuildReport } from "./build-report.ts";

export interface BatchOptions extends BuildOptions {
  onBegin(asset: BatchAsset): void;
  onBuilt(report: BuildReport): void;
  onFailed(asset: BatchAsset, error: unknown): void;
}

/** Builds each asset. If the store itself fails, the remaining assets are skipped. */
export async function buildBatch(
  assets: readonly BatchAsset[],
  store: ObjectStore,
  { onBegin, onBuilt, onFailed, ...options }: BatchOptions,
): Promise<BatchReport> {
  const began = new Date();
  const outcomes: AssetOutcome[] = [];
  let storeFailure: StoreFailure | undefined;
  const pool = new Pool(options.threads, options.memory);
  try {
    for (const asset of assets) {
      if (storeFailure !== undefined) {
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
        if (error instanceof StoreFailure) storeFailure = error;
        onFailed(asset, error);
      }
    }
  } finally {
    await pool.close();
  }
  return batchReport(store.name, began, outcomes, storeFailure?.message);
}

/** The report of a batch that failed before its first asset: each names the cause. */
export function failedBatch(store: string, began: Date, assets: readonly BatchAsset[], cause: unknown): BatchReport {
  const error = sentenceOf(cause);
  const outcomes = assets.map((asset) => ({ ...asset, status: "failed" as const, error, seconds: 0 }));
  return batchReport(store, began, outcomes, error);
}

function outcomeOf({ asset, build, isUnchanged, start, transfers, replayed, published, details }: BuildReport) {
  return {
    symbol: asset.symbol,
    status: isUnchanged ? ("unchanged" as const) : ("published" as const),
    build,
    ...("from" in start
      ? { from: new Date(start.from * 1000).toISOString() }
      : { reason: "beside" in start ? start.beside : start.reason }),
    transfers,
    replayed,
    objectsWritten: published.written,
    bytesWritten: published.bytesWritten,
    ...(details?.input.notices.length && { notices: details.input.notices }),
  };
}
