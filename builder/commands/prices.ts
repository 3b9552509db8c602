import { Console } from "node:console";
import { dirname } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { isoTime } from "../../data-schema/text.ts";
import { changeCorrections, listCorrections } from "../fetch/kept/corrections.ts";
import { type AssetFile, readAsset } from "../input/asset/asset.ts";
import { PRICE } from "../input/cells/rules.ts";
import { withDatabase } from "../input/duckdb/database.ts";
import { openInputTable } from "../input/duckdb/input-table.ts";
import { adoptFormerFiles } from "../input/fetched/former-files.ts";
import { findFiles } from "../input/files/files.ts";
import { type Correction, LONGEST_REASON } from "../input/prices/corrections.ts";
import { readPrices } from "../input/prices/price-files.ts";
import { ESCAPES } from "../lib/escapes.ts";
import { Failure } from "../lib/failure.ts";
import { alignColumns } from "../lib/terminal/align.ts";
import { type StorePlace, withStore } from "../store/open.ts";
import type { ObjectStore } from "../store/store.ts";
import { DEFAULT_PERSIST } from "../store/wrangler.ts";
import { type Globals, type Io, label, pastTime, storeUrl } from "./options.ts";

interface PriceFlags extends Partial<StorePlace> {
  at?: number;
  set?: number;
  drop?: true;
  because?: string;
  list?: true;
}

export function addPrices(program: Command, io: Io): void {
  const { log, error } = new Console(io);
  program
    .command("prices")
    .description("correct prices of an asset, above whatever their source says, or list the corrections")
    .argument("<asset.json>", "asset file")
    .option("--at <time>", "the time from which the price counts, such as 2026-03-01T14:00Z", pastTime)
    .option("--set <price>", "the price in USD per token, until the source has its next one", usd)
    .option("--drop", "drop the correction of that time: the source counts again")
    .option("--because <reason>", "why: readers see it", reason)
    .option("--list", "list the corrections, as without any option")
    .addOption(
      new Option("--store <r2://bucket>", "the bucket that keeps the inputs between fetches").argParser(storeUrl),
    )
    .action(async (path: string, flags: PriceFlags, command: Command) => {
      const { at, set, drop, because } = flags;
      const isChange = [at, set, drop, because].some((flag) => flag !== undefined);
      if (isChange && (at === undefined || because === undefined || (set === undefined) === (drop === undefined))) {
        command.error("error: name a time with --at, a price with --set or else --drop, and a reason with --because");
      }
      if (isChange && flags.list) command.error("error: --list takes no other option");
      const asset = await readAsset(path);
      for (const note of await adoptFormerFiles(asset)) error(note);
      await storeOf(flags, io, async (store) => {
        if (!isChange) return log(ESCAPES.terminal(await correctionTable(asset, await listCorrections(asset, store))));
        const said = { time: at!, usd: set ?? null, reason: because! };
        const { corrections, isSaved } = await changeCorrections(asset, said, store);
        log(ESCAPES.terminal(`${asset.symbol}: ${await effectOf(asset, said, corrections)}`));
        if (store && !isSaved && !(program.opts<Globals>().quiet ?? false)) {
          error(`${store.name} keeps no inputs of ${asset.symbol}: the correction is on this machine only.`);
        }
      });
    });
}

/** Runs work with the bucket that keeps the inputs, if one is named. */
const storeOf = ({ store }: PriceFlags, io: Io, work: (store?: ObjectStore) => Promise<void>) =>
  store === undefined ? work() : withStore({ persist: DEFAULT_PERSIST, store }, io.env, work);

function usd(text: string): number {
  const price = PRICE.parse(text);
  if (price === undefined) throw new InvalidArgumentError(`It must be ${PRICE.expected}.`);
  return price;
}

function reason(text: string): string {
  if (text.length > LONGEST_REASON)
    throw new InvalidArgumentError(`It must have at most ${LONGEST_REASON} characters.`);
  return label(text);
}

/** The prices of the source by time, as far as they are on this machine; undefined if they are not. */
async function sourcePrices(asset: AssetFile): Promise<{ timestamp: Float64Array; usd: Float64Array } | undefined> {
  const files = await findFiles(dirname(asset.path), asset.prices ?? [], "prices").catch((error: unknown) => {
    // They are fetched, but not to this machine.
    if (error instanceof Failure && asset.source) return undefined;
    throw error;
  });
  if (!files) return undefined;
  return withDatabase(1, async (connection) => {
    const tables = await Promise.all(files.map((file) => openInputTable(connection, file)));
    const options = { stamp: asset.priceStamp, mayBeEmpty: true };
    return (await readPrices(connection, tables, () => {}, options)).prices;
  });
}

/** `1.02 counts from 2026-03-01T14:00:00Z until 2026-03-01T15:00:00Z, in place of 1020.` */
async function effectOf(
  asset: AssetFile,
  { time, usd }: Pick<Correction, "time" | "usd">,
  corrections: readonly Correction[],
): Promise<string> {
  const from = isoTime(time);
  const next = "The next build has it.";
  const source = await sourcePrices(asset);
  if (!source) return `${usd === null ? `${from} is not corrected any more` : `${usd} counts from ${from}`}. ${next}`;
  const held = corrections.filter((one) => one.usd !== null).map((one) => one.time);
  const later = [...source.timestamp, ...held].filter((one) => one > time);
  const until = later.length === 0 ? "on" : `until ${isoTime(Math.min(...later))}`;
  const row = source.timestamp.indexOf(time);
  const last = source.timestamp.findLastIndex((one) => one < time);
  const was =
    row >= 0 ? `in place of ${source.usd[row]}` : `where the source has no row, and ${source.usd[last] ?? 0} held`;
  const back = row >= 0 ? `${source.usd[row]} counts` : `${source.usd[last] ?? 0} holds`;
  return usd === null
    ? `${back} again from ${from} ${until}. ${next}`
    : `${usd} counts from ${from} ${until}, ${was}. ${next}`;
}

async function correctionTable(asset: AssetFile, corrections: readonly Correction[]): Promise<string> {
  if (corrections.length === 0) return `${asset.symbol}: no price is corrected.`;
  const source = await sourcePrices(asset);
  const of = (time: number) => String(source?.usd[source.timestamp.indexOf(time)] ?? "");
  const rows = corrections.map(({ time, usd, reason, recorded }) => [
    isoTime(time),
    usd === null ? "dropped" : String(usd),
    of(time),
    isoTime(recorded),
    reason,
  ]);
  return alignColumns([["time", "price", "source", "recorded", "because"], ...rows], [1, 2]);
}
