/** A simulation in a folder of its own. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import type { SimulationOptions } from "../../../builder/demo/simulate/parameters.ts";
import { simulate } from "../../../builder/demo/simulate/simulate.ts";

const folders: string[] = [];

afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

/** A folder that is there until the test file is done. */
export async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "soprano-simulate-"));
  folders.push(folder);
  return folder;
}

/** Simulates into a folder of its own unless told; returns the folder. */
export async function simulated(options: Partial<SimulationOptions> = {}): Promise<string> {
  const out = options.out ?? (await emptyFolder());
  await simulate({ seed: 1, transfers: 5_000, days: 60, ...options, out });
  return out;
}
