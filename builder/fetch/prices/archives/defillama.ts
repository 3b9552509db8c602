/**
 * Hourly prices from DefiLlama, without a key; built against its description, https://api-docs.defillama.com, and a
 * stand-in. It answers for each time with the record that is nearest, within a width; where there is none, it says nothing.
 */

import * as v from "valibot";
import { HOUR_SECONDS } from "../../../../data-schema/text.ts";
import { Failure } from "../../../lib/failure.ts";
import { Gathered } from "../../../lib/gathered.ts";
import type { HourPrice } from "../hourly.ts";
import { type ArchiveHours, archiveBase, download } from "./download.ts";

/** DefiLlama's names of chains. */
const CHAINS: Record<number, string> = {
  1: "ethereum",
  10: "optimism",
  56: "bsc",
  100: "xdai",
  137: "polygon",
  250: "fantom",
  324: "era",
  8453: "base",
  42161: "arbitrum",
  42220: "celo",
  43114: "avax",
  59144: "linea",
  81457: "blast",
  534352: "scroll",
};

/** Hours of a request: answers stay small. */
const SPAN = 240;

/** Records from 6 minutes around each hour's 53rd minute: near its end, and never after it. */
const ASKED_AT = 53 * 60;
const WIDTH = 6 * 60;

const answerSchema = v.object({
  coins: v.record(v.string(), v.object({ prices: v.array(v.object({ timestamp: v.number(), price: v.number() })) })),
});

/**
 * @returns the hours of [start, end) that DefiLlama has a record of
 * @throws {Failure} DefiLlama can't be read, or does not know the chain
 */
export async function readDefiLlamaPrices(
  { chainId, contract }: { chainId: number; contract: string },
  { start, end, signal, onProgress }: ArchiveHours,
): Promise<HourPrice[]> {
  const chain = CHAINS[chainId];
  if (chain === undefined) {
    throw new Failure(
      `source.prices.defillama: no name of the chain ${chainId} is known; choose pools or a CSV, or one of the chains ${Object.keys(CHAINS).join(", ")}.`,
    );
  }
  const base = archiveBase("SOPRANO_DEFILLAMA_URL", "https://coins.llama.fi/");
  const coin = `${chain}:${contract}`;
  const hours: HourPrice[] = [];
  for (let from = start; from < end; from += SPAN * HOUR_SECONDS) {
    onProgress?.(from - start, end - start);
    const span = Math.min(SPAN, (end - from) / HOUR_SECONDS);
    const question = { base, coin, from, span, signal };
    const shared = end - start <= SPAN * HOUR_SECONDS ? await together(question) : undefined;
    hours.push(...(shared ?? (await ask(question, [coin])).get(coin)!));
  }
  return hours;
}

interface Question extends Pick<ArchiveHours, "signal"> {
  base: URL;
  coin: string;
  /** Start of the first hour, Unix seconds. */
  from: number;
  /** Hours. */
  span: number;
}

interface Waiting extends Question {
  /** Takes what was found, if anything was. */
  resolve(hours: HourPrice[] | undefined): void;
}

/** Coins in a request: their names fit into a URL. */
const MOST_COINS = 32;

/** Tokens of the same hours that are asked for at the same time. */
const gathered = new Gathered<Waiting>((all) => {
  for (let first = 0; first < all.length; first += MOST_COINS) void answer(all.slice(first, first + MOST_COINS));
});

/** @returns undefined if the token is to be asked for by itself: nobody else asks, or what was found with others is not whole */
function together(question: Question): Promise<HourPrice[] | undefined> {
  const { base, from, span } = question;
  return new Promise((resolve) => gathered.add(`${base} ${from} ${span}`, { ...question, resolve }));
}

async function answer(all: readonly Waiting[]): Promise<void> {
  const [first] = all as [Waiting];
  if (all.length === 1) return first.resolve(undefined);
  try {
    const found = await ask(first, [...new Set(all.map(({ coin }) => coin))]);
    for (const { coin, span, resolve } of all) {
      const hours = found.get(coin)!;
      // Hours that are missing may have been left out for the sake of the others.
      resolve(hours.length === span ? hours : undefined);
    }
  } catch {
    // By itself, each finds out what is wrong.
    for (const { resolve } of all) resolve(undefined);
  }
}

/** The hours of each coin. */
async function ask(
  { base, from, span, signal }: Question,
  coins: readonly string[],
): Promise<Map<string, HourPrice[]>> {
  const query = `start=${from + ASKED_AT}&span=${span}&period=1h&searchWidth=${WIDTH}`;
  const read = (bytes: Buffer) => readRecords(bytes, coins, from, from + span * HOUR_SECONDS);
  const found = await download(base, `chart/${coins.join()}?${query}`, read, signal);
  return found ?? new Map(coins.map((coin) => [coin, []]));
}

/** The last record of each hour, by coin. */
function readRecords(bytes: Buffer, coins: readonly string[], start: number, end: number): Map<string, HourPrice[]> {
  const { success, output } = v.safeParse(answerSchema, parseJson(bytes.toString()));
  if (!success) throw new Error("the answer is not a list of prices");
  const entries = new Map(Object.entries(output.coins).map(([name, entry]) => [name.toLowerCase(), entry]));
  return new Map(
    coins.map((coin) => {
      const hours = new Map<number, HourPrice>();
      for (const { timestamp, price } of (entries.get(coin)?.prices ?? []).toSorted(
        (a, b) => a.timestamp - b.timestamp,
      )) {
        const hour = timestamp - (timestamp % HOUR_SECONDS);
        if (hour < start || hour >= end || !(price > 0 && Number.isFinite(price))) continue;
        hours.set(hour, { end: hour + HOUR_SECONDS, usd: price });
      }
      return [coin, [...hours.values()]];
    }),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("the answer is not JSON");
  }
}
