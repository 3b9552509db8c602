#!/usr/bin/env node
/** The command line. Results go to stdout, progress and messages to stderr. Source: design "Command line". */

import { resolve } from "node:path";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { DEFAULT_PLAN, PLANS } from "../data-schema/plans.ts";
import project from "../package.json" with { type: "json" };
import { build } from "./build.ts";
import { MOST_PARTS } from "./engine/replay.ts";
import { Failure } from "./failure.ts";
import { parseTime } from "./input/time.ts";
import { createKey, formatKeys, listKeys, revokeKey, rotateKey } from "./keys.ts";
import { progressFor } from "./progress.ts";
import { formatReport } from "./report.ts";
import { serve, untilStopped } from "./serve.ts";
import { simulate } from "./simulate/simulate.ts";
import { MAX_DAYS, MAX_TRANSFERS, MIN_DAYS, MIN_TRANSFERS } from "./simulate/terms.ts";
import { DEFAULT_PERSIST, openLocalState } from "./store/local.ts";
import { openRemoteKeys } from "./store/remote.ts";
import type { KeyStore } from "./store/store.ts";
import { defaultThreads } from "./threads/pool.ts";

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

const TAKES_EFFECT = "typically within a minute no request with it is answered";

const program = new Command("soprano")
  .description("On-chain metrics for ERC-20 tokens: build them from transfers, publish them, serve them.")
  .version(project.version)
  .option("-q, --quiet", "no progress and no report")
  .option("--debug", "show where a failure comes from")
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "soprano: ")) });

const persistOption = ["--persist <dir>", "state folder of wrangler dev", folder, DEFAULT_PERSIST] as const;
const globals = () => program.opts<{ quiet?: boolean; debug?: boolean }>();

program
  .command("simulate")
  .description("write a deterministic token economy, to try things and to benchmark")
  .option("--out <dir>", "folder to write", "simulated")
  .option("--seed <n>", "same seed, same files", wholeNumber(0), 1)
  .option("--transfers <n>", "number of transfers", wholeNumber(MIN_TRANSFERS, MAX_TRANSFERS), 200_000)
  .option("--days <n>", "length of the history", wholeNumber(MIN_DAYS, MAX_DAYS))
  .option("--addresses <n>", "number of addresses (default: a tenth of the transfers)", wholeNumber(1))
  .option("--symbol <symbol>", "symbol of the token")
  .action(async (options) => {
    const progress = progressFor(process.stderr, globals().quiet ?? false);
    progress.step("simulate", options.transfers);
    const onProgress = (done: number) => progress.update(done);
    const simulation = await simulate({ ...options, onProgress }).finally(() => progress.end());
    console.log(simulation.assetPath);
  });

program
  .command("build")
  .description("replay the transfers of each asset and publish every series")
  .argument("<asset.json...>", "asset files")
  .option(...persistOption)
  .option("--threads <n>", "worker threads", wholeNumber(1, MOST_PARTS), defaultThreads())
  .action(async (assets: string[], options: { persist: string; threads: number }) => {
    const quiet = globals().quiet ?? false;
    const progress = progressFor(process.stderr, quiet);
    const state = await openLocalState(resolve(options.persist));
    try {
      for (const asset of assets) {
        const report = await build(asset, state.objects, { threads: options.threads, progress });
        if (!quiet) console.error(formatReport(report));
        console.log(`${report.asset.symbol} ${report.build}`);
      }
    } finally {
      await state.close();
    }
  });

const keys = program.command("keys").description("API keys; only their hashes are stored");

interface KeysPlace {
  persist: string;
  remote?: true;
}

/** A command on keys, here or on Cloudflare. */
const keysCommand = (name: string) =>
  keys
    .command(name)
    .option(...persistOption)
    .addOption(
      new Option("--remote", "the keys on Cloudflare: needs CLOUDFLARE_ACCOUNT_ID, CLOUDFLARE_API_TOKEN").conflicts(
        "persist",
      ),
    );

