/**
 * `npm run bench:explorer`: the explorer in Chromium, beside its limits: how soon a fresh visit shows a chart, how large the
 * pages are, and how long charts of many points keep the main thread busy without a pause. `--full` adds rounds.
 */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXPLORER } from "../explorer/build.ts";
import { CHROMIUM, type Stage, setStage } from "../test/explorer/browser.ts";
import { downloadPicture, LARGE_CHARTS, type LargeChart, showLarge } from "../test/explorer/large-charts.ts";
import { compressedSize, isCard, loadedFiles } from "../test/explorer/loaded-files.ts";
import { firstChart } from "./explorer/first-chart.ts";
import { longestTask } from "./explorer/longest-task.ts";
import { type BenchTable, duration, formatTable, kilobytes } from "./lib/markdown.ts";
import { machineText, saveResults, say } from "./lib/results.ts";
import { figuresOfRounds, median } from "./lib/rounds.ts";

const ROUNDS = process.argv.includes("--full") ? 11 : 5;

/** Seconds, and bytes. */
const LIMITS = { firstChart: 1, task: 0.2, page: 170_000, embed: 115_000 };

/** Where a chart spends its time: until it is drawn and used, and on its picture. Seconds. */
type Tasks = { use: number; picture: number };

if (CHROMIUM) await measure();
else say("The explorer is not measured: there is no Chromium. Install it, or name its path in CHROMIUM.");

async function measure(): Promise<void> {
  const began = performance.now();
  say(`The explorer on ${machineText()}; medians of ${ROUNDS} interleaved rounds.`);
  // The tokens of the stage are built in there.
  const scratch = await mkdtemp(join(tmpdir(), "soprano-bench-"));
  process.env.TEST_SCRATCH = scratch;
  const stage = await setStage();
  try {
    const onRun = (name: string, round: number) => say(`round ${round + 1}: ${name}`);
    const visits = await figuresOfRounds(ROUNDS, { "a fresh visit": () => firstChart(stage) }, onRun);
    const charts = Object.entries(LARGE_CHARTS).map(([title, chart]) => [title, () => largeChart(stage, chart)]);
    const tasks = await figuresOfRounds<Record<string, () => Promise<Tasks>>>(
      ROUNDS,
      Object.fromEntries(charts),
      onRun,
    );
    const sizes = { page: await pageSize("index.html"), embed: await pageSize("embed.html") };
    await saveResults("explorer", { visits, tasks, sizes });
    console.log(`## Explorer\n\n${machineText()}, ${new Date().toISOString().slice(0, 10)}\n`);
    for (const table of tables(visits["a fresh visit"], tasks, sizes)) console.log(formatTable(table));
  } finally {
    await stage.close();
    await rm(scratch, { recursive: true });
  }
  say(`The explorer measured in ${duration((performance.now() - began) / 1000)}.`);
}

/** The longest tasks of a chart of many points, in a page of its own. */
async function largeChart(stage: Stage, chart: LargeChart): Promise<Tasks> {
  const { page, close } = await stage.open();
  try {
    const use = await longestTask(page, async () => {
      await showLarge(page, stage, chart);
      await chart.use(page);
    });
    return { use, picture: await longestTask(page, async () => void (await downloadPicture(page))) };
  } finally {
    await close();
  }
}

/** What a browser loads for a page, compressed. */
async function pageSize(page: string): Promise<number> {
  const files = await loadedFiles(EXPLORER, page);
  return compressedSize(
    EXPLORER,
    files.filter((name) => !isCard(name)),
  );
}

function tables(
  visits: readonly Awaited<ReturnType<typeof firstChart>>[],
  tasks: Readonly<Record<string, readonly Tasks[]>>,
  sizes: { page: number; embed: number },
): BenchTable[] {
  const measured = (what: string, values: readonly number[], limit: number | null) => [
    what,
    duration(median(values)),
    `${duration(Math.min(...values))} to ${duration(Math.max(...values))}`,
    limit === null ? "" : duration(limit),
  ];
  return [
    {
      title: "A fresh visit, with nothing in the browser's cache",
      columns: ["until the first chart is drawn", "median", "range", "limit"],
      rows: [
        measured(
          "time",
          visits.map(({ shown }) => shown),
          LIMITS.firstChart,
        ),
        measured(
          "CPU time of the main thread",
          visits.map(({ worked }) => worked),
          null,
        ),
      ],
    },
    {
      title: "The longest task of the main thread, in CPU time",
      columns: ["chart", "median", "range", "limit"],
      rows: Object.entries(tasks).flatMap(([title, runs]) => [
        measured(
          `${title}: drawn, hovered, zoomed`,
          runs.map(({ use }) => use),
          LIMITS.task,
        ),
        measured(
          `${title}: picture at 2×`,
          runs.map(({ picture }) => picture),
          LIMITS.task,
        ),
      ]),
    },
    {
      title: "What a browser loads, compressed by gzip",
      columns: ["page", "bytes", "limit"],
      rows: [
        ["/", kilobytes(sizes.page), kilobytes(LIMITS.page)],
        ["/embed", kilobytes(sizes.embed), kilobytes(LIMITS.embed)],
      ],
    },
  ];
}
