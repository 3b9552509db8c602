/** The folder that all tasks of a build share: `--work` of `soprano stage`. */

import { join } from "node:path";
import type { AssetFile } from "../../input/asset/asset.ts";
import type { Environment } from "../../store/cloudflare.ts";
import { BucketFolder } from "./bucket-folder.ts";
import type { StageFolder } from "./folder.ts";
import { LocalFolder } from "./local-folder.ts";
import { workFolder } from "./work-folder.ts";

const R2_FOLDER = /^r2:\/\/([a-z0-9][a-z0-9-]{1,61}[a-z0-9])(?:\/((?:[\w.-]+\/)*[\w.-]+))?\/?$/;

/** Bucket and prefix of `r2://bucket/prefix`; undefined if it is something else. */
export function bucketFolderOf(work: string): { bucket: string; prefix: string } | undefined {
  const [, bucket, prefix] = work.match(R2_FOLDER) ?? [];
  return bucket === undefined ? undefined : { bucket, prefix: prefix === undefined ? "" : `${prefix}/` };
}

/**
 * Opens the folder, and closes it however `use` ends.
 *
 * @param work a path, or `r2://bucket/prefix`
 * @throws {Failure} the environment lacks what R2 needs, or this machine has no room for temporary files
 */
export async function withStageFolder<T>(
  work: string,
  { symbol, path }: AssetFile,
  env: Environment,
  use: (folder: StageFolder) => Promise<T>,
): Promise<T> {
  const place = bucketFolderOf(work);
  if (!place) return use(new LocalFolder(join(work, symbol), path, true));
  // The S3 client is imported here because it takes a while to load.
  const store = (await import("../../store/r2/r2.ts")).openR2(place.bucket, env);
  const scratch = workFolder();
  try {
    return await use(new BucketFolder(store, `${place.prefix}${symbol}/`, path, scratch.path));
  } finally {
    scratch.remove();
    await store.close();
  }
}
