/** The file that `soprano deal` writes and the tasks read: written once, so that all see the same hands. */

import { readFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import * as v from "valibot";
import { advised } from "../../lib/advised.ts";
import { Failure } from "../../lib/failure.ts";
import { replaceJson } from "../../lib/files/json-file.ts";
import type { Hand } from "./deal.ts";

const hand = v.strictObject({ cost: v.number(), assets: v.array(v.string()) });
const schema = v.strictObject({
  schema: v.literal(1),
  /** One for each task. Paths of assets are relative to the file's folder, with `/`. */
  hands: v.pipe(v.array(hand), v.minLength(1)),
});

/** @throws {Failure} the file can't be written */
export async function writeDeals(file: string, hands: readonly Hand[]): Promise<void> {
  const folder = dirname(resolve(file));
  const placed = (asset: string) => relative(folder, resolve(asset)).split(sep).join("/");
  const relativeHands = hands.map(({ cost, assets }) => ({ cost, assets: assets.map(placed) }));
  await replaceJson(file, { schema: 1, hands: relativeHands } satisfies v.InferOutput<typeof schema>).catch((error) => {
    throw new Failure(`${file} can't be written (${error.message}): name another file with --out.`);
  });
}

/**
 * The asset files of one task; none if there are fewer assets than tasks.
 *
 * @param task from 0
 * @throws {Failure} the file can't be read, or has no such task
 */
export async function assetsOfTask(file: string, task: number): Promise<string[]> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${file} can't be read (${error.code}): name the file that soprano deal wrote.`);
  });
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text);
  if (!result.success) {
    throw new Failure(
      `${file} is not a file of soprano deal, or of another version: run ${advised("deal", "ASSET.json", "--into", "N", "--out", file)} again.`,
    );
  }
  const { hands } = result.output;
  const hand = hands[task];
  if (!hand) throw new Failure(`${file} has tasks 0 to ${hands.length - 1}, but not ${task}.`);
  return hand.assets.map((asset) => join(dirname(file), asset));
}
