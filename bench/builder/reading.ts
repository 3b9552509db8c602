/**
 * Reading by shares: `reading.ts ASSET.json ROUNDS`. The same shares are read by one worker thread and by four; every
 * reader gives DuckDB one thread.
 */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { readAsset } from "../../builder/input/asset/asset.ts";
import { digestInput } from "../../builder/input/digest-input.ts";
import { surveyInput } from "../../builder/input/survey.ts";
import { planReading } from "../../builder/input/transfers/plan-reading.ts";
import { medianFigures } from "../lib/rounds.ts";

export type ReadingFigures = Record<
  /** Seconds of one reader, and of four. */
  | "one"
  | "four"
  /** CPU seconds of one reader, all its threads included. */
  | "cpu"
  | "rows"
  | "shares",
  number
>;

const [path, rounds] = process.argv.slice(2) as [string, string];
const asset = await readAsset(path);
const survey = await surveyInput(asset, await digestInput(asset));
const folder = await mkdtemp(join(tmpdir(), "soprano-reading-"));
// About eight shares, each of a few row groups.
const rows = survey.history.reduce((sum, { file }) => sum + file.bytes, 0) / 20 / 8;
const reading = await planReading(asset, survey, { rows: () => rows, folder, memory: 2 ** 30 });
const { history } = survey;

const readers = Array.from({ length: 4 }, () => new Worker(new URL("share-reader.ts", import.meta.url)));

/** Reads all shares, each by the next reader that is free, and measures it. */
async function readBy(count: number): Promise<{ seconds: number; cpu: number; rows: number }> {
  const began = performance.now();
  const cpuBefore = process.cpuUsage();
  const left = reading.shares.keys();
  const readOn = async (reader: Worker) => {
    let rows = 0;
    for (const index of left) {
      const read = new Promise<number>((resolve, reject) => {
        reader.once("message", resolve);
        reader.once("error", reject);
      });
      reader.postMessage({ asset: { contract: asset.contract }, files: { history }, reading, index });
      rows += await read;
      reader.removeAllListeners("error");
    }
    return rows;
  };
  const counts = await Promise.all(readers.slice(0, count).map(readOn));
  const { user, system } = process.cpuUsage(cpuBefore);
  const seconds = (performance.now() - began) / 1000;
  return { seconds, cpu: (user + system) / 1e6, rows: counts.reduce((sum, rows) => sum + rows, 0) };
}

// Their first reading compiles the code.
await readBy(readers.length);
const { one, four } = await medianFigures(Number(rounds), { one: () => readBy(1), four: () => readBy(4) });
for (const reader of readers) await reader.terminate();
await rm(folder, { recursive: true });
const figures: ReadingFigures = {
  one: one.seconds,
  four: four.seconds,
  cpu: one.cpu,
  rows: one.rows,
  shares: reading.shares.length,
};
console.log(JSON.stringify(figures));
