/**
 * Hourly prices from Binance's public archive of spot klines (candles), built against its description,
 * https://github.com/binance/binance-public-data, and a stand-in. The close of an hour's kline is the hour's price.
 * Pairs are quoted in stablecoins, which count as one dollar.
 */

import { createHash } from "node:crypto";
import { DAY_SECONDS, HOUR_SECONDS } from "../../../../data-schema/text.ts";
import { Failure } from "../../../lib/failure.ts";
import { days, type FetchedPeriod, monthOf, startOfDay } from "../../times/file-periods.ts";
import type { HourPrice } from "../hourly.ts";
import { type ArchiveHours, archiveBase, download } from "./download.ts";
import { readZip } from "./zip.ts";

const DOLLARS = ["USDT", "USDC", "FDUSD", "BUSD", "TUSD", "DAI", "USDP", "PAX", "USDS"];

/** A month's archive appears in the first days of the next month; until then there is one for each day. */
const MONTH_APPEARS_WITHIN = 35 * DAY_SECONDS;
/** A day's archive appears the next day. One that is missing for longer will not come. */
const DAY_APPEARS_WITHIN = 3 * DAY_SECONDS;

/** @throws {Failure} the pair is not quoted in a dollar stablecoin */
export function checkBinancePair(symbol: string): void {
  const isPair = DOLLARS.some((dollar) => symbol.endsWith(dollar) && symbol.length > dollar.length);
  if (isPair && /^[A-Z0-9]+$/.test(symbol)) return;
  throw new Failure(
    `source.prices.binance: ${symbol} is not quoted in a dollar stablecoin; choose a pair such as HUMUSDT, quoted in one of ${DOLLARS.join(", ")}.`,
  );
}

/**
 * @param symbol such as HUMUSDT
 * @returns the hours of [start, end) that the archive has; the latest ones may come later, and are left for another night
 * @throws {Failure} the archive can't be read, or is not what it is said to be
 */
export async function readBinancePrices(symbol: string, range: ArchiveHours): Promise<HourPrice[]> {
  const { start, end, signal, onProgress } = range;
  checkBinancePair(symbol);
  const base = archiveBase("SOPRANO_BINANCE_URL", "https://data.binance.vision/");
  const get = (period: "monthly" | "daily", date: string, span: Span) =>
    readArchive(base, `data/spot/${period}/klines/${symbol}/1h/${symbol}-1h-${date}.zip`, span, signal);
  const hours: HourPrice[] = [];
  for (let time = start; time < end; ) {
    onProgress?.(time - start, end - start);
    const month = monthOf(time);
    const monthly = month.end <= end ? await get("monthly", month.name, month) : undefined;
    if (monthly) hours.push(...monthly);
    // An old month without an archive is one before the pair was listed, or after it was removed.
    else if (month.end + MONTH_APPEARS_WITHIN > end) {
      for (const day of days(startOfDay(time), Math.min(month.end, end))) {
        const daily = await get("daily", day.name, day);
        if (daily) hours.push(...daily);
        else if (day.end + DAY_APPEARS_WITHIN > end) return within(hours, start, end);
      }
    }
    time = month.end;
  }
  return within(hours, start, end);
}

const within = (hours: readonly HourPrice[], start: number, end: number) =>
  hours.filter((hour) => hour.end > start && hour.end <= end);

/** What an archive covers, Unix seconds. */
type Span = Pick<FetchedPeriod, "start" | "end">;

/** The hours of an archive; undefined if there is none. */
async function readArchive(
  base: URL,
  path: string,
  span: Span,
  signal?: AbortSignal,
): Promise<HourPrice[] | undefined> {
  const checksum = await download(base, `${path}.CHECKSUM`, readChecksum, signal);
  if (checksum === undefined) return undefined;
  const hours = await download(
    base,
    path,
    (zip) => {
      const digest = createHash("sha256").update(zip).digest("hex");
      if (digest !== checksum) throw new Error("its SHA-256 is not that of its CHECKSUM file");
      return parseKlines(readZip(zip).toString("latin1"), span);
    },
    signal,
  );
  return hours;
}

function readChecksum(bytes: Buffer): string {
  const [, digest] = bytes.toString("latin1").match(/^([0-9a-f]{64})\b/i) ?? [];
  if (digest === undefined) throw new Error("it does not begin with a SHA-256");
  return digest.toLowerCase();
}

/** Milliseconds have 13 digits; since 2025 the archive's spot times are in microseconds, which have 16. */
const PER_SECOND: Record<number, number> = { 13: 1_000, 16: 1_000_000 };

/**
 * Klines as CSV: open time, open, high, low, close, and more that is not needed. Hours that are missing are gaps.
 *
 * @throws {Error} a row is not an hour of the span
 */
function parseKlines(csv: string, { start, end }: Span): HourPrice[] {
  const hours: HourPrice[] = [];
  for (const [index, line] of csv.split(/\r?\n/).entries()) {
    if (line === "" || (index === 0 && line.startsWith("open_time,"))) continue;
    const [openTime = "", , , , close = ""] = line.split(",");
    const seconds = Number(openTime) / (PER_SECOND[openTime.length] ?? Number.NaN);
    const usd = Number(close);
    const isHour = seconds % HOUR_SECONDS === 0 && seconds >= start && seconds < end;
    if (!isHour || !(usd > 0 && Number.isFinite(usd))) throw new Error(`its line ${index + 1} is not an hour's kline`);
    if (seconds + HOUR_SECONDS <= (hours.at(-1)?.end ?? 0))
      throw new Error(`its line ${index + 1} is not after the one before`);
    hours.push({ end: seconds + HOUR_SECONDS, usd });
  }
  return hours;
}
