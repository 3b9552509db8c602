import { Console } from "node:console";
import { type Command, InvalidArgumentError } from "commander";
import { nodeLogs } from "../chain/node-logs.ts";
import { type Nodes, openNodes } from "../chain/nodes.ts";
import { Failure, sentenceOf } from "../failure.ts";
import { fetchAsset } from "../fetch/fetch.ts";
import { type FetchedAsset, fetchReport, formatOutcome } from "../fetch/report.ts";
import { readBatch } from "../pipeline/batch.ts";
import { batchAnnotations } from "../pipeline/batch-report.ts";
import { type Progress, progressFor } from "../terminal/progress.ts";
import { prepareReport, saveReport } from "../terminal/report-file.ts";
import { type Globals, type Io, wholeNumber } from "./options.ts";

interface FetchFlags {
  rpc?: string[];
  until?: number;
  confirmations?: number;
  requestsPerSecond?: number;
  recheck?: "contracts" | "labels";
  repair?: true;
  report?: string;
}

export function addFetch(program: Command, io: Io): void {
  const { log, error } = new Console(io);
  program
    .command("fetch")
    .description("fetch transfers, prices, labels and contracts of each asset from its chain, up to the last final day")
    .argument("<asset.json...>", "asset files with a source, as soprano init writes them")
    // Its values may hold keys: nothing repeats one.
    .option("--rpc <url>", "a JSON-RPC node; several share the work (default: those in SOPRANO_RPC_URL)", collect)
    .option(
      "--until <day>",
      "the last day to fetch, such as 2026-11-20 (default: the last complete and final one)",
      day,
    )
    .option("--confirmations <n>", "count a block as final with n blocks above it", wholeNumber(0, 1e6))
    .option("--requests-per-second <n>", "of each node, instead of finding what it allows", wholeNumber(1, 10_000))
    .option("--no-check", "keep the new files without comparing balances with the chain")
    .option("--report <file>", "write each asset's outcome as JSON")
    .action(async (files: string[], options: FetchFlags) => {
      const { quiet = false, debug = false } = program.opts<Globals>();
      if (options.report !== undefined) await prepareReport(options.report);
      if (files.some((file) => /^https?:/i.test(file)))
        throw new Failure("Name asset files; URLs of nodes go to --rpc.");
      const assets = await readBatch(files);
      const progress = progressFor(io.stderr, quiet);
      const interruption = new AbortController();
      void io.interrupted().then(() => interruption.abort(new Failure(STOPPED)));
      const { signal } = interruption;
      const began = new Date();
      const outcomes: FetchedAsset[] = [];
      let failure: unknown;
      const nodes = await connect(options, io, progress, signal);
      try {
        for (const { file, symbol } of assets) {
          const outcome = await fetchOne(file, symbol);
          outcomes.push(outcome);
          if (outcome.status === "failed") continue;
          if (!quiet) error(formatOutcome(outcome));
          log(`${outcome.symbol} --as-of ${outcome.asOf}`);
        }
      } finally {
        progress.end();
        nodes.close();
      }
      const report = fetchReport(began, outcomes);
      if (options.report !== undefined) {
        await saveReport(options.report, report);
        if (io.env.GITHUB_STEP_SUMMARY) for (const line of batchAnnotations(report)) error(line);
      }
      const failed = outcomes.filter(({ status }) => status === "failed");
      if (failed.length === 0) return;
      if (assets.length === 1) throw failure;
      const names = failed.map(({ symbol, file }) => symbol ?? file).join(", ");
      throw new Failure(
        `${failed.length} of ${assets.length} assets were not fetched (${names}): see the messages above, then fetch them again.`,
      );

      async function fetchOne(file: string, symbol: string | null): Promise<FetchedAsset> {
        const [start, before] = [performance.now(), { ...nodes.traffic }];
        const spent = () => ({
          requests: nodes.traffic.requests - before.requests,
          bytes: nodes.traffic.bytes - before.bytes,
          seconds: Math.round(performance.now() - start) / 1000,
        });
        if (assets.length > 1) progress.note(file);
        try {
          signal.throwIfAborted();
          const outcome = await fetchAsset(file, { ...options, nodes, logs: nodeLogs(nodes), signal, progress });
          return { file, ...outcome, ...spent() };
        } catch (cause) {
          progress.end();
          const why = signal.aborted ? STOPPED : sentenceOf(cause);
          const told = symbol === null || assets.length === 1 ? why : `${symbol} failed: ${why}`;
          if (assets.length > 1) {
            if (debug) error(cause);
            error(`soprano: ${told}`);
          }
          failure = signal.aborted ? new Failure(STOPPED) : cause;
          return { file, symbol, status: "failed", error: why, ...spent() };
        }
      }
    });
}

const STOPPED = "Stopped. Run the same command again: it goes on with what it has fetched.";

const collect = (url: string, previous: string[] = []) => [...previous, url];

/** @returns its midnight, Unix seconds */
function day(text: string): number {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // Some days that don't exist count as days of the next month.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text) {
    throw new InvalidArgumentError("It must be a day, such as 2026-11-20.");
  }
  return time / 1000;
}

function connect(
  { rpc, requestsPerSecond }: FetchFlags,
  io: Io,
  progress: Progress,
  signal: AbortSignal,
): Promise<Nodes> {
  const urls = rpc ?? (io.env.SOPRANO_RPC_URL ?? "").split(/\s+/).filter(Boolean);
  progress.step("connect");
  return openNodes(urls, { requestsPerSecond, signal, onNotice: (text) => progress.note(text) });
}
