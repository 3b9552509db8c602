import { Console } from "node:console";
import { join, resolve } from "node:path";
import { type Command, Option } from "commander";
import { assetsOfTask } from "../build/fleet/deals-file.ts";
import { taskIndex } from "../build/fleet/task-index.ts";
import { threadsThatFit } from "../build/plan/sizes.ts";
import { type BatchReport, batchMarkdown, formatBatch, withUnfetched } from "../build/run/batch-report.ts";
import { buildBatch, failedBatch } from "../build/run/build-batch.ts";
import { formatReport } from "../build/run/build-report.ts";
import { dryRunBuild } from "../build/run/dry-run.ts";
import { defaultMemory } from "../build/threads/memory.ts";
import { defaultThreads, MAX_THREADS } from "../build/threads/thread-pool.ts";
import { type BatchAsset, readBatch } from "../input/asset/batch-asset.ts";
import { ESCAPES } from "../lib/escapes.ts";
import { Failure, StoreFailure, sentenceOf } from "../lib/failure.ts";
import { progressFor } from "../lib/terminal/progress.ts";
import { prepareReport, saveReport } from "../lib/terminal/report-file.ts";
import { type FailedFetch, readFailedFetches } from "../published/status/night-reports.ts";
import { type StorePlace, withStore } from "../store/open.ts";
import type { ObjectStore } from "../store/store.ts";
import { jsonOption, printJson } from "./json-output.ts";
import { folder, type Globals, type Io, memorySize, pastTime, storeOptions, wholeNumber } from "./options.ts";

interface BuildFlags {
  threads: number;
  memory?: number;
  asOf?: number;
  full?: true;
  verify: boolean;
  allowSupply?: true;
  allowShorter?: true;
  dryRun?: true;
  sinceCheck?: true;
  report?: string;
  fetchReport?: string;
  json?: true;
  deal?: string;
  task?: number;
  work?: string;
  rehash?: true;
  wait?: true;
}

