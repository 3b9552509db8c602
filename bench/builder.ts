/**
 * `npm run bench:builder`: the speed of a build, step by step, compared with the slow reference of the tests and SQL.
 *
 * Each figure is measured in a process of its own (bench/builder/). `--full` adds 20,000,000 transfers and more rounds.
 */

import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { BuildFigures } from "./builder/build.ts";
import type { EngineFigures } from "./builder/engine.ts";
import { HEAVY_TOKENS, type HeavyToken, heavyToken } from "./builder/heavy-tokens.ts";
import { measureLots } from "./builder/lot-tables.ts";
import type { ReadingFigures } from "./builder/reading.ts";
import type { ReferenceFigures } from "./builder/reference.ts";
import type { SqlFigures } from "./builder/sql.ts";
import type { WriteFigures } from "./builder/write.ts";
import { type BuildCost, costOfBuilds } from "./lib/builds.ts";
import { type PeakMemory, runChild } from "./lib/child.ts";
import { BENCH_FOLDER, settingText, simulatedToken, tokenSize, withResolutions } from "./lib/data.ts";
import { amount, type BenchTable, bytes, duration, formatTable, times } from "./lib/markdown.ts";
import { machineText, saveResults, say } from "./lib/results.ts";
import { type Figures, medianFigures } from "./lib/rounds.ts";

const full = process.argv.includes("--full");
const ROUNDS = full ? 5 : 3;
/** Rounds of measurements that take a minute or more. */
const LONG_ROUNDS = full ? 3 : 1;

const SMALL = 200_000;
const MEDIUM = 1_000_000;
const LARGE = 5_000_000;
const HUGE = 20_000_000;

const program = (name: string) => new URL(`builder/${name}.ts`, import.meta.url);

// The data first, so that generating it is not measured.
const sizes = [SMALL, MEDIUM, LARGE, ...(full ? [HUGE] : [])];
const tokens = new Map<number, { all: string; dayAndHour: string }>();
for (const transfers of sizes) {
  const all = await simulatedToken(tokenSize(transfers));
  tokens.set(transfers, { all, dayAndHour: await withResolutions(all, ["day", "hour"]) });
}
const asset = (transfers: number) => tokens.get(transfers)!.all;
const dayAndHour = (transfers: number) => tokens.get(transfers)!.dayAndHour;
const tiny = await simulatedToken({ transfers: 100_000, addresses: 10_000, days: 730 });

/** A build, published into a new state folder or discarded. */
async function build(path: string, threads: number, publish: boolean): Promise<BuildFigures & PeakMemory> {
  const folder = publish ? await mkdtemp(join(BENCH_FOLDER, "state-")) : "none";
  try {
    return await runChild<BuildFigures>(program("build"), path, threads, folder);
  } finally {
    if (publish) await rm(folder, { recursive: true });
  }
}

const began = performance.now();
say(`Builder on ${machineText()}; medians of ${ROUNDS} interleaved rounds.`);
const onRun = (name: string, round: number) => say(`round ${round + 1}: ${name}`);

const child =
  <F extends Figures>(name: string, ...args: (string | number)[]) =>
  () =>
    runChild<F>(program(name), ...args);

const short = await medianFigures(
  ROUNDS,
  {
    small: () => build(dayAndHour(SMALL), 2, false),
    medium: () => build(dayAndHour(MEDIUM), 2, false),
    large1: () => build(dayAndHour(LARGE), 1, false),
    large2: () => build(dayAndHour(LARGE), 2, false),
    published: () => build(dayAndHour(LARGE), 2, true),
  },
  onRun,
);
const peers = await medianFigures(
  1,
  {
    engine: child<EngineFigures>("engine", asset(LARGE), ROUNDS, LONG_ROUNDS),
    reading: child<ReadingFigures>("reading", asset(LARGE), ROUNDS),
    write: child<WriteFigures>("write", ROUNDS),
    reference: child<ReferenceFigures>("reference", tiny, LONG_ROUNDS),
    sql: child<SqlFigures>("sql", asset(LARGE), 2, ROUNDS),
  },
  onRun,
);
const long = await medianFigures(LONG_ROUNDS, { all: () => build(asset(LARGE), 2, true) }, onRun);
const huge = full
  ? await medianFigures(LONG_ROUNDS, { huge: () => build(dayAndHour(HUGE), 2, false) }, onRun)
  : undefined;

/** Megabytes of `--memory`; `heavy` has the bytes of all processes but the local store, and what they may be. */
const HEAVY_MEMORY = full ? [512, 1024, 2048] : [512];
const heavy: Record<string, BuildCost & { most: number }> = {};
for (const name of Object.keys(HEAVY_TOKENS) as HeavyToken[]) {
  const path = await heavyToken(name);
  for (const megabytes of HEAVY_MEMORY) {
    onRun(`${name}, --memory ${megabytes}M`, 0);
    const memory = megabytes * 2 ** 20;
    const [cost] = await costOfBuilds([path], ["--memory", `${megabytes}M`]);
    heavy[`${name}, --memory ${megabytes}M`] = { ...cost!, most: memory + Math.max(100e6, 0.15 * memory) };
  }
}

