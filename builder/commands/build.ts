import { resolve } from "node:path";
import type { Command } from "commander";
import { build } from "../build.ts";
import { MOST_PARTS } from "../engine/replay.ts";
import { progressFor } from "../progress.ts";
import { formatReport } from "../report.ts";
import { openLocalState } from "../store/local.ts";
import { defaultThreads } from "../threads/pool.ts";
import { type Globals, persistOption, wholeNumber } from "./options.ts";

export function addBuild(program: Command): void {
  program
    .command("build")
    .description("replay the transfers of each asset and publish every series")
    .argument("<asset.json...>", "asset files")
    .option(...persistOption)
    .option("--threads <n>", "worker threads", wholeNumber(1, MOST_PARTS), defaultThreads())
    .action(async (assets: string[], options: { persist: string; threads: number }) => {
      const quiet = program.opts<Globals>().quiet ?? false;
      const progress = progressFor(process.stderr, quiet);
      const state = await openLocalState(resolve(options.persist));
      try {
        for (const asset of assets) {
          const report = await build(asset, state.objects, { threads: options.threads, progress });
          if (!quiet) console.error(formatReport(report));
          console.log(`${report.asset.symbol} ${report.build}`);
        }
      } finally {
        await state.close();
      }
    });
}
