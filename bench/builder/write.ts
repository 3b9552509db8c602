/** Writing series objects, on one thread: `write.ts ROUNDS`. Points a second, with the digests that name them. */

import type { Series } from "../../builder/engine/series.ts";
import { seriesFile } from "../../builder/published/objects/encode-series.ts";
import { metricByName, type Resolution } from "../../data-schema/registry.ts";
import { medianFigures, timed } from "../lib/rounds.ts";

export type WriteFigures = Record<"block" | "day", number>;

const metric = metricByName("volume_dollar");
const START = 1_600_000_000;

/** Points of full precision, as amounts of dollars are; steps of a few blocks, or of whole days. */
function points(selector: string, count: number, step: (index: number) => number): Series {
  const t = new Float64Array(count);
  const v = new Float64Array(count);
  const block = new Float64Array(count);
  for (let index = 0, seconds = START; index < count; index++, seconds += step(index)) {
    t[index] = seconds;
    v[index] = 1e6 * Math.abs(Math.sin(index * 12.9898) * 43758.5453);
    block[index] = 12_000_000 + (seconds - START) / 12;
  }
  return { selector, t, v, block };
}

async function pointsPerSecond(resolution: Resolution, series: Series[], times: number) {
  const count = series.reduce((sum, { v }) => sum + v.length, 0) * times;
  const { seconds } = await timed(() => {
    for (let time = 0; time < times; time++) {
      // Copies: the times of the very same arrays would be encoded but once.
      const fresh = series.map((run) => ({ ...run, t: run.t.slice() }));
      seriesFile("BENCH", metric, resolution, "all", fresh);
    }
  });
  return { rate: count / seconds };
}

const block = [points("total", 1 << 20, (index) => 12 * (1 + ((index * 7919) % 13)))];
const day = ["total", "users", "cex", "sc", "$10M+"].map((selector) => points(selector, 3_000, () => 86_400));
const medians = await medianFigures(Number(process.argv[2]), {
  block: () => pointsPerSecond("block", block, 2),
  day: () => pointsPerSecond("day", day, 20),
});
const figures: WriteFigures = { block: medians.block.rate, day: medians.day.rate };
console.log(JSON.stringify(figures));
