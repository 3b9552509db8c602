/** What a run says and saves: `bench/results.json` has the figures of the last run of each part, and the machine. */

import { readFile, writeFile } from "node:fs/promises";
import { arch, cpus, platform, totalmem } from "node:os";

const FILE = new URL("../results.json", import.meta.url);

/** The parts run separately; saving one keeps the figures of the others. */
export type Part = "builder" | "worker" | "fetch" | "explorer" | "large" | "night" | "small" | "hour";

/** Prints one line about what runs now, on stderr. */
export const say = (line: string) => console.error(line);

/** `2 × AMD EPYC 7B13, 24 GB, linux x64, Node v24.21.0`. */
export function machineText(): string {
  const processors = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${processors.length} × ${processors[0]?.model.trim()}, ${memory} GB, ${platform()} ${arch()}, Node ${process.version}`;
}

/** @param figures seconds, bytes and counts, in a shape that each part defines */
export async function saveResults(part: Part, figures: unknown): Promise<void> {
  const saved = { machine: machineText(), date: new Date().toISOString(), figures };
  await writeFile(FILE, `${JSON.stringify({ ...(await readResults()), [part]: saved }, null, 2)}\n`);
}

async function readResults(): Promise<Partial<Record<Part, unknown>>> {
  try {
    return JSON.parse(await readFile(FILE, "utf8"));
  } catch {
    // The file does not exist yet, or its last write was interrupted: this run writes it again.
    return {};
  }
}
