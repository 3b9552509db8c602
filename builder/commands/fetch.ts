import { Console } from "node:console";
import { type Command, InvalidArgumentError, Option } from "commander";
import { DAY_SECONDS, HOUR_SECONDS } from "../../data-schema/text.ts";
import { nodeLogs } from "../fetch/chain/logs/node-logs.ts";
import { portalLogs } from "../fetch/chain/logs/portal.ts";
import { openNodes } from "../fetch/chain/nodes/open-nodes.ts";
import { DEFAULT_CHECK_LIMIT } from "../fetch/check/compare-with-contract.ts";
import { estimateText } from "../fetch/plan/estimate.ts";
import type { FetchOptions, Until } from "../fetch/plan/work.ts";
import { type Fetching, type FetchSession, failedToFetch, fetchFiles } from "../fetch/run/fetch-batch.ts";
import { fetchMarkdown, fetchReport, formatOutcome } from "../fetch/run/fetch-report.ts";
import { type BatchAsset, readBatch } from "../input/asset/batch-asset.ts";
import { Failure } from "../lib/failure.ts";
import { type Progress, progressFor } from "../lib/terminal/progress.ts";
import { prepareReport, saveReport } from "../lib/terminal/report-file.ts";
import { withStore } from "../store/open.ts";
import type { ObjectStore } from "../store/store.ts";
import { DEFAULT_PERSIST } from "../store/wrangler.ts";
import { jsonOption, printJson } from "./json-output.ts";
import { confirmed, type Globals, type Io, rpcHeaders, rpcOption, rpcUrls, storeUrl, wholeNumber } from "./options.ts";

interface FetchFlags
  extends Pick<
    FetchOptions,
    "hours" | "until" | "confirmations" | "recheck" | "repair" | "requestsPerSecond" | "dryRun" | "yes"
  > {
  /** `false`: by an older name. */
  check: FetchOptions["check"] | number | false;
  checkLimit?: number;
  rpc?: string[];
  source: "rpc" | "portal";
  store?: string;
  report?: string;
  json?: true;
}

const STOPPED = "Stopped. Run the same command again: it continues from what it has fetched.";

export function addFetch(program: Command, io: Io): void {
  const { log, error } = new Console(io);
  rpcOption(program.command("fetch"))
    .description("fetch each asset's transfers, prices, labels and contracts from its chain, up to the last final day")
    .argument("<asset.json...>", "asset files with a source, as soprano init writes them")
    .addOption(new Option("--source <name>", "where logs come from").choices(["rpc", "portal"]).default("rpc"))
    .option("--hours", "also fetch the hours of the running day that are complete and final")
    .option(
      "--until <day|hour>",
      "the last day to fetch, such as 2026-11-20, or with --hours the last hour, such as 2026-11-20T14 (default: the last complete and final one)",
      until,
    )
    .option("--confirmations <n>", "count a block as final once n blocks follow it", wholeNumber(0, 1e6))
    .addOption(
      new Option(
        "--check <which>",
        "balances to compare with the chain: what is due (after an hour, those that have changed), all, none, or those of " +
          "up to so many holders, which are a sample if there are more",
      )
        .argParser(checkOf)
        .default("due"),
    )
    .addOption(new Option("--no-check").hideHelp())
    .addOption(new Option("--check-limit <n>").argParser(wholeNumber(1)).hideHelp())
    .option("--repair", "fetch or compute again all that is missing, changed or wrong")
    .addOption(
      new Option("--recheck <what>", "look up again what is otherwise kept for good").choices([
        "prices",
        "contracts",
        "labels",
        "kinds",
      ]),
    )
    .option(
      "--requests-per-second <n>",
      "send each node n requests a second, instead of finding what it allows",
      wholeNumber(1, 10_000),
    )
    .addOption(
      new Option("--store <r2://bucket>", "keep the inputs in this bucket between fetches").argParser(storeUrl),
    )
    .option("--dry-run", "only print how many requests and bytes it would take, and how long")
    .option("--yes", "go ahead even if it takes longer than a day, and replace prices that --recheck found to differ")
    .option(...jsonOption)
    .option("--report <file>", "write each asset's outcome as JSON")
    .action(async (files: string[], options: FetchFlags) => {
      const { quiet = false, debug = false } = program.opts<Globals>();
      if (options.report !== undefined) await prepareReport(options.report);
      for (const notice of renamed(options)) error(notice);
      const began = new Date();
      const save = async (fetched: readonly Fetching[]) => {
        const report = fetchReport(
          began,
          fetched.map(({ outcome }) => outcome),
        );
        if (options.json) printJson(io, "fetch", { ...report, assets: report.assets.map((asset) => ({ ...asset })) });
        if (options.report === undefined) return;
        await saveReport(options.report, report, fetchMarkdown(report), io.env, error);
      };
      const assets = await batchOf(files, options).catch(async (cause) => {
        const named = files.filter((file) => !isUrl(file));
        await save(named.map((file) => failedToFetch({ file, symbol: null }, cause)));
        throw cause;
      });
      const many = assets.length > 1;
      const progress = progressFor(io.stderr, quiet);
      const interruption = new AbortController();
      void io.interrupted().then(() => interruption.abort(new Failure(STOPPED)));
      // A bar may be on the line.
      const say = (text: string) => (quiet ? error(text) : progress.note(text));
      const tell = ({ outcome, cause }: Fetching) => {
        const { symbol, file, status, asOf, estimate } = outcome;
        if (status === "failed") {
          if (many && debug) error(cause);
          if (many) say(`soprano: ${symbol ?? file} failed: ${outcome.error}`);
        } else if (status === "planned") {
          if (!options.json) log(`${symbol}, up to ${asOf}: ${estimate ? estimateText(estimate) : "nothing new"}`);
        } else {
          if (!quiet) say(formatOutcome(outcome));
          if (!options.json) log(`${symbol} --as-of ${asOf}`);
        }
      };
      const confirm = (question: string) => {
        progress.end();
        return confirmed(question, io, options.yes ?? false);
      };
      const { fetched, failure } = await fetchFiles(
        assets,
        (use) => withSession({ ...options, ...checked(options), confirm }, io, progress, interruption.signal, use),
        tell,
      );
      await save(fetched);
      if (failure !== undefined) throw failure;
    });
}

