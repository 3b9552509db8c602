/** Archives of hourly prices, which are believed: how each is named is in builder/input/asset/source.ts. */

import type { ArchiveName, ArchiveValue, PriceSource } from "../../../input/asset/source.ts";
import type { HourPrice } from "../hourly.ts";
import { checkBinancePair, readBinancePrices } from "./binance.ts";
import { readDefiLlamaPrices } from "./defillama.ts";
import type { ArchiveHours } from "./download.ts";

interface Archive<Value> {
  /** @throws {Failure} what could be known only when prices are fetched would cost a whole fetch */
  check?(value: Value): void;
  /** @throws {Failure} the archive can't be read, or lacks the token */
  read(value: Value, token: { chainId: number; contract: string }, range: ArchiveHours): Promise<HourPrice[]>;
}

const ARCHIVES: { [Name in ArchiveName]: Archive<ArchiveValue<Name>> } = {
  binance: {
    check: checkBinancePair,
    read: (symbol, _, range) => readBinancePrices(symbol, range),
  },
  defillama: {
    read: (_, token, range) => readDefiLlamaPrices(token, range),
  },
};

const NAMES = Object.keys(ARCHIVES) as ArchiveName[];

/** The archive that a source names, with its value; undefined for other sources. */
export function archiveOf(source: PriceSource | undefined) {
  const name = typeof source === "object" ? NAMES.find((one) => one in source) : undefined;
  if (name === undefined) return undefined;
  const archive = ARCHIVES[name] as Archive<unknown>;
  const value = (source as Record<string, unknown>)[name];
  return {
    check: () => archive.check?.(value),
    read: (token: { chainId: number; contract: string }, range: ArchiveHours) => archive.read(value, token, range),
  };
}
