import { Console } from "node:console";
import type { Command } from "commander";
import { MAX_DAYS, MAX_TRANSFERS, MIN_DAYS, MIN_TRANSFERS } from "../demo/simulate/parameters.ts";
import { simulate } from "../demo/simulate/simulate.ts";
import { progressFor } from "../lib/terminal/progress.ts";
import { endOfDay, type Globals, type Io, wholeNumber } from "./options.ts";

export function addSimulate(program: Command, io: Io): void {
  program
    .command("simulate")
    .description("simulate a token economy and write it as files; deterministic")
    .option("--out <dir>", "folder to write", "simulated")
    .option("--seed <n>", "same seed, same files", wholeNumber(0), 1)
    .option("--transfers <n>", "number of transfers", wholeNumber(MIN_TRANSFERS, MAX_TRANSFERS), 200_000)
    .option("--days <n>", "length of the history", wholeNumber(MIN_DAYS, MAX_DAYS))
    .option("--end <day>", "last day of the history (default: 2025-12-31)", endOfDay)
    .option("--addresses <n>", "number of addresses (default: a tenth of the transfers)", wholeNumber(1))
    .option("--symbol <symbol>", "symbol of the token")
    .action(async ({ end, ...options }) => {
      const progress = progressFor(io.stderr, program.opts<Globals>().quiet ?? false);
      progress.step("simulate", options.transfers);
      const onProgress = (done: number) => progress.update(done);
      const simulation = await simulate({ ...options, asOf: end, onProgress }).finally(() => progress.end());
      new Console(io).log(simulation.assetPath);
    });
}
