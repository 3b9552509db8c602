/** Fetches several assets. One that fails holds up none of the others. */

import type { BatchAsset } from "../../input/asset/batch-asset.ts";
import { readInputList } from "../../input/fetched/bucket-inputs.ts";
import { inputsFolder, readFetched, transferFiles } from "../../input/fetched/fetched.ts";
import { Failure, sentenceOf } from "../../lib/failure.ts";
import { type Progress, silentProgress } from "../../lib/terminal/progress.ts";
import type { ObjectStore } from "../../store/store.ts";
import { type Meet, Rendezvous } from "../chain/rendezvous.ts";
import { hasFiles } from "../plan/continued.ts";
import type { FetchOptions } from "../plan/work.ts";
import { fetchAsset, readAssetToFetch } from "./fetch.ts";
import type { FetchedAsset } from "./fetch-report.ts";

export type FetchSession = FetchOptions & { signal: AbortSignal };

/** What became of an asset, and the error if it failed. */
export interface Fetching {
  outcome: FetchedAsset;
  cause?: unknown;
}

/** Assets that are fetched side by side, by the bytes of their transfers: the memory holds the balances of all of them. */
const SMALL_BYTES = 4_000_000;
const AT_ONCE = { small: 32, large: 8 };

/**
 * Fetches assets: those that have been fetched before side by side, where small ones ask together, and first fetches one after
 * the other, since each takes all that the nodes give, and much memory.
 *
 * @param tell called with what became of each asset when it is done
 */
async function fetchBatch(
  assets: readonly BatchAsset[],
  session: FetchSession,
  tell: (fetching: Fetching) => void,
): Promise<void> {
  const { dryRun, recheck, progress, store } = session;
  // What is only planned, and what asks the user, goes one after the other, too.
  const areTogether = assets.length > 1 && !dryRun && recheck === undefined;
  const sizes = new Map<BatchAsset, number>();
  if (areTogether) {
    await sideBySide(assets, AT_ONCE.large, async (asset) => {
      const bytes = await fetchedBytes(asset, store);
      if (bytes !== undefined) sizes.set(asset, bytes);
    });
  }
  const nights = assets.filter((asset) => sizes.has(asset));
  if (nights.length > 0) {
    progress.step("fetch", nights.length);
    let done = 0;
    const fetch = async (asset: BatchAsset, meet?: Meet) => {
      tell(await fetchOne(asset, { ...session, meet, progress: notesOf(asset, progress) }));
      progress.update(++done);
    };
    const rendezvous = new Rendezvous();
    const isSmall = (asset: BatchAsset) => sizes.get(asset)! <= SMALL_BYTES;
    const small = nights.filter(isSmall);
    await sideBySide(small, AT_ONCE.small, (asset) => rendezvous.with((meet) => fetch(asset, meet)));
    const large = nights.filter((asset) => !isSmall(asset));
    await sideBySide(large, AT_ONCE.large, fetch);
    progress.end();
  }
  for (const asset of assets.filter((one) => !sizes.has(one))) {
    if (assets.length > 1) progress.note(asset.file);
    tell(await fetchOne(asset, session));
  }
}

/** Does the same for each, so many at once. */
async function sideBySide<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const next = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, next));
}

/** The bytes of the transfers that earlier fetches have left, here or in the bucket; undefined if there are none. */
async function fetchedBytes({ file, symbol }: BatchAsset, store: ObjectStore | undefined): Promise<number | undefined> {
  if (symbol === null) return undefined;
  try {
    const fetched = await readFetched(inputsFolder(file, symbol));
    const files = fetched ? transferFiles(fetched) : store ? (await readInputList(store, symbol)).files : [];
    const isFirst = fetched ? !hasFiles(fetched) : files.length === 0;
    return isFirst ? undefined : files.reduce((sum, { bytes }) => sum + bytes, 0);
  } catch (error) {
    // Its fetch says what is wrong.
    if (error instanceof Failure) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

/** Connects to the nodes and the bucket, and closes them however `use` ends. */
export type Connect = (use: (session: FetchSession) => Promise<void>) => Promise<void>;

/**
 * Fetches the assets of a command. What is wrong with a file is said before any node is asked. Where no node or bucket can be
 * reached, all assets that have not been fetched fail for that reason.
 *
 * @param tell called with what became of each asset when it is known
 * @returns what became of the assets, in their order, and why the command fails, if it does
 */
export async function fetchFiles(
  assets: readonly BatchAsset[],
  connect: Connect,
  tell: (fetching: Fetching) => void,
): Promise<{ fetched: Fetching[]; failure: unknown }> {
  const known = new Map<string, Fetching>();
  const end = (fetching: Fetching) => {
    known.set(fetching.outcome.file, fetching);
    tell(fetching);
  };
  for (const asset of assets) {
    await readAssetToFetch(asset.file).catch((cause: unknown) => end(failedToFetch(asset, cause)));
  }
  const sound = assets.filter(({ file }) => !known.has(file));
  let ended: unknown;
  if (sound.length > 0) {
    await connect((session) => fetchBatch(sound, session, end)).catch((cause: unknown) => {
      ended = cause;
      for (const asset of sound) if (!known.has(asset.file)) end(failedToFetch(asset, cause));
    });
  }
  const fetched = assets.map(({ file }) => known.get(file)!);
  return { fetched, failure: batchFailure(fetched) ?? ended };
}

/** Why not all assets were fetched; undefined if they were. */
function batchFailure(fetched: readonly Fetching[]): unknown {
  const failed = fetched.filter(({ outcome }) => outcome.status === "failed");
  if (failed.length === 0) return undefined;
  if (fetched.length === 1) return failed[0]!.cause;
  const names = failed.map(({ outcome: { symbol, file } }) => symbol ?? file).join(", ");
  return new Failure(
    `${failed.length} of ${fetched.length} assets were not fetched (${names}): see the messages above, then fetch them again.`,
  );
}

/** The progress of one of several assets: only notes are shown, each with its asset. */
const notesOf = ({ symbol, file }: BatchAsset, { note }: Progress): Progress => ({
  ...silentProgress(),
  note: (line) => note(`${symbol ?? file}: ${line}`),
});

export function failedToFetch(
  { file, symbol }: BatchAsset,
  cause: unknown,
  spent: Pick<FetchedAsset, "requests" | "bytes" | "seconds"> = { requests: 0, bytes: 0, seconds: 0 },
): Fetching {
  return { outcome: { file, symbol, status: "failed", error: sentenceOf(cause), ...spent }, cause };
}

/** Fetches an asset. Its failure is part of the outcome. */
function fetchOne(asset: BatchAsset, session: FetchSession): Promise<Fetching> {
  const { file } = asset;
  const { traffic } = session.nodes;
  const start = performance.now();
  return traffic.apart(async () => {
    const spent = () => ({
      requests: traffic.requests,
      bytes: traffic.bytes,
      seconds: Math.round(performance.now() - start) / 1000,
    });
    try {
      session.signal.throwIfAborted();
      return { outcome: { file, ...(await fetchAsset(file, session)), ...spent() } };
    } catch (error) {
      return failedToFetch(asset, session.signal.aborted ? session.signal.reason : error, spent());
    }
  });
}
