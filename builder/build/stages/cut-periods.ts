/** Task `periods`: cuts the history into the periods of its objects. */

import { buildPeriods, collectDays, nextCheckpoint, type Period } from "../../engine/calendar.ts";
import { SUM_ROWS } from "../../engine/flow-sums.ts";
import type { Cuts } from "../left/facts.ts";
import { readResults } from "../left/results.ts";
import { outlineOfRuns } from "../left/run-outline.ts";
import type { StageTask } from "../left/task.ts";
import { readDays } from "./run-points.ts";

export async function cutPeriods({ plan, folder, runs }: StageTask): Promise<Cuts> {
  const outline = outlineOfRuns(plan, runs);
  const flows = await readResults(folder, plan, "flows");
  const blocks = flows.flatMap((run) => run.blocks);
  const days = collectDays(await readDays(folder, plan));
  const checkpoint = nextCheckpoint(outline, days, blocks);
  const periods = buildPeriods(outline, blocks, plan.asset.resolutions, plan.resume?.manifest);
  const entriesOf = ({ from, to }: Period) =>
    blocks
      .filter(({ day }) => day >= from && day < to)
      .reduce((sums, { rows }) => sums.map((sum, row) => sum + rows[row]!), new Array<number>(SUM_ROWS).fill(0));
  return {
    periods,
    blockEntries: Object.fromEntries((periods.block ?? []).map((period) => [period.name, entriesOf(period)])),
    ...(checkpoint && { checkpoint }),
  };
}
