import { Console } from "node:console";
import { type Command, Option } from "commander";
import { references } from "../../data-schema/stored.ts";
import { ESCAPES } from "../lib/escapes.ts";
import { counted, megabytes } from "../lib/terminal/amount-text.ts";
import { collect } from "../published/builds/collect.ts";
import { type BuildEntry, formatBuilds, listBuilds } from "../published/builds/list-builds.ts";
import { rollback } from "../published/builds/rollback.ts";
import { type StorePlace, withStore } from "../store/open.ts";
import { jsonOption, printJson } from "./json-output.ts";
import { buildOption, duration, type Globals, type Io, storeOptions, symbol, symbols, wholeNumber } from "./options.ts";

/** A running build reuses objects that an interrupted build wrote up to six hours ago, and itself takes time. */
const SAFE_MIN_AGE = duration("12h");

export function addBuilds(program: Command, io: Io): void {
  const { log, error } = new Console(io);
  const isQuiet = () => program.opts<Globals>().quiet ?? false;

  storeOptions(
    program
      .command("builds")
      .description("list the builds of an asset and say which can be rolled back to")
      .argument("<symbol>", "the asset", symbol)
      .option(...jsonOption),
  ).action(async (asset: string, { json, ...place }: StorePlace & { json?: true }) => {
    const builds = await withStore(place, io.env, (store) => listBuilds(store, asset));
    if (json) return printJson(io, "builds", { schema: 1, symbol: asset, builds: builds.map(buildFacts) });
    log(ESCAPES.terminal(formatBuilds(builds)));
  });

  storeOptions(
    program
      .command("rollback")
      .description("make an earlier build the active one again")
      .argument("<symbol>", "the asset", symbol)
      .argument("<build>", "id of the build or its first digits", buildOption)
      .option("--dry-run", "only check that it can be activated"),
  ).action(async (asset: string, id: string, { dryRun = false, ...place }: StorePlace & { dryRun?: boolean }) => {
    const { manifest, before } = await withStore(place, io.env, (store) =>
      rollback(store, asset, id, { dryRun, tell: error }),
    );
    const { build, asOf } = manifest;
    if (dryRun) return log(`${asset}: build ${build} of ${asOf} is whole, and would be active instead of ${before}`);
    if (!isQuiet()) {
      error(`${asset}: build ${build} of ${asOf} is active instead of ${before}. The next build replaces it.`);
    }
    log(`${asset} ${build}`);
  });

  storeOptions(
    program
      .command("gc")
      .description("remove old builds, and objects that no other build needs")
      .argument("<symbol...>", "assets", symbols)
      .requiredOption("--keep <n>", "builds to keep besides the active one", wholeNumber(0))
      .addOption(
        new Option("--min-age <time>", "keep what was in use within this time, such as 30m, 24h or 7d")
          .argParser(duration)
          .default(duration("24h"), "24h"),
      )
      .option("--dry-run", "only print what would be removed")
      .option(...jsonOption),
  ).action(async (assets: string[], { keep, minAge, dryRun = false, json, ...place }) => {
    if (minAge < SAFE_MIN_AGE && !dryRun && !isQuiet()) {
      error(
        "With a --min-age below 12h, run gc only while no build or rollback of the asset is running; readers that still hold an older manifest may find objects missing.",
      );
    }
    await withStore(place, io.env, async (store) => {
      const collected: { symbol: string; builds: string[]; objects: number; bytes: number; waiting: number }[] = [];
      for (const asset of assets) {
        const { builds, objects, waiting } = await collect(store, asset, { keep, minAge, now: new Date(), dryRun });
        const bytes = objects.reduce((sum, { size }) => sum + size, 0);
        collected.push({ symbol: asset, builds, objects: objects.length, bytes, waiting });
        if (json) continue;
        log(
          `${asset}: ${dryRun ? "would remove" : "removed"} ${counted(builds.length, "build")}` +
            `${builds.length > 0 ? ` (${builds.join(", ")})` : ""}, ` +
            `${counted(objects.length, "object")}, ${megabytes(bytes)} MB` +
            (waiting > 0 ? `; ${counted(waiting, "more build")} superseded for less than --min-age` : ""),
        );
      }
      if (json) printJson(io, "gc", { schema: 1, dryRun, assets: collected });
    });
  });
}

function buildFacts({ build, isActive, lastActive, manifest, problem, broken }: BuildEntry) {
  const objects = manifest && references(manifest);
  return {
    ...{ build, isActive, lastActive: lastActive.toISOString(), missing: broken },
    ...(manifest && { created: manifest.created, asOf: manifest.asOf, engine: manifest.engine }),
    ...(manifest?.reason !== undefined && { reason: manifest.reason }),
    ...(objects && { objects: objects.length, bytes: objects.reduce((sum, { size }) => sum + size, 0) }),
    ...(problem !== undefined && { problem }),
  };
}
