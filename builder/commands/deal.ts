import { Console } from "node:console";
import type { Command } from "commander";
import { costsOf } from "../build/fleet/cost.ts";
import { deal } from "../build/fleet/deal.ts";
import { writeDeals } from "../build/fleet/deals-file.ts";
import { readBatch } from "../input/asset/batch-asset.ts";
import { counted } from "../lib/terminal/amount-text.ts";
import { type StorePlace, withStore } from "../store/open.ts";
import { type Globals, type Io, storeOptions, wholeNumber } from "./options.ts";

/** Slurm's default for the tasks of an array is 1,001, GitHub's matrix has 256. */
const MOST_TASKS = 10_000;

export function addDeal(program: Command, io: Io): void {
  const { log, error } = new Console(io);
  storeOptions(program.command("deal"))
    .description("deal assets to tasks that take about the same time, for `build --deal`")
    .argument("<asset.json...>", "asset files")
    .requiredOption("--into <n>", "tasks", wholeNumber(1, MOST_TASKS))
    .requiredOption("--out <file>", "write what each task builds, as JSON")
    .action(async (files: string[], { into, out, ...place }: StorePlace & { into: number; out: string }) => {
      await readBatch(files);
      const hands = deal(await withStore(place, io.env, (store) => costsOf(files, store)), into);
      await writeDeals(out, hands);
      if (!program.opts<Globals>().quiet) {
        const [most, mean] = [Math.max(...hands.map(({ cost }) => cost)), total(hands) / into];
        const share = ((most / mean) * 100).toFixed(0);
        error(
          `${counted(files.length, "asset")} in ${counted(into, "task")}; the longest takes ${share} % of the mean.`,
        );
      }
      log(out);
    });
}

const total = (hands: readonly { cost: number }[]) => hands.reduce((sum, { cost }) => sum + cost, 0);