/** Options of 0.3.0 that have another name. */
const renamed = ({ check, checkLimit }: FetchFlags): string[] =>
  [
    ...(check === false ? ["--no-check is now --check none"] : []),
    ...(checkLimit === undefined ? [] : [`--check-limit ${checkLimit} is now --check ${checkLimit}`]),
  ].map((sentence) => `${sentence}; the old name goes with the next release.`);

function checkOf(text: string): FetchFlags["check"] {
  if (text === "due" || text === "all" || text === "none") return text;
  try {
    return wholeNumber(1)(text);
  } catch {
    throw new InvalidArgumentError("It must be due, all, none, or a number of holders.");
  }
}

/** What is compared, and how many holders at most. */
function checked({ check, checkLimit = DEFAULT_CHECK_LIMIT }: FetchFlags): Pick<FetchOptions, "check" | "checkLimit"> {
  if (typeof check === "number") return { check: "due", checkLimit: check };
  return { check: check === false ? "none" : check, checkLimit };
}

/** It may hold a key: nothing repeats it. */
const isUrl = (file: string) => /^https?:/i.test(file);

/** @throws {Failure} options or files contradict each other */
async function batchOf(files: readonly string[], { until, hours }: FetchFlags): Promise<BatchAsset[]> {
  if (until?.text.includes("T") && !hours) {
    throw new Failure(`--until ${until.text} names an hour: add --hours, or name a day.`);
  }
  if (files.some(isUrl)) throw new Failure("Name asset files; URLs of nodes go to --rpc.");
  return readBatch(files);
}

/** Connects to the nodes and the bucket, and closes them however `use` ends. */
async function withSession(
  {
    rpc,
    source,
    store,
    ...options
  }: Omit<FetchFlags, "check" | "checkLimit"> & Pick<FetchOptions, "check" | "checkLimit" | "confirm">,
  io: Io,
  progress: Progress,
  signal: AbortSignal,
  use: (session: FetchSession) => Promise<void>,
): Promise<void> {
  const urls = rpcUrls(rpc, io.env);
  const { requestsPerSecond } = options;
  progress.step("connect");
  const nodes = await openNodes(urls, {
    requestsPerSecond,
    signal,
    headers: rpcHeaders(io.env),
    waits: true,
    onNotice: (text) => progress.note(text),
  });
  const portal = {
    url: io.env.SOPRANO_PORTAL_URL,
    requestsPerSecond,
    signal,
    onNotice: (text: string) => progress.note(text),
  };
  const logsOf = () => (source === "portal" ? portalLogs(nodes, portal) : nodeLogs(nodes));
  const run = (bucket?: ObjectStore) => use({ ...options, nodes, logs: logsOf(), store: bucket, signal, progress });
  try {
    await (store === undefined ? run() : withStore({ persist: DEFAULT_PERSIST, store }, io.env, run));
  } finally {
    progress.end();
    nodes.close();
  }
}

function until(text: string): Until {
  const [, hour] = /^\d{4}-\d\d-\d\d(T\d\d)?$/.exec(text) ?? [];
  const time = Date.parse(`${text}${hour ? "" : "T00"}:00:00Z`);
  // Some days that don't exist count as days of the next month.
  if (Number.isNaN(time) || !new Date(time).toISOString().startsWith(text)) {
    throw new InvalidArgumentError("It must be a day, such as 2026-11-20, or an hour, such as 2026-11-20T14.");
  }
  return { text, end: time / 1000 + (hour ? HOUR_SECONDS : DAY_SECONDS) };
}
