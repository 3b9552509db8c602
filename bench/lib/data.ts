/** Simulated tokens, generated once and kept in `.bench/`, which git ignores. */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { simulate } from "../../builder/demo/simulate/simulate.ts";
import { progressFor } from "../../builder/lib/terminal/progress.ts";
import { BUCKET_SECONDS, type LotMethod, type Resolution } from "../../data-schema/registry.ts";
import { machineText } from "./results.ts";

/** Everything that the benchmark keeps between runs. It is safe to delete: the next run fills it again. */
export const BENCH_FOLDER = fileURLToPath(new URL("../../.bench", import.meta.url));

const SIMULATION = fileURLToPath(new URL("../../builder/demo/simulate", import.meta.url));

export interface TokenSize {
  transfers: number;
  addresses: number;
  days: number;
}

/** One address per ten transfers, over 2,000 days, whatever the size. */
export function tokenSize(transfers: number): TokenSize {
  return { transfers, addresses: transfers / 10, days: 2_000 };
}

/** The path of the ASSET.json of a simulated token of that size, simulated again after changes to the simulator. */
export async function simulatedToken(size: TokenSize, { monthly = false, seed = 1 } = {}): Promise<string> {
  const { transfers, addresses, days } = size;
  const name = `sim-${transfers}-${addresses}-${days}-${monthly ? "monthly-" : ""}${seed > 1 ? `${seed}-` : ""}${await simulationDigest()}`;
  const out = join(BENCH_FOLDER, name);
  const assetPath = join(out, "asset.json");
  // The simulator writes asset.json last, so its presence means that the token is complete.
  if (existsSync(assetPath)) return assetPath;
  return withProgress(`simulate ${transfers} transfers`, transfers, async (onProgress) => {
    await simulate({ ...size, out, seed, monthly, symbol: seed > 1 ? `SIM${seed}` : `SIM${transfers}`, onProgress });
    return assetPath;
  });
}

/** What figures were measured on: the machine, the simulated economy, the date. */
export const settingText = async () =>
  `${machineText()}, economy ${await simulationDigest()}, ${new Date().toISOString().slice(0, 10)}`;

/** A digest of the code of the simulator: of the economy that it simulates. */
async function simulationDigest(): Promise<string> {
  const hash = createHash("sha256");
  for (const file of (await readdir(SIMULATION)).sort()) hash.update(await readFile(join(SIMULATION, file)));
  return hash.digest("hex").slice(0, 8);
}

/** The path of an asset file for the same token, with these resolutions only. */
export const withResolutions = (assetPath: string, resolutions: readonly Resolution[]): Promise<string> =>
  variantOf(assetPath, resolutions.join("-"), () => ({ resolutions }));

/** The same, with lots. */
export const withLots = (assetPath: string, lots: readonly LotMethod[]): Promise<string> =>
  variantOf(assetPath, lots.join("-"), () => ({ lots }));

/** The same, before its last day. */
export const withoutLastDay = (assetPath: string): Promise<string> =>
  variantOf(assetPath, "before", ({ asOf }) => {
    return { asOf: new Date(Date.parse(asOf) - BUCKET_SECONDS.day * 1000).toISOString() };
  });

/** Writes an asset file beside another one, with some keys changed. */
async function variantOf(
  assetPath: string,
  name: string,
  change: (asset: { asOf: string }) => Readonly<Record<string, unknown>>,
): Promise<string> {
  const asset = JSON.parse(await readFile(assetPath, "utf8"));
  const path = assetPath.replace(/\.json$/, `-${name}.json`);
  await writeFile(path, JSON.stringify({ ...asset, ...change(asset) }));
  return path;
}

/** Runs work with a progress bar of its own, on stderr, so that stdout has the tables only. */
export async function withProgress<T>(
  title: string,
  total: number,
  work: (onProgress: (done: number) => void) => Promise<T>,
): Promise<T> {
  const progress = progressFor(process.stderr, false);
  progress.step(title, total);
  try {
    return await work((done) => progress.update(done));
  } finally {
    progress.end();
  }
}
