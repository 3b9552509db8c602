/** Finds manifests that cannot be read: a list call alone shows that they are there, but not what they hold. */

import { sideBySide } from "../bucket/side-by-side.ts";
import type { Context } from "../context.ts";
import type { ListedAsset, ManifestCheck } from "../isolate.ts";
import { logFailure } from "../observe/log.ts";
import { damaged, Problem } from "../problems/problem.ts";
import { readManifest } from "./locate.ts";

/** How long the results of a check are served before more manifests are read. */
export const CHECK_SECONDS = 30;

/**
 * Read in one check. Cloudflare's free plan has 50 subrequests and 10 ms of CPU time for a request: a damaged manifest
 * takes four reads, and a long one a millisecond.
 */
const READS = 8;

/** So that few of them wait in memory. */
const READS_AT_ONCE = 4;

/**
 * Why manifests cannot be read, by symbol. First those are read that failed the last time, or that have changed since;
 * then those whose last read is the longest ago. So a few assets are all read in every check, and a thousand in turn.
 */
export async function manifestFaults(
  assets: readonly ListedAsset[],
  context: Context,
): Promise<ReadonlyMap<string, Problem>> {
  const { isolate, now, waitUntil } = context;
  if (now() - isolate.checkedAt >= CHECK_SECONDS * 1000) {
    // Set before anything is read, so that one request reads them, not all of them.
    isolate.checkedAt = now();
    const checked = check(assets, context);
    waitUntil(checked);
    await checked;
  }
  const faults = new Map<string, Problem>();
  for (const { symbol, etag } of assets) {
    const check = isolate.checks.get(symbol);
    if (check?.fault && check.etag === etag) faults.set(symbol, check.fault);
  }
  return faults;
}

async function check(assets: readonly ListedAsset[], context: Context): Promise<void> {
  const { isolate } = context;
  const known = new Map(
    assets.flatMap(({ symbol, etag }) => {
      const check = isolate.checks.get(symbol);
      return check?.etag === etag ? [[symbol, check]] : [];
    }),
  );
  const lastRead = ({ symbol }: ListedAsset) => {
    const check = known.get(symbol);
    return check?.fault === null ? check.at : 0;
  };
  const due = assets.toSorted((a, b) => lastRead(a) - lastRead(b)).slice(0, READS);
  isolate.checks = known;
  const read = (asset: ListedAsset) => checkOne(asset, context);
  for await (const check of sideBySide(due, read, (_, pending) => pending < READS_AT_ONCE))
    known.set(check.symbol, check);
}

async function checkOne({ symbol, etag }: ListedAsset, context: Context): Promise<ManifestCheck> {
  const check = { symbol, etag, at: context.now() };
  try {
    if ((await readManifest(symbol, context)) === null) throw damaged(`the manifest of ${symbol} is missing`);
    return { ...check, fault: null };
  } catch (fault) {
    if (!(fault instanceof Problem)) throw fault;
    logFailure("unreadable-manifest", new Error(symbol, { cause: fault.cause }), context.entry.id);
    return { ...check, fault };
  }
}
