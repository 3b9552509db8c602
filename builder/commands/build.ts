import { resolve } from "node:path";
import type { Command } from "commander";
import { MOST_PARTS } from "../engine/replay.ts";
import { Failure, sentenceOf } from "../failure.ts";
import { buildFleet, readFleet } from "../fleet.ts";
import { type FleetReport, fleetAnnotations, formatFleet, prepareReport, writeReport } from "../fleet-report.ts";
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
    .option("--report <file>", "write what became of each asset as JSON; in GitHub Actions the job's summary, too")
    .action(async (files: string[], options: { persist: string; threads: number; report?: string }) => {
      const { quiet = false, debug = false } = program.opts<Globals>();
      const progress = progressFor(process.stderr, quiet);
      const assets = await readFleet(files);
      if (options.report !== undefined) await prepareReport(options.report);
      const many = assets.length > 1;
      let firstError: unknown;
      const state = await openLocalState(resolve(options.persist));
      let report: FleetReport;
      try {
        report = await buildFleet(assets, state.objects, {
          threads: options.threads,
          progress,
          onBegin({ file }) {
            if (many) progress.note(file);
          },
          onBuilt(built) {
            const text = formatReport(built);
            if (!quiet) console.error(many ? text.split("\n")[0] : text);
            console.log(`${built.asset.symbol} ${built.build}`);
          },
          onFailed({ file, symbol }, error) {
            firstError ??= error;
            if (!many) return;
            if (debug) console.error(error);
            console.error(`soprano: ${symbol ?? file} failed: ${sentenceOf(error)}`);
          },
        });
      } finally {
        await state.close();
      }
      if (many && !quiet) console.error(formatFleet(report));
      if (options.report !== undefined) {
        await writeReport(options.report, report, process.env);
        if (process.env.GITHUB_STEP_SUMMARY) for (const line of fleetAnnotations(report)) console.error(line);
      }
      if (firstError !== undefined) throw many ? new Failure(fleetFailure(report)) : firstError;
    });
}

function fleetFailure({ assets, stopped }: FleetReport): string {
  const not = assets.filter(({ status }) => status === "failed" || status === "skipped");
  const named = not.map(({ symbol, file }) => symbol ?? file).join(", ");
  const why = stopped === undefined ? "what each needs is said above" : "the store is lost";
  return `${not.length} of ${assets.length} assets were not built (${named}): ${why}; then build them again.`;
}
