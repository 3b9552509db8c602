#!/usr/bin/env node
/** The program `soprano`: runs the command line in this process. */

import * as module from "node:module";
import project from "../package.json" with { type: "json" };
import { sentenceOf } from "./lib/failure.ts";
import { LEAST_NODE } from "./lib/least-node.ts";
import { interrupted } from "./lib/terminal/interrupted.ts";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < LEAST_NODE[0] || (major === LEAST_NODE[0] && minor < LEAST_NODE[1])) {
  process.stderr.write(
    `soprano: Node.js ${process.versions.node} is too old: install ${LEAST_NODE.join(".")} or newer.\n`,
  );
  process.exit(1);
}

// In the system's folder for temporary files. Halves the time to start, of each thread too, which finds it in the environment.
const { directory } = module.enableCompileCache();
if (directory) process.env.NODE_COMPILE_CACHE = directory;

const { stdout, stderr, env } = process;

// A reader that closes the pipe early, such as `head`, is not a failure.
for (const stream of [stdout, stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") process.exitCode = 1;
  });
}

// Everything but nodes, which have agents of their own: archives of prices, R2. What is on this machine needs no proxy.
if (Object.keys(env).some((name) => /^https?_proxy$/i.test(name))) {
  const exempt = [env.NO_PROXY ?? env.no_proxy, "localhost,127.0.0.1,[::1]"].filter(Boolean).join(",");
  const http = await import("node:http");
  // Node.js has it since 24.14.
  if (typeof http.setGlobalProxyFromEnv === "function") {
    http.setGlobalProxyFromEnv({ ...env, NO_PROXY: exempt, no_proxy: exempt });
  } else {
    stderr.write(`soprano: Node.js ${process.versions.node} uses no proxy of the environment: use 24.14 or newer.\n`);
  }
}

// Older ones warn of what Soprano uses as it is in all of them.
const { emitWarning } = process;
process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
  if (/^(SQLite|glob) is an experimental feature/.test(String(warning))) return;
  Reflect.apply(emitWarning, process, [warning, ...rest]);
};

const io = {
  stdout,
  stderr,
  env,
  interrupted,
  /** Opened only by a command that asks. */
  get stdin() {
    return process.stdin;
  },
};

const args = process.argv.slice(2);

async function answer(): Promise<number> {
  // Whoever asks for the version waits for nothing else to load.
  if (args.length === 1 && /^(--version|-V)$/.test(args[0]!)) {
    stdout.write(`${project.version}\n`);
    return 0;
  }
  // Imported late, when the compile cache is on; even that may fail, for lack of memory.
  return import("./command-line.ts").then(
    ({ run }) => run(args, io),
    (error: unknown) => {
      stderr.write(`soprano: ${sentenceOf(error)}\n`);
      return 1;
    },
  );
}

const status = await answer();
// Set only by a failure: an output that could not be written has set it already.
if (status !== 0) process.exitCode = status;
