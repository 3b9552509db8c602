/** The engine alone, on one thread: `engine.ts ASSET.json ROUNDS LONG_ROUNDS`, or in the same process for those that compare with it. */

import type { MetricRuns } from "../../builder/engine/flows.ts";
import { blockFlows, hourAndDayFlows } from "../../builder/engine/flows.ts";
import { FLOW_METRIC_NAMES } from "../../builder/engine/formulas.ts";
import { roundHoldings, sumHoldings } from "../../builder/engine/holdings.ts";
import { blockPeriods, flowYears } from "../../builder/engine/periods.ts";
import { replayPart } from "../../builder/engine/replay.ts";
import { dayStates } from "../../builder/engine/states.ts";
import { prepareTimeline } from "../../builder/engine/timeline.ts";
import { type AssetFile, readAsset } from "../../builder/input/asset.ts";
import { type Input, readInput } from "../../builder/input/read.ts";
import { balanceEdges } from "../../data-schema/asset.ts";
import type { Resolution } from "../../data-schema/resolutions.ts";
import { medianFigures, timed } from "../rounds.ts";

/** Every series of a history, handed to `use` and forgotten. */
export function runEngine(
  asset: AssetFile,
  { history, prices, groups, asOf }: Input,
  { blocks }: { blocks: boolean },
  use: (resolution: Resolution, metrics: MetricRuns) => void,
): void {
  const terms = { decimals: asset.decimals, balanceEdges: balanceEdges(asset.maxSupply, asset.decimals), asOf };
  const timeline = prepareTimeline(history, prices, groups, terms);
  const { holdings } = replayPart(timeline, 0, 1);
  use("day", dayStates(timeline, roundHoldings(sumHoldings([holdings]), terms.decimals)));
  for (const year of flowYears(timeline)) {
    const { hour, day } = hourAndDayFlows(timeline, year, FLOW_METRIC_NAMES);
    use("hour", hour);
    use("day", day);
  }
  if (!blocks) return;
  for (const period of blockPeriods(timeline)) use("block", blockFlows(timeline, period, FLOW_METRIC_NAMES));
}

export type EngineFigures = Record<"dayAndHour" | "all" | "points" | "transfers", number>;

if (import.meta.main) {
  const [path, rounds, longRounds] = process.argv.slice(2);
  const asset = await readAsset(path);
  const input = await readInput(asset, { threads: 2 });
  let points = 0;
  const count = (_: Resolution, metrics: MetricRuns) => {
    for (const [, runs] of metrics) for (const { v } of runs) points += v.length;
  };
  const run = (blocks: boolean) => async () => {
    points = 0;
    return { seconds: (await timed(() => runEngine(asset, input, { blocks }, count))).seconds, points };
  };
  const { dayAndHour } = await medianFigures(Number(rounds), { dayAndHour: run(false) });
  const { all } = await medianFigures(Number(longRounds), { all: run(true) });
  const figures: EngineFigures = {
    dayAndHour: dayAndHour.seconds,
    all: all.seconds,
    points: all.points,
    transfers: input.history.rows,
  };
  console.log(JSON.stringify(figures));
}
