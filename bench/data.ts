/** Simulated tokens, made once and kept in `.bench/`, outside git. */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { simulate } from "../builder/simulate/simulate.ts";
import type { Resolution } from "../data-schema/resolutions.ts";
import { withProgress } from "./progress.ts";

/** The folder of everything that the benchmark keeps between runs. Removing it costs nothing but the time to fill it. */
export const BENCH_FOLDER = fileURLToPath(new URL("../.bench", import.meta.url));

const SIMULATION = fileURLToPath(new URL("../builder/simulate", import.meta.url));

export interface TokenSize {
  transfers: number;
  addresses: number;
  days: number;
}

/** One address for ten transfers, 2,000 days: tokens of all sizes are alike. */
export function tokenSize(transfers: number): TokenSize {
  return { transfers, addresses: transfers / 10, days: 2_000 };
}

/** The ASSET.json of a simulated token of that size; it is simulated if it is not there, or by older code. */
export async function simulatedToken(size: TokenSize): Promise<string> {
  const { transfers, addresses, days } = size;
  const name = `sim-${transfers}-${addresses}-${days}-${await simulationDigest()}`;
  const out = join(BENCH_FOLDER, name);
  const assetPath = join(out, "asset.json");
  // asset.json is written last: where it is, all is.
  if (existsSync(assetPath)) return assetPath;
  return withProgress(`simulate ${transfers} transfers`, transfers, async (onProgress) => {
    await simulate({ ...size, out, seed: 1, symbol: `SIM${transfers}`, onProgress });
    return assetPath;
  });
}

/** Changes with the code of the simulation. */
async function simulationDigest(): Promise<string> {
  const hash = createHash("sha256");
  for (const file of (await readdir(SIMULATION)).sort()) hash.update(await readFile(join(SIMULATION, file)));
  return hash.digest("hex").slice(0, 8);
}

/** The same asset with these resolutions only. */
export async function withResolutions(assetPath: string, resolutions: readonly Resolution[]): Promise<string> {
  const asset = JSON.parse(await readFile(assetPath, "utf8"));
  const path = assetPath.replace(/\.json$/, `-${resolutions.join("-")}.json`);
  await writeFile(path, JSON.stringify({ ...asset, resolutions }));
  return path;
}
