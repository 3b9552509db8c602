/**
 * Builds of large tokens, beside those of an earlier commit: wall time, CPU time and memory of all processes, as ratios.
 *
 *   npm run bench:large -- --transfers 20000000 --against c311675 --resolutions day,hour --memory 1G --rounds 3
 *
 * Without `--against`, only this version is measured; `--memory` applies to this version alone. `--night` measures the
 * last day on top of the build of the days before. The token is simulated into .bench/ and kept: some 30 bytes a transfer,
 * 3 GB for 100,000,000, in 4 seconds of CPU time a million. Stores and work folders are removed after each build.
 */

import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { RESOLUTIONS } from "../data-schema/registry.ts";
import { BENCH_FOLDER, settingText, simulatedToken, tokenSize, withResolutions } from "./data.ts";
import { bytes, duration, formatTable, times } from "./markdown.ts";
import { type Cost, costOf } from "./process-tree.ts";
import { saveResults, say } from "./results.ts";
import { type Medians, medianFigures } from "./rounds.ts";

const PROJECT = fileURLToPath(new URL("..", import.meta.url));
const DAY_SECONDS = 86_400;

const { values: options } = parseArgs({
  options: {
    transfers: { type: "string", default: "5000000" },
    resolutions: { type: "string", default: "day,hour" },
    against: { type: "string" },
    memory: { type: "string" },
    rounds: { type: "string", default: "1" },
    night: { type: "boolean", default: false },
  },
});

const size = tokenSize(Number(options.transfers));
// Large tokens have more holders for each transfer.
if (size.transfers >= 1e8) size.addresses = size.transfers / 5;
const resolutions = RESOLUTIONS.filter((resolution) => options.resolutions.split(",").includes(resolution));
const asset = await withResolutions(await simulatedToken(size, { monthly: true }), resolutions);
const before = options.night ? await withoutLastDay(asset) : undefined;
say(`Inputs: ${bytes(bytesBelow(dirname(asset)))} in ${dirname(asset)}.`);

const worktree = options.against === undefined ? undefined : checkOut(options.against);
let figures: Medians<Record<string, () => Promise<Figures>>>;
try {
  const limit = options.memory === undefined ? [] : ["--memory", options.memory];
  figures = await medianFigures(
    Number(options.rounds),
    {
      now: () => build(PROJECT, limit),
      ...(worktree !== undefined && { [options.against!]: () => build(worktree, []) }),
    },
    (name, round) => say(`round ${round + 1}: ${name}`),
  );
} finally {
  if (worktree !== undefined) removeWorktree(worktree);
}

type Figures = Cost & { stored: number };

/** Builds into a store of its own, and removes it. */
async function build(project: string, extra: readonly string[]): Promise<Figures> {
  const persist = mkdtempSync(join(BENCH_FOLDER, "state-"));
  try {
    const run = (path: string) =>
      costOf(process.execPath, ["builder/cli.ts", "build", path, "--persist", persist, "--quiet", ...extra], project);
    if (before !== undefined) await run(before);
    return { ...(await run(asset)), stored: bytesBelow(join(persist, "v3")) };
  } finally {
    rmSync(persist, { recursive: true, force: true });
  }
}

async function withoutLastDay(assetPath: string): Promise<string> {
  const file = JSON.parse(await readFile(assetPath, "utf8"));
  const path = assetPath.replace(/\.json$/, "-before.json");
  const asOf = new Date(Date.parse(file.asOf) - DAY_SECONDS * 1000).toISOString();
  await writeFile(path, JSON.stringify({ ...file, asOf }));
  return path;
}

/** The files of a commit, with the packages of this folder. */
function checkOut(commit: string): string {
  const folder = mkdtempSync(join(BENCH_FOLDER, "commit-"));
  execFileSync("git", ["worktree", "add", "--detach", folder, commit], { cwd: PROJECT, stdio: "ignore" });
  symlinkSync(join(PROJECT, "node_modules"), join(folder, "node_modules"));
  return folder;
}

function removeWorktree(folder: string): void {
  execFileSync("git", ["worktree", "remove", "--force", folder], { cwd: PROJECT });
}

function bytesBelow(folder: string): number {
  const files = globSync("**", { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

await saveResults("large", { options, figures });
const { now } = figures;
const count = size.transfers.toLocaleString("en-US");
console.log(`${await settingText()}\n`);
console.log(
  formatTable({
    title: `${count} transfers, ${size.addresses.toLocaleString("en-US")} addresses, ${resolutions.join(" + ")}${options.night ? ", one night" : ""}`,
    columns: ["build", "time", "now / it", "CPU time", "now / it", "peak memory", "now / it", "stored"],
    rows: Object.entries(figures).map(([name, { wall, cpu, peak, stored }]) => [
      name === "now" ? `now ${options.memory ?? ""}`.trim() : name,
      ...[duration(wall), times(now!.wall / wall)],
      ...[duration(cpu), times(now!.cpu / cpu)],
      ...[bytes(peak), times(now!.peak / peak)],
      bytes(stored),
    ]),
  }),
);
