import type { Command } from "commander";
import { build } from "../build.ts";
import { MOST_PARTS } from "../engine/replay.ts";
import { progressFor } from "../progress.ts";
import { formatReport } from "../report.ts";
import { openStore, type StorePlace } from "../store/open.ts";
import { defaultThreads } from "../threads/pool.ts";
import { type Globals, storeOptions, wholeNumber } from "./options.ts";

export function addBuild(program: Command): void {
  storeOptions(program.command("build"))
    .description("replay the transfers of each asset and publish every series")
    .argument("<asset.json...>", "asset files")
    .option("--threads <n>", "worker threads", wholeNumber(1, MOST_PARTS), defaultThreads())
    .action(async (assets: string[], options: StorePlace & { threads: number }) => {
      const quiet = program.opts<Globals>().quiet ?? false;
      const progress = progressFor(process.stderr, quiet);
      const store = await openStore(options);
      try {
        for (const asset of assets) {
          const report = await build(asset, store, { threads: options.threads, progress });
          if (!quiet) console.error(formatReport(report));
          console.log(`${report.asset.symbol} ${report.build}`);
        }
      } finally {
        await store.close();
      }
    });
}
