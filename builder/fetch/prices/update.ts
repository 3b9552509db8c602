/**
 * Hourly prices in USD: `inputs/<SYMBOL>/prices.csv`, which grows by the hours that are complete and final. A row has the
 * time of its hour's end, so that no price is known before its time. Source: docs/chain.md#prices.
 */

import { createHash } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Block } from "../../chain/blocks.ts";
import type { Nodes } from "../../chain/nodes.ts";
import type { LogSource } from "../../chain/pages.ts";
import type { FetchedPrices } from "../../input/fetched.ts";
import type { PricePool, PriceSource } from "../../input/source.ts";
import { syncFolder, writeDurably, writeFailure } from "../durable.ts";
import { readBinancePrices } from "./binance.ts";
import { readDefiLlamaPrices } from "./defillama.ts";
import type { HourlyNotices, HourPrice } from "./hourly.ts";
import { appendPrices, floorHour, readPriceFile } from "./price-file.ts";
import { readPoolPrices } from "./read-pools.ts";
import { resolvePools } from "./venues.ts";

export interface PriceWork {
  nodes: Nodes;
  logs: LogSource;
  /** The member `source.prices` of ASSET.json; a path needs no update. */
  source: PriceSource;
  contract: string;
  decimals: number;
  /** `inputs/<SYMBOL>`. The journal is below its `.part/prices`. */
  folder: string;
  /** The asset's first block, and the last block before `asOf`. */
  first: Block;
  last: Block;
  /** End of the last final day, Unix seconds: hours that end after it are left for another night. */
  asOf: number;
  /** What the last update returned, from fetch.json. */
  previous?: FetchedPrices | undefined;
  signal?: AbortSignal | undefined;
  onNotice?(text: string): void;
  onProgress?(done: number, total: number): void;
}

export interface UpdatedPrices {
  /** Rows that are new, and the time of the last row of all, Unix seconds. */
  rows: number;
  last: number | undefined;
  /** For fetch.json. */
  done: FetchedPrices;
  /** Renames `.part/prices.csv` to `prices.csv`, and removes the journal. Until then nothing has changed. */
  commit(): Promise<void>;
}

export const PRICES_NAME = "prices.csv";

/**
 * Adds the hours since the last update.
 *
 * @returns undefined where the source is a CSV of the user's own
 * @throws {Failure} the source can't be read, or prices.csv was changed
 */
export async function updatePrices(work: PriceWork): Promise<UpdatedPrices | undefined> {
  const { source, folder, asOf, previous } = work;
  if (typeof source === "string") return undefined;
  const path = join(folder, PRICES_NAME);
  const before = await readPriceFile(path);
  const digest = createHash("sha256").update(JSON.stringify(source)).digest("hex").slice(0, 16);
  // Hours without a price are looked at again if the source is another one now, or if the file was lost.
  const isContinued = "pools" in source && previous?.source === digest && before.rows >= previous.rows;
  const start = Math.max(
    floorHour(work.first.time),
    before.last ?? 0,
    isContinued ? floorHour(Date.parse(previous.until) / 1000) : 0,
  );
  const end = floorHour(asOf);
  const hours = start < end ? await readHours(work, source, start, end) : [];
  const after = appendPrices(before, hours);

  const [part, journal] = [join(folder, ".part", PRICES_NAME), journalOf(folder)];
  if (after.rows > before.rows) {
    await mkdir(join(folder, ".part"), { recursive: true }).catch((error) => {
      throw writeFailure(part, error);
    });
    await writeDurably(part, after.text);
  }
  return {
    rows: after.rows - before.rows,
    last: after.last,
    done: { until: new Date(Math.max(start, end) * 1000).toISOString(), source: digest, rows: after.rows },
    async commit() {
      if (after.rows > before.rows) {
        try {
          await rename(part, path);
          await syncFolder(folder);
        } catch (error) {
          throw writeFailure(path, error);
        }
      }
      await rm(journal, { recursive: true, force: true });
    },
  };
}

const journalOf = (folder: string) => join(folder, ".part", "prices");

/** The hours of [start, end) that have a price, ascending. */
async function readHours(
  work: PriceWork,
  source: Exclude<PriceSource, string>,
  start: number,
  end: number,
): Promise<HourPrice[]> {
  const { nodes, contract, signal, onProgress } = work;
  const range = { start, end, signal, onProgress };
  if ("binance" in source) return readBinancePrices(source.binance, range);
  if ("defillama" in source) return readDefiLlamaPrices({ chainId: nodes.chainId, contract }, range);
  const { hours, notices } = await pricesOfPools(work, source.pools, start, end);
  for (const text of noticesOf(notices)) work.onNotice?.(text);
  return hours;
}

async function pricesOfPools(work: PriceWork, pools: readonly PricePool[], start: number, end: number) {
  const { nodes, logs, contract, decimals, folder, last, onProgress } = work;
  const resolved = await resolvePools(nodes, { contract, decimals }, pools);
  const progress = onProgress && { onProgress };
  return readPoolPrices({ nodes, logs, pools: resolved, folder: journalOf(folder), start, end, last, ...progress });
}

function* noticesOf({ outliers, late }: HourlyNotices): Generator<string> {
  if (outliers > 0) yield `Prices: outliers were left out of ${outliers} hours.`;
  for (const [feed, hours] of late) {
    yield `Prices: ${hours} hours use an answer of the feed ${feed} that was older than 25 hours.`;
  }
}
