/**
 * Fetches a token's transfers from a node into files of a new folder: `fetch.ts URL CONTRACT`. Seconds of the clock and of this
 * process on a core, transfers and bytes of the files, and memory above that of the program once it has connected.
 */

import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { finalizedBlock, readBlock } from "../../builder/fetch/chain/blocks.ts";
import { nodeLogs } from "../../builder/fetch/chain/logs/node-logs.ts";
import { openNodes } from "../../builder/fetch/chain/nodes/open-nodes.ts";
import { planFiles } from "../../builder/fetch/times/boundaries.ts";
import { firstPeriods, startOfDay } from "../../builder/fetch/times/file-periods.ts";
import { LogTimes } from "../../builder/fetch/times/log-times.ts";
import { TransferFiles } from "../../builder/fetch/transfers/transfer-files.ts";
import { silentProgress } from "../../builder/lib/terminal/progress.ts";
import { BENCH_FOLDER } from "../lib/data.ts";

export type FetchFigures = Record<"seconds" | "read" | "core" | "transfers" | "bytes" | "memory", number>;

const [url = "", contract = ""] = process.argv.slice(2);

/** In bytes; 0 where the system does not say. */
function memoryOf(field: "VmRSS" | "VmHWM"): number {
  try {
    const status = readFileSync("/proc/self/status", "utf8");
    return Number(new RegExp(`${field}:\\s*(\\d+) kB`).exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

await mkdir(BENCH_FOLDER, { recursive: true });
const folder = await mkdtemp(join(BENCH_FOLDER, "fetch-"));
try {
  const nodes = await openNodes([url]);
  const events = { contract, events: "erc20" } as const;
  const started = memoryOf("VmRSS");
  const [began, core] = [performance.now(), process.cpuUsage()];
  const last = await finalizedBlock(nodes, 0);
  const first = await readBlock(nodes, 1);
  const periods = firstPeriods(first.time, startOfDay(last.time));
  const planned = await planFiles(nodes, periods, { first, last }, folder, "bench");
  const files = await TransferFiles.open({
    nodes,
    logs: nodeLogs(nodes),
    events,
    folder,
    old: [],
    planned,
    first,
    opening: undefined,
    chainId: nodes.chainId,
    progress: silentProgress(),
    times: new LogTimes(console.warn),
  });
  await files.readPages();
  const read = (performance.now() - began) / 1000;
  await files.assemble();
  const { user, system } = process.cpuUsage(core);
  const figures: FetchFigures = {
    seconds: (performance.now() - began) / 1000,
    read,
    core: (user + system) / 1e6,
    transfers: files.entries.reduce((sum, { rows }) => sum + rows, 0),
    bytes: files.entries.reduce((sum, { bytes }) => sum + bytes, 0),
    memory: memoryOf("VmHWM") - started,
  };
  nodes.close();
  console.log(JSON.stringify(figures));
} finally {
  await rm(folder, { recursive: true });
}
