/** One build of an asset at a time in a local store, whose objects and databases two processes would contend for. */

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure, writeProblem } from "../../lib/failure.ts";
import { type Holder, takeFileLock } from "../../lib/files/lock.ts";

const POLL_MS = 500;

/** Another process builds the asset. */
class Taken extends Failure {}

/**
 * Takes the lock of an asset.
 *
 * @param persist state folder of the store
 * @param wait called once, with a sentence, before waiting for another build; without, it is refused
 * @returns releases it
 * @throws {Failure} another process builds the asset; or the lock can't be written
 */
export async function takeBuildLock(
  persist: string,
  symbol: string,
  wait: ((sentence: string) => void) | undefined,
): Promise<() => Promise<void>> {
  const path = join(persist, "locks", `${symbol}.lock`);
  for (let tries = 0; ; tries++) {
    try {
      return await takeFileLock(path, (holder) => new Taken(sentence(symbol, holder)));
    } catch (error) {
      if (error instanceof Taken && wait) {
        if (tries === 0) wait(`${error.message} Waiting for it.`);
        await sleep(POLL_MS);
        continue;
      }
      if (error instanceof Taken) throw new Failure(`${error.message} Wait for it, or build with --wait.`);
      const problem = writeProblem(error);
      throw problem === undefined ? error : new Failure(`${path} can't be written; ${problem}.`, { cause: error });
    }
  }
}

const sentence = (symbol: string, { name, since }: Holder) =>
  `${symbol} is being built in this store by ${name}${since === undefined ? "" : `, since ${new Date(since).toISOString().slice(0, 19)}Z`}.`;
