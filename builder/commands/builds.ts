import { type Command, Option } from "commander";
import { collect } from "../builds/collect.ts";
import { formatBuilds, listBuilds } from "../builds/list.ts";
import { rollback } from "../builds/rollback.ts";
import type { StorePlace } from "../store/open.ts";
import { counted, megabytes } from "../terminal/amounts.ts";
import { buildId, duration, type Globals, storeOptions, symbol, symbols, wholeNumber, withStore } from "./options.ts";

/** A build that runs may use again what one that was killed has written in these hours; and takes some itself. */
const SAFE_MIN_AGE = duration("12h");

export function addBuilds(program: Command): void {
  const isQuiet = () => program.opts<Globals>().quiet ?? false;

  storeOptions(
    program
      .command("builds")
      .description("list the builds of an asset, and which of them can be rolled back to")
      .argument("<symbol>", "the asset", symbol),
  ).action(async (asset: string, place: StorePlace) => {
    console.log(formatBuilds(await withStore(place, (store) => listBuilds(store, asset))));
  });

  storeOptions(
    program
      .command("rollback")
      .description("put an earlier build in force again")
      .argument("<symbol>", "the asset", symbol)
      .argument("<build>", "id of the build, or its first digits", buildId),
  ).action(async (asset: string, id: string, place: StorePlace) => {
    const { manifest, before } = await withStore(place, (store) => rollback(store, asset, id));
    const { build, asOf } = manifest;
    if (!isQuiet()) {
      console.error(
        `${asset}: build ${build} of ${asOf} is in force, instead of ${before}. The next build replaces it.`,
      );
    }
    console.log(`${asset} ${build}`);
  });

  storeOptions(
    program
      .command("gc")
      .description("remove builds, and objects that none of the others needs")
      .argument("<symbol...>", "assets", symbols)
      .requiredOption("--keep <n>", "builds to keep besides the one in force", wholeNumber(0))
      .addOption(
        new Option("--min-age <time>", "how long what goes must have been of no use, such as 30m, 24h or 7d")
          .argParser(duration)
          .default(duration("24h"), "24h"),
      )
      .option("--dry-run", "only say what would go"),
  ).action(async (assets: string[], { keep, minAge, dryRun = false, ...place }) => {
    if (minAge < SAFE_MIN_AGE && !dryRun && !isQuiet()) {
      console.error(
        "With a --min-age of less than 12h, see that no build runs meanwhile, and that readers can bear it.",
      );
    }
    await withStore(place, async (store) => {
      for (const asset of assets) {
        const { builds, objects, waiting } = await collect(store, asset, { keep, minAge, now: new Date(), dryRun });
        const bytes = objects.reduce((sum, { size }) => sum + size, 0);
        console.log(
          `${asset}: ${dryRun ? "would remove" : "removed"} ${counted(builds.length, "build")}` +
            `${builds.length > 0 ? ` (${builds.join(", ")})` : ""}, ` +
            `${counted(objects.length, "object")}, ${megabytes(bytes)} MB` +
            (waiting > 0 ? `; ${counted(waiting, "more build")} superseded for less than --min-age` : ""),
        );
      }
    });
  });
}
