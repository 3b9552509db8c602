import { Console } from "node:console";
import { type Command, Option } from "commander";
import { ESCAPES } from "../lib/escapes.ts";
import { Failure } from "../lib/failure.ts";
import { publishedSymbols } from "../published/builds/stored-builds.ts";
import { formatStatus } from "../published/status/format-status.ts";
import { readTroubles } from "../published/status/night-reports.ts";
import { type AssetStatus, readStatus } from "../published/status/read-status.ts";
import { type StorePlace, withStore } from "../store/open.ts";
import { duration, type Io, storeOptions, symbols, wholeNumber } from "./options.ts";

interface StatusFlags extends StorePlace {
  json?: true;
  report: string[];
  keep: number;
  minAge: number;
}

export function addStatus(program: Command, io: Io): void {
  const { log } = new Console(io);
  storeOptions(program.command("status"))
    .description("say of each asset how old its data is, what the last night brought, and what the store has of it")
    .argument("[symbol...]", "assets (default: all that are published)", symbols)
    .option("--json", "print JSON")
    .option(
      "--report <file>",
      "what fetch or build has reported, to tell what failed; may be given again",
      collected,
      [],
    )
    .option("--keep <n>", "builds that gc would keep, for what it would free", wholeNumber(0), 7)
    .addOption(
      new Option("--min-age <time>", "the --min-age of that gc").argParser(duration).default(duration("24h"), "24h"),
    )
    .action(async (named: string[], { json, report, keep, minAge, ...place }: StatusFlags) => {
      const troubles = await readTroubles(report);
      const { assets, name } = await withStore(place, io.env, async (store) => {
        const now = new Date();
        const all = named.length > 0 ? named : [...new Set([...(await publishedSymbols(store)), ...troubles.keys()])];
        const assets: AssetStatus[] = [];
        for (const symbol of all.sort()) {
          assets.push(await readStatus(store, symbol, { now, keep, minAge, trouble: troubles.get(symbol) }));
        }
        return { assets, name: store.name };
      });
      log(json ? JSON.stringify({ schema: 1, store: name, assets }, null, 2) : ESCAPES.terminal(formatStatus(assets)));
      const wrong = assets.filter(({ state }) => state !== "ok");
      if (wrong.length > 0) {
        throw new Failure(
          `${wrong.map(({ symbol, state }) => `${symbol} ${state === "late" ? "is late" : "failed"}`).join(", ")}.`,
        );
      }
    });
}

const collected = (file: string, previous: readonly string[]): string[] => [...previous, file];
