import { type Command, Option } from "commander";
import { type BatchAsset, buildBatch, readBatch } from "../build/batch.ts";
import { type BatchReport, batchAnnotations, formatBatch, prepareReport, writeReport } from "../build/batch-report.ts";
import { dryRun } from "../build/dry-run.ts";
import { formatReport } from "../build/report.ts";
import { MAX_PARTITIONS } from "../engine/replay.ts";
import { Failure, StoreFailure, sentenceOf } from "../failure.ts";
import { openStore, type StorePlace } from "../store/open.ts";
import type { ObjectStore } from "../store/store.ts";
import { progressFor } from "../terminal/progress.ts";
import { defaultThreads } from "../threads/pool.ts";
import { type Globals, storeOptions, timePast, wholeNumber } from "./options.ts";

interface BuildFlags {
  threads: number;
  asOf?: number;
  full?: true;
  verify: boolean;
  dryRun?: true;
  sinceCheck?: true;
  report?: string;
}

export function addBuild(program: Command): void {
  storeOptions(program.command("build"))
    .description("replay the transfers of each asset and publish every series")
    .argument("<asset.json...>", "asset files")
    .option("--threads <n>", "worker threads", wholeNumber(1, MAX_PARTITIONS), defaultThreads())
    .option("--as-of <time>", "the transfers before it are complete; goes before asOf in ASSET.json", timePast)
    .option("--full", "from the first transfer on, whatever the build before left")
    .option("--no-verify", "put it in force without the last check")
    .option("--dry-run", "only say from where each build would resume, or why it would be a full one")
    .addOption(new Option("--since-check", "the former name of --dry-run").hideHelp())
    .option("--report <file>", "write what became of each asset as JSON; in GitHub Actions the job's summary, too")
    .action(async (files: string[], options: StorePlace & BuildFlags) => {
      const { quiet = false, debug = false } = program.opts<Globals>();
      if (options.report !== undefined) await prepareReport(options.report);
      const assets = await readBatch(files);
      const many = assets.length > 1;
      let failure: Failure | undefined;
      let report: BatchReport;
      const store = await openStore(options);
      try {
        if (options.sinceCheck)
          console.error("--since-check is now called --dry-run; the old name goes with the next release.");
        if (options.dryRun || options.sinceCheck) {
          await dryRuns(assets, store, options);
          return;
        }
        const progress = progressFor(process.stderr, quiet);
        report = await buildBatch(assets, store, {
          threads: options.threads,
          asOf: options.asOf,
          full: options.full,
          verify: options.verify,
          progress,
          onBegin({ file }) {
            if (many) progress.note(file);
          },
          onBuilt(built) {
            const text = formatReport(built);
            if (!quiet) console.error(many ? text.split("\n")[0] : text);
            console.log(`${built.asset.symbol} ${built.build}`);
          },
          onFailed({ symbol }, error) {
            // What is wrong with an asset file names it.
            const told = symbol === null ? sentenceOf(error) : `${symbol} failed: ${sentenceOf(error)}`;
            failure ??= new Failure(told, { cause: error });
            if (!many) return;
            if (debug) console.error(error);
            console.error(`soprano: ${told}`);
          },
        });
      } finally {
        await store.close();
      }
      if (many && !quiet) console.error(formatBatch(report));
      if (options.report !== undefined) {
        await writeReport(options.report, report, process.env);
        if (process.env.GITHUB_STEP_SUMMARY) for (const line of batchAnnotations(report)) console.error(line);
      }
      if (failure) throw many ? new Failure(batchFailure(report)) : failure;
    });
}

/** One after the other, whatever fails before; a store that is lost is lost to all of them. */
async function dryRuns(assets: readonly BatchAsset[], store: ObjectStore, options: BuildFlags): Promise<void> {
  const failed: string[] = [];
  for (const { file, symbol } of assets) {
    try {
      console.log(await dryRun(file, store, options));
    } catch (error) {
      if (assets.length === 1 || error instanceof StoreFailure) throw error;
      console.error(`soprano: ${symbol === null ? "" : `${symbol} failed: `}${sentenceOf(error)}`);
      failed.push(symbol ?? file);
    }
  }
  if (failed.length > 0) throw new Failure(`${failed.join(", ")}: can't be built; what each needs is said above.`);
}

function batchFailure({ assets, stopped }: BatchReport): string {
  const not = assets.filter(({ status }) => status === "failed" || status === "skipped");
  const named = not.map(({ symbol, file }) => symbol ?? file).join(", ");
  const why = stopped === undefined ? "what each needs is said above" : "the store is lost";
  return `${not.length} of ${assets.length} assets were not built (${named}): ${why}; then build them again.`;
}
