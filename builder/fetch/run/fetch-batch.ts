/** Fetches several assets. One that fails holds up none of the others. */

import { access } from "node:fs/promises";
import { join } from "node:path";
import type { BatchAsset } from "../../input/asset/batch-asset.ts";
import { FETCHED_NAME, inputsFolder } from "../../input/fetched/fetched.ts";
import { Failure, sentenceOf } from "../../lib/failure.ts";
import { type Progress, silentProgress } from "../../lib/terminal/progress.ts";
import type { FetchOptions } from "../plan/work.ts";
import { fetchAsset, readAssetToFetch } from "./fetch.ts";
import type { FetchedAsset } from "./fetch-report.ts";

export type FetchSession = FetchOptions & { signal: AbortSignal };

/** What became of an asset, and the error if it failed. */
export interface Fetching {
  outcome: FetchedAsset;
  cause?: unknown;
}

/** Assets that are fetched side by side: a night of one is mostly waiting for a few answers. */
const AT_ONCE = 8;

/**
 * Fetches assets: those that have been fetched before side by side, and first fetches one after the other, since each takes
 * all that the nodes give, and much memory.
 *
 * @param tell called with what became of each asset when it is done
 */
async function fetchBatch(
  assets: readonly BatchAsset[],
  session: FetchSession,
  tell: (fetching: Fetching) => void,
): Promise<void> {
  const { dryRun, recheck, progress } = session;
  // What is only planned, and what asks the user, goes one after the other, too.
  const areTogether = assets.length > 1 && !dryRun && recheck === undefined;
  const wereFetched = await Promise.all(assets.map(wasFetched));
  const nights = assets.filter((_, index) => areTogether && wereFetched[index]);
  if (nights.length > 0) {
    progress.step("fetch", nights.length);
    let done = 0;
    const rest = nights.values();
    const work = async () => {
      for (const asset of rest) {
        tell(await fetchOne(asset, { ...session, progress: notesOf(asset, progress) }));
        progress.update(++done);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    progress.end();
  }
  for (const asset of assets.filter((one) => !nights.includes(one))) {
    if (assets.length > 1) progress.note(asset.file);
    tell(await fetchOne(asset, session));
  }
}

const wasFetched = async ({ file, symbol }: BatchAsset): Promise<boolean> =>
  symbol !== null &&
  access(join(inputsFolder(file, symbol), FETCHED_NAME)).then(
    () => true,
    () => false,
  );

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
