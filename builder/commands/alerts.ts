import { Console } from "node:console";
import { type Command, InvalidArgumentError } from "commander";
import { parseRelative, type Relative } from "../../data-schema/text.ts";
import { readRules } from "../alerts/alert-rules.ts";
import { alert, dryRunAlerts, firedText } from "../alerts/alerts.ts";
import { AssetFiles } from "../alerts/events/asset-files.ts";
import { readAsset } from "../input/asset/asset.ts";
import { ESCAPES } from "../lib/escapes.ts";
import { Failure } from "../lib/failure.ts";
import { counted } from "../lib/terminal/amount-text.ts";
import { publishedSymbols } from "../published/builds/stored-builds.ts";
import { withStore } from "../store/open.ts";
import { jsonOption, printJson } from "./json-output.ts";
import { type Globals, type Io, storeOptions } from "./options.ts";

export function addAlerts(program: Command, io: Io): void {
  const { log, error } = new Console(io);
  const command = program
    .command("alerts")
    .description(
      "evaluate rules on the rows since the last run, and post those that fire; docs/alerts.md has the rules",
    )
    .argument("<rules>", "the file of rules, ALERTS.json")
    .argument("[asset...]", "asset files whose assets are looked at (default: all that are published)")
    .option("--dry-run", "print when each rule fires, and post nothing")
    .option(...jsonOption)
    .option("--since <span>", "with --dry-run: rows of the time before the last one, such as -1y", span);
  storeOptions(command).action(
    async (file: string, assets: string[], { dryRun: isDry = false, since, json, ...place }) => {
      if (since && !isDry) throw new Failure("--since goes with --dry-run: a run posts the rows since the run before.");
      const rules = await readRules(file);
      const named = await Promise.all(assets.map(async (path) => (await readAsset(path)).symbol));
      const { quiet = false } = program.opts<Globals>();
      const isWhole = await withStore(place, io.env, async (store) => {
        let isWhole = true;
        const told = { firings: [] as string[], notices: [] as string[], failed: [] as string[] };
        const failed = (sentence: string) => {
          isWhole = false;
          told.failed.push(sentence);
          error(ESCAPES.terminal(`soprano: ${sentence}`));
        };
        const symbols = named.length > 0 ? named : await publishedSymbols(store);
        const missing = rules.rules
          .flatMap(({ assets }) => assets ?? [])
          .find((one) => named.length === 0 && !symbols.includes(one));
        if (missing) failed(`${missing}, which a rule names, is not published in ${store.name}.`);
        const files = new AssetFiles(file, assets);
        const assetFile = (symbol: string) => files.pathOf(symbol);
        const noticed = (text: string) => {
          told.notices.push(text);
          if (!quiet) error(ESCAPES.terminal(text));
        };
        if (isDry) {
          const fired = await dryRunAlerts(rules, store, since ?? null, { symbols, assetFile, failed, noticed });
          told.firings.push(...fired.map(firedText));
          if (!json) for (const text of told.firings) log(ESCAPES.terminal(text));
          if (!quiet) error(`${counted(fired.length, "firing")}; nothing was posted`);
        } else {
          const sent = (text: string) => {
            told.firings.push(text);
            if (!quiet && !json) log(ESCAPES.terminal(text));
          };
          const run = { symbols, assetFile, env: io.env, sent, remembered: noticed, noticed, failed };
          isWhole = (await alert(rules, store, run)) && isWhole;
        }
        if (json) printJson(io, "alerts", { schema: 1, dryRun: isDry, ...told });
        return isWhole;
      });
      if (!isWhole) throw new Failure("not all rules were evaluated and posted: see the messages above.");
    },
  );
}

function span(text: string): Relative {
  const relative = parseRelative(text);
  if (relative === undefined) throw new InvalidArgumentError("It must be a span such as -30d, -12h, -6m or -1y.");
  return relative;
}