export function addBuild(program: Command, io: Io): void {
  const { log, error } = new Console(io);
  storeOptions(program.command("build"))
    .description("replay the transfers of each asset and publish every series")
    .argument("[asset.json...]", "asset files")
    .option("--deal <file>", "build the assets of one task of `soprano deal`, instead of those named")
    .option("--task <n>", "the task, from 0; default: the scheduler's", wholeNumber(0))
    .option("--threads <n>", "worker threads", wholeNumber(1, MAX_THREADS), defaultThreads())
    .option("--memory <size>", "memory that the build may use, such as 4G (default: half of the machine's)", memorySize)
    .option("--as-of <time>", "the transfers before this time are complete; overrides asOf in ASSET.json", pastTime)
    .option("--full", "replay from the first transfer instead of resuming")
    .option("--no-verify", "activate the build without the final check")
    .option("--allow-supply", "build even if the supply is over 1,000 times maxSupply")
    .option("--allow-shorter", "build even if it would end before the active build, or have fewer transfers")
    .addOption(new Option(...jsonOption).conflicts(["dryRun", "sinceCheck"]))
    .option("--dry-run", "only print whether each build would resume, or why it would be a full one")
    .addOption(new Option("--since-check", "the former name of --dry-run").hideHelp())
    .option("--work <dir>", "folder for what is too large for memory (default: work, in the state folder)", folder)
    .option("--wait", "wait for another build of the same asset in this store, instead of failing")
    .option("--rehash", "read every input file again, even those that have not changed since the last build")
    .option("--report <file>", "write each asset's outcome as JSON; in GitHub Actions also as the job's summary")
    .option(
      "--fetch-report <file>",
      "what fetch has reported: assets that it could not fetch are not built, and are in the table with the cause",
    )
    .action(async (named: string[], given: StorePlace & BuildFlags, command: Command) => {
      const memory = given.memory ?? defaultMemory();
      const threads = threadsThatFit(memory, given.threads);
      const options = { ...given, memory, threads, work: given.work ?? join(given.persist, "work") };
      const { quiet = false, debug = false } = program.opts<Globals>();
      const { deal } = options;
      if ((deal === undefined) === (named.length === 0))
        command.error("error: name asset files, or a file with --deal");
      if (deal === undefined && given.task !== undefined) command.error("error: --task needs --deal");
      const { report: reportFile } = options;
      if (reportFile !== undefined) await prepareReport(reportFile);
      const began = new Date();
      let unfetched = new Map<string, FailedFetch>();
      const save = async (report: BatchReport) => {
        if (options.json) printJson(io, "build", report);
        if (reportFile === undefined) return;
        await saveReport(reportFile, report, batchMarkdown(report), io.env, error);
      };
      /** The report says why, also where no asset can be built. */
      const saveFailure = async (failed: readonly BatchAsset[], cause: unknown): Promise<never> => {
        const report = failedBatch(options.store ?? resolve(options.persist), began, failed, cause);
        await save(withUnfetched(report, unfetched));
        throw cause;
      };
      if (options.fetchReport !== undefined) {
        unfetched = await readFailedFetches(options.fetchReport).catch((cause) => saveFailure([], cause));
      }
      const ofTask = async () => (deal === undefined ? named : assetsOfTask(deal, taskIndex(options.task, io.env)));
      const all = await ofTask().catch((cause) => saveFailure([], cause));
      if (all.length === 0) return error("This task has no assets.");
      const files = all.filter((file) => !unfetched.has(resolve(file)));
      if (files.length === 0) {
        await saveFailure(
          [],
          new Failure(
            "No asset could be fetched, so none was built: see the messages of fetch, then fetch them again.",
          ),
        );
      }
      const unread = files.map((file) => ({ file, symbol: null }));
      const assets = await readBatch(files).catch((cause) => saveFailure(unread, cause));
      if (options.sinceCheck) error("--since-check is now --dry-run; the old name goes with the next release.");
      if (options.dryRun || options.sinceCheck) {
        return withStore(options, io.env, (store) => dryRuns(assets, store, options));
      }
      const many = assets.length > 1;
      let failure: Failure | undefined;
      const progress = progressFor(io.stderr, quiet);
      const built = await withStore(options, io.env, (store) =>
        buildBatch(assets, store, {
          threads: options.threads,
          memory: options.memory,
          asOf: options.asOf,
          full: options.full,
          verify: options.verify,
          allowSupply: options.allowSupply,
          allowShorter: options.allowShorter,
          work: options.work,
          rehash: options.rehash,
          wait: options.wait,
          persist: options.store === undefined ? options.persist : undefined,
          progress,
          onBegin({ file }) {
            if (many) progress.note(file);
          },
          onBuilt(built) {
            const text = ESCAPES.terminal(formatReport(built));
            if (!quiet) error(many ? text.split("\n")[0] : text);
            if (!options.json) log(`${built.asset.symbol} ${built.build}`);
          },
          onFailed({ symbol }, cause) {
            // A message about an unreadable asset file names the file.
            const told = symbol === null ? sentenceOf(cause) : `${symbol} failed: ${sentenceOf(cause)}`;
            failure ??= new Failure(told, { cause });
            if (!many) return;
            if (debug) error(cause);
            error(`soprano: ${told}`);
          },
        }),
      ).catch((cause) => saveFailure(assets, cause));
      const report = withUnfetched(built, unfetched);
      if (report.assets.length > 1 && !quiet) error(ESCAPES.terminal(formatBatch(report)));
      await save(report);
      if (failure) throw many ? new Failure(batchFailure(built)) : failure;
    });

  /** Continues if an asset fails. Stops if the store fails, because every later asset would fail too. */
  async function dryRuns(assets: readonly BatchAsset[], store: ObjectStore, options: BuildFlags): Promise<void> {
    const failed: string[] = [];
    for (const { file, symbol } of assets) {
      try {
        log(await dryRunBuild(file, store, options));
      } catch (failure) {
        if (assets.length === 1 || failure instanceof StoreFailure) throw failure;
        error(`soprano: ${symbol === null ? "" : `${symbol} failed: `}${sentenceOf(failure)}`);
        failed.push(symbol ?? file);
      }
    }
    if (failed.length > 0) throw new Failure(`${failed.join(", ")} can't be built: see the messages above.`);
  }
}

function batchFailure({ assets, stopped }: BatchReport): string {
  const unbuilt = assets.filter(({ status }) => status === "failed" || status === "skipped");
  const names = unbuilt.map(({ symbol, file }) => symbol ?? file).join(", ");
  const why = stopped === undefined ? "see the messages above" : "the store failed";
  return `${unbuilt.length} of ${assets.length} assets were not built (${names}): ${why}, then build them again.`;
}
