/** Task `periods`: cuts the history into the periods of its objects. */

import { buildPeriods, collectDays, nextCheckpoint, type Period } from "../../engine/calendar.ts";
import { SUM_ROWS } from "../../engine/flow-sums.ts";
import type { DayBlocks } from "../../engine/flows.ts";
import type { Cuts } from "../left/facts.ts";
import { readResults } from "../left/results.ts";
import { outlineOfRuns } from "../left/run-outline.ts";
import { lotMethods } from "../left/stage-plan.ts";
import type { StageTask } from "../left/task.ts";
import { readDays } from "./run-points.ts";

export async function cutPeriods({ plan, folder, runs }: StageTask): Promise<Cuts> {
  const outline = outlineOfRuns(plan, runs);
  const flows = await readResults(folder, plan, "flows");
  const blocks = flows.flatMap((run) => run.blocks);
  const days = collectDays(await readDays(folder, plan));
  const checkpoint = nextCheckpoint(outline, days, blocks);
  const periods = buildPeriods(outline, blocks, plan.asset.resolutions, plan.resume?.manifest);
  const entriesOf = (days: readonly DayBlocks[], { from, to }: Period) =>
    days
      .filter(({ day }) => day >= from && day < to)
      .reduce((sums, { rows }) => sums.map((sum, row) => sum + rows[row]!), new Array<number>(SUM_ROWS).fill(0));
  const byPeriod = (days: readonly DayBlocks[]) =>
    Object.fromEntries((periods.block ?? []).map((period) => [period.name, entriesOf(days, period)]));
  const lots = lotMethods(plan).map((method) => [method, byPeriod(flows.flatMap((run) => run.lots![method]!))]);
  return {
    periods,
    blockEntries: byPeriod(blocks),
    ...(lots.length > 0 && { lotEntries: Object.fromEntries(lots) as NonNullable<Cuts["lotEntries"]> }),
    ...(checkpoint && { checkpoint }),
  };
}
