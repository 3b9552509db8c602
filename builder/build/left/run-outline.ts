/** The outline of a history, from the facts of its runs. */

import { balanceEdges } from "../../../data-schema/asset.ts";
import { type Outline, outlineOf } from "../../engine/history.ts";
import type { RunFacts } from "./facts.ts";
import type { StagePlan } from "./stage-plan.ts";

/** Unix seconds; if the asset file does not say, a second after the last transfer. */
function asOfRuns({ asset, resume }: StagePlan, runs: readonly RunFacts[]): number {
  if (asset.asOf !== undefined) return asset.asOf;
  return (runs.findLast((run) => run.last)?.last?.time ?? resume!.checkpoint.lastEvent.t) + 1;
}

export function outlineOfRuns(plan: StagePlan, runs: readonly RunFacts[]): Outline {
  const { asset, survey, resume, list } = plan;
  const parameters = {
    decimals: asset.decimals,
    balanceEdges: balanceEdges(asset.maxSupply, asset.decimals),
    asOf: asOfRuns(plan, runs),
  };
  const valueWords = Math.max(1, ...runs.map(({ words }) => words));
  const { prices } = survey;
  const checkpoint = resume && { checkpoint: resume.checkpoint };
  return outlineOf(
    {
      prices,
      parameters,
      valueWords,
      ...checkpoint,
      ...(list && { whose: "listed", leastBalanceWords: list.balanceWords }),
    },
    runs.flatMap(({ days }) => days),
  );
}
