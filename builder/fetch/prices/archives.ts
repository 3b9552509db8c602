/** Archives of hourly prices, which are believed: what ASSET.json says of each is in builder/input/source.ts. */

import type { ArchiveName, ArchiveSource, ArchiveValue, PriceSource } from "../../input/source.ts";
import { checkBinancePair, readBinancePrices } from "./binance.ts";
import { readDefiLlamaPrices } from "./defillama.ts";
import type { PriceRange } from "./download.ts";
import type { HourPrice } from "./hourly.ts";

interface Archive<Value> {
  /** The value that a text of `init --prices` has; undefined for one of another form. */
  parse(text: string): Value | undefined;
  /** @throws {Failure} what could be known only when prices are fetched would cost a whole fetch */
  check?(value: Value): void;
  /** @throws {Failure} the archive can't be read, or lacks the token */
  read(value: Value, token: { chainId: number; contract: string }, range: PriceRange): Promise<HourPrice[]>;
}

const ARCHIVES: { [Name in ArchiveName]: Archive<ArchiveValue<Name>> } = {
  binance: {
    parse: (text) => /^binance:([A-Z0-9]{3,30})$/i.exec(text)?.[1]?.toUpperCase(),
    check: checkBinancePair,
    read: (symbol, _, range) => readBinancePrices(symbol, range),
  },
  defillama: {
    parse: (text) => (text === "defillama" ? true : undefined),
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
    read: (token: { chainId: number; contract: string }, range: PriceRange) => archive.read(value, token, range),
  };
}

/**
 * The source that a text of `init --prices` names.
 *
 * @throws {Failure} as `check`
 */
export function parseArchive(text: string): ArchiveSource | undefined {
  for (const name of NAMES) {
    const value = ARCHIVES[name].parse(text);
    if (value === undefined) continue;
    const source = { [name]: value } as unknown as ArchiveSource;
    archiveOf(source)?.check();
    return source;
  }
  return undefined;
}