const lots = await measureLots(dayAndHour(MEDIUM), LONG_ROUNDS, onRun);

const figures = { ...short, ...peers, ...long, ...huge, ...heavy, ...lots.figures };
await saveResults("builder", figures);

/** Seconds of the engine within a build, with the writing of series. */
const engine = ({ replay, series }: BuildFigures) => replay + series;
const perTransfer = ({ whole, transfers }: BuildFigures) => whole / transfers;
/** A row about a step, with the ratio of its times on 1 thread and on 2. */
const largeStep = (name: string, seconds: number, ratio?: number, what = "transfers") => [
  name,
  duration(seconds),
  `${amount(LARGE / seconds)} ${what}`,
  ratio === undefined ? "" : times(ratio),
];

const tables: BenchTable[] = [
  {
    title: "A build of 5,000,000 transfers, 500,000 addresses, 2,000 days",
    columns: ["step", "time", "a second", "1 thread against 2"],
    rows: [
      largeStep("reading", short.large2.read, short.large1.read / short.large2.read, "rows"),
      largeStep("engine and writing, day and hour", engine(short.large2), engine(short.large1) / engine(short.large2)),
      largeStep("engine and writing, all resolutions", engine(long.all)),
      ["publishing (additional time)", duration(short.published.whole - short.large2.whole), "", ""],
      largeStep("whole build, day and hour, published", short.published.whole, short.large1.whole / short.large2.whole),
      largeStep("whole build, all resolutions, published", long.all.whole),
    ],
  },
  {
    title: "Individual steps, on one thread",
    columns: ["step", "a second"],
    rows: [
      ["engine, day and hour", `${amount(LARGE / peers.engine.dayAndHour)} transfers`],
      ["engine, all resolutions", `${amount(LARGE / peers.engine.all)} transfers`],
      ["writing, one long block series", `${amount(peers.write.block)} points`],
      ["writing, five day series of 3,000 points", `${amount(peers.write.day)} points`],
    ],
  },
  {
    title: `Reading ${peers.reading.rows.toLocaleString("en-US")} rows in ${peers.reading.shares} shares`,
    columns: ["readers", "time", "rows a second", "against one reader"],
    rows: [
      ["1", duration(peers.reading.one), amount(peers.reading.rows / peers.reading.one), ""],
      [
        "4",
        duration(peers.reading.four),
        amount(peers.reading.rows / peers.reading.four),
        times(peers.reading.one / peers.reading.four),
      ],
      ["1, by CPU time", duration(peers.reading.cpu), `${amount(peers.reading.rows / peers.reading.cpu)} a core`, ""],
    ],
  },
  {
    title: "Cost by length of history: whole build of day and hour, 2 threads, not published",
    columns: ["transfers", "against 1,000,000", "per transfer", "time", "peak memory"],
    rows: [short.small, short.medium, short.large2, ...(huge ? [huge.huge] : [])].map((built) => [
      built.transfers.toLocaleString("en-US"),
      times(perTransfer(built) / perTransfer(short.medium)),
      duration(perTransfer(built)),
      duration(built.whole),
      bytes(built.peak),
    ]),
  },
  {
    title: "Peak memory, 5,000,000 transfers, 2 threads",
    columns: ["build", "peak"],
    rows: [
      ["day and hour, published", bytes(short.published.peak)],
      ["all resolutions, published", bytes(long.all.peak)],
    ],
  },
  {
    title: "Inputs that need memory where others need little: the peak of all processes",
    columns: ["build of day and hour", "peak", "of what it may be", "time", "CPU time"],
    rows: Object.entries(heavy).map(([name, { peak, most, wall, cpu }]) => [
      ...[name, bytes(peak), times(peak / most)],
      ...[duration(wall), duration(cpu)],
    ]),
  },
  ...lots.tables,
  {
    title: "Compared with other ways",
    columns: ["way", "the builder against it", "what it does", "time"],
    rows: [
      [
        "slow reference of the tests",
        times(peers.reference.reference / peers.reference.engine),
        `all series of ${peers.reference.transfers.toLocaleString("en-US")} transfers, engine only`,
        duration(peers.reference.reference),
      ],
      [
        "SQL (DuckDB, 2 threads)",
        times(peers.sql.seconds / (short.large2.read + engine(short.large2))),
        `${peers.sql.series} day series of 5,000,000 transfers; the builder makes all day and hour series meanwhile`,
        duration(peers.sql.seconds),
      ],
    ],
  },
];

console.log(`## Builder\n\n${await settingText()}\n`);
for (const table of tables) console.log(formatTable(table));
say(`Builder measured in ${duration((performance.now() - began) / 1000)}.`);