keysCommand("create")
  .description("make a key and print it, alone, on stdout: it can't be shown again")
  .requiredOption("--name <name>", "whose key it is", label)
  .addOption(
    new Option("--plan <plan>", "how many requests a minute it has")
      .choices(PLANS.map(({ name }) => name))
      .default(DEFAULT_PLAN),
  )
  .option("--expires <time>", "ISO 8601 time at which it stops working", timeToCome)
  .action(async ({ name, plan, expires, ...place }) => {
    const { key, id } = await withKeys(place, (store) => createKey(store, { name, plan, expires }));
    if (!globals().quiet) console.error(`Key ${id} for ${name}:`);
    console.log(key);
  });

keysCommand("list")
  .description("list all keys by id")
  .action(async (place: KeysPlace) => {
    const { records, unreadable } = await withKeys(place, listKeys);
    console.log(formatKeys(records));
    for (const name of unreadable) {
      console.error(`The record ${name} cannot be read, and its key is refused: mend it in KV, or delete it there.`);
    }
  });

keysCommand("revoke")
  .description("end a key")
  .argument("<id>", "id of the key, as list shows it")
  .action(async (id: string, place: KeysPlace) => {
    await withKeys(place, (store) => revokeKey(store, id));
    if (!globals().quiet) console.error(`Key ${id} is revoked: ${TAKES_EFFECT}.`);
  });

keysCommand("rotate")
  .description("replace a key by a new one of the same name, plan and expiry, and print that, alone, on stdout")
  .argument("<id>", "id of the key, as list shows it")
  .addOption(
    new Option("--grace <time>", "how long the old key works on, such as 30m, 24h or 7d")
      .argParser(duration)
      .default(0, "it is revoked"),
  )
  .action(async (id: string, { grace, ...place }: KeysPlace & { grace: number }) => {
    const made = await withKeys(place, (store) => rotateKey(store, id, grace));
    if (!globals().quiet) {
      const end = grace === 0 ? `is revoked: ${TAKES_EFFECT}` : `works until ${made.oldEnds}`;
      console.error(`Key ${id} ${end}. Key ${made.id} replaces it:`);
    }
    console.log(made.key);
  });

program
  .command("serve")
  .description("serve what was built, on this machine")
  .option("--port <n>", "port on 127.0.0.1", wholeNumber(0, 65_535), 8787)
  .option(...persistOption)
  .action(async ({ port, persist }) => {
    const server = await serve({ port, persist: resolve(persist) });
    console.log(`Soprano listens on ${server.url}`);
    await untilStopped(server);
  });

async function withKeys<T>({ persist, remote }: KeysPlace, use: (keys: KeyStore) => Promise<T>): Promise<T> {
  if (remote) return use(await openRemoteKeys(process.env));
  const state = await openLocalState(resolve(persist));
  try {
    return await use(state.keys);
  } finally {
    await state.close();
  }
}

function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) {
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    }
    return value;
  };
}

function timeToCome(text: string): string {
  const seconds = parseTime(text);
  // A year alone would be Unix seconds.
  if (seconds === undefined || seconds * 1000 <= Date.now()) {
    throw new InvalidArgumentError(
      "It must be a time to come in ISO 8601, such as 2027-01-31 or 2027-01-31T12:00:00Z.",
    );
  }
  return new Date(seconds * 1000).toISOString();
}

/** @returns milliseconds */
function duration(text: string): number {
  const [, count, unit] = text.match(/^(\d{1,4})([mhd])$/) ?? [];
  if (count === undefined) throw new InvalidArgumentError("It must be minutes, hours or days, such as 30m, 24h or 7d.");
  return Number(count) * { m: 60_000, h: 3_600_000, d: 86_400_000 }[unit as "m" | "h" | "d"];
}

function label(text: string): string {
  if (!/^(?=.*\S)\P{Cc}+$/u.test(text)) {
    throw new InvalidArgumentError("It must be a text in one line that is not empty.");
  }
  return text;
}

function folder(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("It must be the path of a folder.");
  return text;
}

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
  if (globals().debug) console.error(error);
  else if (error instanceof Failure) console.error(`soprano: ${error.message}`);
  else console.error(`soprano: ${String((error as Error).message).split("\n")[0]} (run again with --debug for more)`);
  return EXIT_FAILED;
}
