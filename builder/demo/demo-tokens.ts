/** The tokens of the demo, simulated and built until a day. */

import { join } from "node:path";
import { currentKey } from "../../data-schema/stored.ts";
import { DAY_SECONDS } from "../../data-schema/text.ts";
import { build } from "../build/run/build.ts";
import { formatReport } from "../build/run/build-report.ts";
import { defaultThreads } from "../build/threads/thread-pool.ts";
import type { Progress } from "../lib/terminal/progress.ts";
import { readManifest } from "../published/publish/publication.ts";
import type { ObjectStore } from "../store/store.ts";
import type { SimulationOptions } from "./simulate/parameters.ts";
import { simulate } from "./simulate/simulate.ts";

interface DemoTokens {
  tokens: readonly (Omit<SimulationOptions, "out" | "asOf" | "onProgress"> & { symbol: string })[];
  /** Where a folder of each token's files is made. */
  folder: string;
  /** The midnight at which the tokens end, Unix seconds. */
  end: number;
}

/** The midnight at which the last whole day of UTC ended, Unix seconds. */
export const lastMidnight = (): number => Math.floor(Date.now() / 1000 / DAY_SECONDS) * DAY_SECONDS;

/**
 * Simulates and builds the tokens that are not built yet, or have another end.
 *
 * @param objects of nothing but these tokens
 * @throws {Failure} a folder can't be written
 */
export async function buildTokens(
  objects: ObjectStore,
  { tokens, folder, end }: DemoTokens,
  progress: Progress,
  print: (text: string) => void,
): Promise<void> {
  const ends = await Promise.all(tokens.map(({ symbol }) => builtUntil(objects, symbol)));
  if (ends.some((built) => built !== undefined && built !== end)) {
    // A token with other dates is another one: its builds follow none of this one.
    await objects.delete([...(await objects.list("")).keys()]);
  }
  for (const token of tokens) {
    if ((await builtUntil(objects, token.symbol)) !== undefined) continue;
    progress.step(`simulate ${token.symbol}`, token.transfers);
    const onProgress = (done: number) => progress.update(done);
    const { assetPath } = await simulate({ ...token, out: join(folder, token.symbol), asOf: end, onProgress });
    print(formatReport(await build(assetPath, objects, { threads: defaultThreads(), progress })));
  }
}

/** The end of a token's active build, Unix seconds; undefined without one. */
async function builtUntil(objects: ObjectStore, symbol: string): Promise<number | undefined> {
  const current = await objects.get(currentKey(symbol));
  const manifest = current && readManifest(current).manifest;
  return manifest ? Date.parse(manifest.asOf) / 1000 : undefined;
}
