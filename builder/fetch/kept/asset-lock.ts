/** One fetch of an asset at a time. */

import { join } from "node:path";
import { Failure } from "../../lib/failure.ts";
import { takeFileLock } from "../../lib/files/lock.ts";
import { writeFailure } from "./durable.ts";

/**
 * Takes the lock in `.part`; that of a process that has ended is taken over.
 *
 * @returns releases it
 * @throws {Failure} another process holds it
 */
export async function takeAssetLock(part: string): Promise<() => Promise<void>> {
  const path = join(part, "lock");
  const refusal = ({ name }: { name: string }) =>
    new Failure(
      `Another soprano fetch (${name}) is fetching this asset: wait for it, or remove ${path} if it has ended.`,
    );
  return takeFileLock(path, refusal).catch((error) => {
    throw writeFailure(path, error);
  });
}
