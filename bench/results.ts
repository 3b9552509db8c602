/** `bench/results.json`: what the last run of each half measured, and where. */

import { readFile, writeFile } from "node:fs/promises";
import { arch, cpus, platform, totalmem } from "node:os";

const FILE = new URL("results.json", import.meta.url);

/** The halves run apart; each keeps what the other measured. */
export type Half = "builder" | "worker";

export interface HalfResults {
  machine: string;
  /** ISO 8601. */
  date: string;
  /** Everything that was measured, in seconds, bytes and counts: the half decides on the shape. */
  figures: unknown;
}

/** `2 × AMD EPYC 7B13, 24 GB, linux x64, Node v24.21.0`. */
export function machineText(): string {
  const processors = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${processors.length} × ${processors[0]?.model.trim()}, ${memory} GB, ${platform()} ${arch()}, Node ${process.version}`;
}

export async function saveResults(half: Half, figures: unknown): Promise<void> {
  const results = { ...(await readResults()), [half]: resultsOf(figures) };
  await writeFile(FILE, `${JSON.stringify(results, null, 2)}\n`);
}

function resultsOf(figures: unknown): HalfResults {
  return { machine: machineText(), date: new Date().toISOString(), figures };
}

async function readResults(): Promise<Partial<Record<Half, HalfResults>>> {
  try {
    return JSON.parse(await readFile(FILE, "utf8"));
  } catch {
    // None yet, or one that was cut short: this run writes it anew.
    return {};
  }
}
