/** Files of an asset that has another symbol now: they get their new names, so that nothing is fetched or said again. */

import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Failure, writing } from "../../lib/failure.ts";
import { takeFileLock } from "../../lib/files/lock.ts";
import { type AssetFile, keptCorrections, keptDeposits } from "../asset/asset.ts";
import { FETCHED_NAME, inputsFolder, readFetched } from "./fetched.ts";

type Asset = Pick<AssetFile, "path" | "symbol" | "source" | "contract" | "was">;

/**
 * Renames what lies under the symbols that an asset had before: the folder of its inputs, or its corrected prices and its deposit
 * addresses. What is there under its own symbol stays.
 *
 * @returns a sentence for each rename
 * @throws {Failure} there is a folder under both symbols, a fetch under the former one is running, or a file can't be renamed
 */
export async function adoptFormerFiles(asset: Asset): Promise<string[]> {
  const { path, symbol, source, was = [] } = asset;
  const notes: string[] = [];
  for (const former of was) {
    const before = { ...asset, symbol: former };
    const names = [keptCorrections, keptDeposits].map((of) => [of(before), of(asset)] as const);
    const moves = source ? await movedFolder(asset, former) : names;
    for (const [from, to] of moves) {
      const [old, now] = [from, to].map((name) => resolve(dirname(path), name)) as [string, string];
      if (!existsSync(old) || existsSync(now)) continue;
      await writing(now, () => rename(old, now));
      notes.push(`${from} is ${to} now: ${former} has become ${symbol}.`);
    }
  }
  return notes;
}

/** The folder of inputs to rename, if there is one. */
async function movedFolder(
  { path, symbol, contract }: Asset,
  former: string,
): Promise<(readonly [from: string, to: string])[]> {
  const [old, now] = [inputsFolder(path, former), inputsFolder(path, symbol)];
  if (!existsSync(join(old, FETCHED_NAME)) || existsSync(join(now, FETCHED_NAME))) return [];
  if ((await readFetched(old))?.contract !== contract) return [];
  if (existsSync(now)) {
    throw new Failure(
      `${old} was fetched when ${symbol} was called ${former}, but there is ${now}, too: move what you need of it, and remove it.`,
    );
  }
  const release = await takeFileLock(
    join(old, ".part", "lock"),
    ({ name }) =>
      new Failure(`Another soprano fetch (${name}) is fetching ${former}: wait for it, then run this again.`),
  );
  await release();
  return [[`inputs/${former}`, `inputs/${symbol}`]];
}
