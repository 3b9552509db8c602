/** The command line: results go to stdout, progress and messages to stderr. */

import { Console } from "node:console";
import { Command, CommanderError } from "commander";
import project from "../package.json" with { type: "json" };
import { addBuild } from "./commands/build.ts";
import { addBuilds } from "./commands/builds.ts";
import { addDeal } from "./commands/deal.ts";
import { addExport } from "./commands/export.ts";
import { addFetch } from "./commands/fetch.ts";
import { addInit } from "./commands/init.ts";
import { addKeys } from "./commands/keys.ts";
import type { Globals, Io } from "./commands/options.ts";
import { addProbe } from "./commands/probe.ts";
import { addServe } from "./commands/serve.ts";
import { addSimulate } from "./commands/simulate.ts";
import { addStage } from "./commands/stage.ts";
import { addVerify } from "./commands/verify.ts";
import { InputFailure, printable, sentenceOf } from "./lib/failure.ts";

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
/** The exit status of `stage` for wrong input: no scheduler need try again. */
const EXIT_INPUT = 3;

/**
 * Runs one command, without touching the process around it.
 *
 * @param args what follows `soprano`
 * @returns the exit status: 0, 1 for a failure, 2 for wrong usage; of `stage`, 3 if the input is wrong
 */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const program = new Command("soprano")
    .description("On-chain metrics for ERC-20 tokens: build them from transfers, publish them, serve them.")
    .version(project.version)
    .option("-q, --quiet", "no progress and no report")
    .option("--debug", "print the stack trace of a failure, and what workerd said")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => write(printable(text.replace(/^error: /, "soprano: "))),
    });
  for (const add of [
    addInit,
    addFetch,
    addBuild,
    addVerify,
    addBuilds,
    addDeal,
    addStage,
    addExport,
    addKeys,
    addServe,
    addProbe,
    addSimulate,
  ])
    add(program, io);
  try {
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
    new Console(io).error(program.opts<Globals>().debug ? error : `soprano: ${sentenceOf(error)}`);
    return error instanceof InputFailure && program.args[0] === "stage" ? EXIT_INPUT : EXIT_FAILED;
  }
}
