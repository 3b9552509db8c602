/** `bench/results.json`: the figures of the last run of each half, and the machine. */

import { readFile, writeFile } from "node:fs/promises";
import { arch, cpus, platform, totalmem } from "node:os";

const FILE = new URL("results.json", import.meta.url);

/** The halves run separately; saving one keeps the figures of the other. */
export type Half = "builder" | "worker";

export interface HalfResults {
  machine: string;
  /** ISO 8601. */
  date: string;
  /** Seconds, bytes and counts, in a shape that each half defines. */
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
    // The file does not exist yet, or its last write was interrupted: this run writes it again.
    return {};
  }
}
