/** The command line: results go to stdout, progress and messages to stderr. */

import { Console } from "node:console";
import { Command, CommanderError } from "commander";
import project from "../package.json" with { type: "json" };
import type { Globals, Io } from "./commands/options.ts";
import { advising, type GivenCommand, givenIn } from "./lib/advised.ts";
import { InputFailure, printable, sentenceOf } from "./lib/failure.ts";

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
/** The exit status of `stage` for wrong input: no scheduler need try again. */
const EXIT_INPUT = 3;

type Add = (program: Command, io: Io) => void;

/** It names the options of all others. */
const COMPLETION = "completion";

/** The commands of each module, in the order of --help. To load all modules takes longer than most commands. */
const COMMANDS: readonly [names: readonly string[], load: () => Promise<Add>][] = [
  [["init"], async () => (await import("./commands/init.ts")).addInit],
  [["inspect"], async () => (await import("./commands/inspect.ts")).addInspect],
  [["fetch"], async () => (await import("./commands/fetch.ts")).addFetch],
  [["prices"], async () => (await import("./commands/prices.ts")).addPrices],
  [["build"], async () => (await import("./commands/build.ts")).addBuild],
  [["deposits"], async () => (await import("./commands/deposits.ts")).addDeposits],
  [["verify"], async () => (await import("./commands/verify.ts")).addVerify],
  [["builds", "rollback", "gc"], async () => (await import("./commands/builds.ts")).addBuilds],
  [["status"], async () => (await import("./commands/status.ts")).addStatus],
  [["remove"], async () => (await import("./commands/remove.ts")).addRemove],
  [["backup", "restore"], async () => (await import("./commands/backup.ts")).addBackup],
  [["alerts"], async () => (await import("./commands/alerts.ts")).addAlerts],
  [["deal"], async () => (await import("./commands/deal.ts")).addDeal],
  [["stage"], async () => (await import("./commands/stage.ts")).addStage],
  [["export"], async () => (await import("./commands/export.ts")).addExport],
  [["labels"], async () => (await import("./commands/labels.ts")).addLabels],
  [["keys"], async () => (await import("./commands/keys.ts")).addKeys],
  [["serve"], async () => (await import("./commands/serve.ts")).addServe],
  [["probe"], async () => (await import("./commands/probe.ts")).addProbe],
  [["new"], async () => (await import("./commands/new.ts")).addNew],
  [["demo"], async () => (await import("./commands/demo.ts")).addDemo],
  [[COMPLETION], async () => (await import("./commands/completion.ts")).addCompletion],
  [["simulate"], async () => (await import("./commands/simulate.ts")).addSimulate],
];

/** How to load the modules that a command line needs: all for help, for completion, and for a name that no command has. The version needs none. */
function modulesFor(args: readonly string[]): (() => Promise<Add>)[] {
  if (args[0] === "--version" || args[0] === "-V") return [];
  const named = args.find((arg) => !arg.startsWith("-"));
  if (named === COMPLETION) return COMMANDS.map(([, load]) => load);
  const found = COMMANDS.filter(([names]) => named !== undefined && names.includes(named));
  return (found.length > 0 ? found : COMMANDS).map(([, load]) => load);
}

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
    .option("--debug", "print the stack trace of a failure")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => write(printable(text.replace(/^error: /, "soprano: "))),
    });
  const given: GivenCommand = {};
  program.hook("preAction", (_, command) => void Object.assign(given, givenIn(command)));
  try {
    // Even loading a module may fail: its kernels need memory.
    for (const load of modulesFor(args)) (await load())(program, io);
    await advising(given, () => program.parseAsync(args, { from: "user" }));
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
    new Console(io).error(program.opts<Globals>().debug ? error : `soprano: ${sentenceOf(error)}`);
    return error instanceof InputFailure && program.args[0] === "stage" ? EXIT_INPUT : EXIT_FAILED;
  }
}
