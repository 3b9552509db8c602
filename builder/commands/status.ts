import { Console } from "node:console";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { DAY_SECONDS } from "../../data-schema/text.ts";
import { ESCAPES } from "../lib/escapes.ts";
import { Failure, sentenceOf } from "../lib/failure.ts";
import { publishedSymbols } from "../published/builds/stored-builds.ts";
import { requestsUse } from "../published/status/cost.ts";
import { type CostRow, costOf, formatCost } from "../published/status/format-cost.ts";
import { formatStatus } from "../published/status/format-status.ts";
import { readTroubles } from "../published/status/night-reports.ts";
import { type AssetStatus, readStatus } from "../published/status/read-status.ts";
import type { Environment } from "../store/cloudflare.ts";
import { readUsage, unusualUsage } from "../store/key-usage.ts";
import { readLocalUsage } from "../store/local/usage-file.ts";
import { type StorePlace, withStore } from "../store/open.ts";
import type { ObjectStore } from "../store/store.ts";
import { listKeys } from "../store/stored-keys.ts";
import { jsonOption, printJson } from "./json-output.ts";
import { withKeys } from "./keys.ts";
import { duration, type Io, storeOptions, symbols, wholeNumber } from "./options.ts";

interface StatusFlags extends StorePlace {
  json?: true;
  report: string[];
  keep: number;
  minAge: number;
  cost?: true;
  requests?: number;
}

/** Days of usage that say what is usual, today included, and those of which it is told. */
const USAGE_DAYS = 14;
const TOLD_DAYS = 2;
/** Requests a month, if nobody says how many: the first column of docs/cost.md. */
const REQUESTS = 1_000_000;

export function addStatus(program: Command, io: Io): void {
  const { log, error } = new Console(io);
  storeOptions(program.command("status"))
    .description("say of each asset how old its data is, what the last night brought, and what the store has of it")
    .argument("[symbol...]", "assets (default: all that are published)", symbols)
    .option(...jsonOption)
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
    .option("--cost", "also say what a month of the store costs on Cloudflare")
    .option("--requests <n>", `requests a month, for --cost (default: ${REQUESTS})`, wholeNumber(0))
    .action(async (named: string[], options: StatusFlags, command: Command) => {
      const { json, report, keep, minAge, cost: isCostAsked, requests, ...place } = options;
      if (requests !== undefined && !isCostAsked) command.error("error: --requests needs --cost");
      const troubles = await readTroubles(report);
      const { assets, cost, name } = await withStore(place, io.env, async (store) => {
        const now = new Date();
        const all = named.length > 0 ? named : [...new Set([...(await publishedSymbols(store)), ...troubles.keys()])];
        const assets: AssetStatus[] = [];
        for (const symbol of all.sort()) {
          assets.push(await readStatus(store, symbol, { now, keep, minAge, trouble: troubles.get(symbol) }));
        }
        const rows = isCostAsked && [...costRows(assets), ...(named.length > 0 ? [] : [await restOf(store, assets)])];
        return { assets, cost: rows && costOf(rows, requestsUse(requests ?? REQUESTS)), name: store.name };
      });
      const keys = await unusualKeys(place, io.env).catch((cause) => {
        error(ESCAPES.terminal(`The usage of keys is not told: ${sentenceOf(cause)}`));
        return [];
      });
      if (json) printJson(io, "status", { schema: 1, store: name, assets, keys, ...(cost && { cost }) });
      else log(ESCAPES.terminal([formatStatus(assets), ...keys, ...(cost ? ["", formatCost(cost)] : [])].join("\n")));
      const wrong = assets.filter(({ state }) => state !== "ok");
      if (wrong.length > 0) {
        throw new Failure(
          `${wrong.map(({ symbol, state }) => `${symbol} ${state === "late" ? "is late" : "failed"}`).join(", ")}.`,
        );
      }
    });
}

const collected = (file: string, previous: readonly string[]): string[] => [...previous, file];

const costRows = (assets: readonly AssetStatus[]): CostRow[] =>
  assets.flatMap(({ symbol, active }) =>
    active ? [{ name: symbol, used: { storedBytes: active.bytes, ...active.month } }] : [],
  );

/** What the store has beside these assets, such as what was removed, and alerts' state. */
async function restOf(store: ObjectStore, assets: readonly AssetStatus[]): Promise<CostRow> {
  const sizes = Array.from((await store.list("")).values(), ({ size }) => size);
  const sum = (all: readonly number[]) => all.reduce((total, one) => total + one, 0);
  const ofAssets = sum(assets.map(({ active }) => active?.bytes ?? 0));
  return { name: "all else", used: { storedBytes: Math.max(0, sum(sizes) - ofAssets) } };
}

/**
 * A sentence for each key that used far more than usual today or yesterday: by `soprano serve` in the state folder, or, with a
 * bucket, by Cloudflare, if there is a token to ask it with.
 */
async function unusualKeys({ persist, store }: StorePlace, env: Environment): Promise<string[]> {
  if (store !== undefined && !env.CLOUDFLARE_API_TOKEN) return [];
  const folder = resolve(persist);
  const usage = await (store === undefined ? readLocalUsage(folder, USAGE_DAYS) : readUsage(USAGE_DAYS, null, env));
  const first = new Date(Date.now() - (TOLD_DAYS - 1) * DAY_SECONDS * 1000).toISOString().slice(0, 10);
  if (unusualUsage(usage, [], first).length === 0) return [];
  const keysPlace = store === undefined ? { persist: folder } : { persist: folder, remote: true as const };
  const { records } = await withKeys(keysPlace, env, listKeys);
  return unusualUsage(usage, records, first);
}
