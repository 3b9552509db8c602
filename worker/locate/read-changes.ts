/** The log of an asset's activations: which entries count, and which of them one page shows. */

import {
  type ChangeEntry,
  type ChangeSummary,
  changeKey,
  changeNumber,
  changePrefix,
  type Manifest,
  METADATA,
  parseChangeEntry,
} from "../../data-schema/stored.ts";
import { readTwice } from "../bucket/read-twice.ts";
import { sideBySide } from "../bucket/side-by-side.ts";
import { storedSha256, verify } from "../bucket/verify-bytes.ts";
import type { Context } from "../context.ts";
import { damaged, missing } from "../problems/problem.ts";
import { listAssets, listObjects } from "./listed-assets.ts";

/** Numbers that one page goes through. With the reads before, a request stays within the 50 of Cloudflare's free plan. */
const PAGE = 30;
const READS_AT_ONCE = 6;

/**
 * The number of the entry with which a page begins.
 *
 * @param before the number of an entry that is newer; null: the page begins with that of the active build
 * @returns null if there is none
 * @throws {Problem} 500 an entry cannot be read; 503 the store is out of reach
 */
export async function firstOfPage(manifest: Manifest, before: number | null, context: Context): Promise<number | null> {
  const newest = await newestOf(manifest, context);
  if (newest === null || before === null || before > newest) return newest;
  // Whoever wrote an entry saw the one before active, even if the entry itself never counted.
  return (await readEntry(manifest.symbol, before, context)).previous;
}

/** The number of the entry of the active build: the list of assets tells it, unless Soprano 0.2 or before activated it. */
async function newestOf({ symbol, build }: Manifest, context: Context): Promise<number | null> {
  const assets = await listAssets(context);
  const listed = assets.find((asset) => asset.symbol === symbol)?.entry?.activation;
  if (listed) return listed.change;
  const found = await findChange(symbol, build, context);
  return found?.build === build ? found.n : null;
}

/**
 * A page of the log, the newest entry first. Entries of builds that were never activated are left out: no other entry
 * names them as the one before.
 *
 * @param first the number of an entry that counts
 * @throws {Problem} as `firstOfPage`
 */
export async function readPage(symbol: string, first: number, context: Context): Promise<ChangeEntry[]> {
  const numbers = Array.from({ length: Math.min(PAGE, first) }, (_, i) => first - i);
  const read = (n: number) => readEntry(symbol, n, context).catch((fault: unknown) => ({ n, fault }));
  const found = new Map<number, Awaited<ReturnType<typeof read>>>();
  for await (const entry of sideBySide(numbers, read, (_, pending) => pending < READS_AT_ONCE))
    found.set(entry.n, entry);
  const page: ChangeEntry[] = [];
  for (let entry = found.get(first); entry !== undefined; ) {
    if ("fault" in entry) throw entry.fault;
    page.push(entry);
    entry = entry.previous === null ? undefined : found.get(entry.previous);
  }
  return page;
}

/** @throws {Problem} 500 it is missing or cannot be read; 503 the store is out of reach */
export async function readEntry(symbol: string, n: number, context: Context): Promise<ChangeEntry> {
  const key = changeKey(symbol, n);
  const read = async () => {
    const object = await context.bindings.BUCKET.get(key);
    return object && { bytes: new Uint8Array(await object.arrayBuffer()), sha256: storedSha256(object) };
  };
  const stored = await readTwice(key, read, context);
  if (stored === null) throw missing(key);
  if (stored.sha256 !== undefined) await verify(stored.bytes, stored.sha256, key);
  let entry: ChangeEntry;
  try {
    entry = parseChangeEntry(new TextDecoder().decode(stored.bytes));
  } catch (cause) {
    throw damaged(`${key} cannot be read`, cause);
  }
  if (entry.symbol !== symbol || entry.n !== n) throw damaged(`${key} is another entry`);
  return entry;
}

/**
 * The newest entry of a build, from the list of all; of a build that is older than the log, the one that names it as the
 * build before.
 *
 * @returns undefined if there is none
 * @throws {Problem} 503 the store is out of reach
 */
export async function findChange(
  symbol: string,
  build: string,
  context: Context,
): Promise<(ChangeSummary & { n: number }) | undefined> {
  let found: (ChangeSummary & { n: number }) | undefined;
  for await (const { key, customMetadata } of listObjects(changePrefix(symbol), context)) {
    const summary = METADATA.change.read(customMetadata?.change, key);
    if (summary?.build === build || (found === undefined && summary?.previousBuild === build)) {
      found = { ...summary, n: changeNumber(symbol, key) };
    }
  }
  return found;
}
