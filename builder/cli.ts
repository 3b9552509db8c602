#!/usr/bin/env node
/** The command line. Results go to stdout, progress and messages to stderr. Source: design "Command line". */

import { Command, CommanderError } from "commander";
import project from "../package.json" with { type: "json" };
import { addBuild } from "./commands/build.ts";
import { addBuilds } from "./commands/builds.ts";
import { addKeys } from "./commands/keys.ts";
import type { Globals } from "./commands/options.ts";
import { addServe } from "./commands/serve.ts";
import { addSimulate } from "./commands/simulate.ts";
import { addVerify } from "./commands/verify.ts";
import { sentenceOf } from "./failure.ts";

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

const program = new Command("soprano")
  .description("On-chain metrics for ERC-20 tokens: build them from transfers, publish them, serve them.")
  .version(project.version)
  .option("-q, --quiet", "no progress and no report")
  .option("--debug", "show where a failure comes from")
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "soprano: ")) });

for (const add of [addSimulate, addBuild, addVerify, addBuilds, addKeys, addServe]) add(program);

// A reader that has seen enough, such as `head`, is no failure of the work.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") process.exitCode = EXIT_FAILED;
  });
}

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  if (program.opts<Globals>().debug) console.error(error);
  else console.error(`soprano: ${sentenceOf(error)}`);
  return EXIT_FAILED;
}
