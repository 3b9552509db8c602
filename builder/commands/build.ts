import type { Command } from "commander";
import { build } from "../build.ts";
import { MOST_PARTS } from "../engine/replay.ts";
import { progressFor } from "../progress.ts";
import { formatReport } from "../report.ts";
import { sinceCheck } from "../since-check.ts";
import { openStore, type StorePlace } from "../store/open.ts";
import { defaultThreads } from "../threads/pool.ts";
import { type Globals, storeOptions, wholeNumber } from "./options.ts";

interface BuildFlags {
  threads: number;
  full?: true;
  sinceCheck?: true;
}

export function addBuild(program: Command): void {
  storeOptions(program.command("build"))
    .description("replay the transfers of each asset and publish every series")
    .argument("<asset.json...>", "asset files")
    .option("--threads <n>", "worker threads", wholeNumber(1, MOST_PARTS), defaultThreads())
    .option("--full", "from the first transfer on, whatever the build before left")
    .option("--since-check", "only tell from where each would be built on, or why from the first transfer")
    .action(async (assets: string[], options: StorePlace & BuildFlags) => {
      const quiet = program.opts<Globals>().quiet ?? false;
      const progress = progressFor(process.stderr, quiet);
      const store = await openStore(options);
      try {
        for (const asset of assets) {
          if (options.sinceCheck) {
            console.log(await sinceCheck(asset, store, options.threads));
            continue;
          }
          const report = await build(asset, store, { threads: options.threads, full: options.full, progress });
          if (!quiet) console.error(formatReport(report));
          console.log(`${report.asset.symbol} ${report.build}`);
        }
      } finally {
        await store.close();
      }
    });
}
