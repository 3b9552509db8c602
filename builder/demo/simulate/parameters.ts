/** The options of a simulation, their defaults and limits. */

import { SYMBOL_PATTERN } from "../../../data-schema/asset.ts";
import { BUCKET_SECONDS } from "../../../data-schema/registry.ts";
import { Failure } from "../../lib/failure.ts";

export interface SimulationOptions {
  /** The folder to write; created if it doesn't exist. */
  out: string;
  /** A whole number in [0, 2^53). */
  seed: number;
  /** Exact number of transfer events, mints and burns included. */
  transfers: number;
  /** Length of the history; three years by default. */
  days?: number;
  /** Exact number of addresses without the zero address; by default a tenth of the number of transfers. */
  addresses?: number;
  symbol?: string;
  name?: string;
  /** Unix seconds of the UTC midnight at which the history ends; by default the start of 2026. */
  asOf?: number;
  /** Whether each file of transfers is of one month, as those of `soprano fetch`; a long month has several. */
  monthly?: boolean;
  /** Called from time to time, and at the end. */
  onProgress?: (transfersDone: number) => void;
}

/** The options that determine the simulated token, complete and checked. */
export type TokenParameters = Required<Omit<SimulationOptions, "out" | "monthly" | "onProgress">>;

export const MIN_TRANSFERS = 1_000;
export const MAX_TRANSFERS = 1_000_000_000;
/** Enough for the institutions, the first investors and some users. */
const MIN_ADDRESSES = 200;
/** Newcomers must be few enough to arrive by ordinary transfers. */
const MAX_ADDRESSES_PER_TRANSFER = 1 / 4;
/**
 * The shortest history with hours of every market regime, and the longest that doesn't begin before block 0: blocks are
 * twelve seconds apart.
 */
export const MIN_DAYS = 30;
export const MAX_DAYS = 3_300;

const DEFAULT_DAYS = 1_095;
const DEFAULT_ADDRESSES_PER_TRANSFER = 1 / 10;
const DEFAULT_AS_OF = Date.UTC(2026, 0, 1) / 1000;

/** @throws {Failure} an option is out of range */
export function parametersOf(options: SimulationOptions): TokenParameters {
  const {
    seed,
    transfers,
    days = DEFAULT_DAYS,
    symbol = "SIM",
    name = "Simulated token",
    asOf = DEFAULT_AS_OF,
  } = options;
  const { addresses = Math.max(MIN_ADDRESSES, Math.round(transfers * DEFAULT_ADDRESSES_PER_TRANSFER)) } = options;
  requireWhole("seed", seed, 0, Number.MAX_SAFE_INTEGER);
  requireWhole("number of transfers", transfers, MIN_TRANSFERS, MAX_TRANSFERS);
  requireWhole("number of days", days, MIN_DAYS, MAX_DAYS);
  requireWhole("number of addresses", addresses, MIN_ADDRESSES, Math.floor(transfers * MAX_ADDRESSES_PER_TRANSFER));
  if (!SYMBOL_PATTERN.test(symbol)) {
    throw new Failure(
      `The symbol is "${symbol}"; it must be 1 to 20 of A–Z, 0–9, ".", "_" and "-", beginning with a letter or digit`,
    );
  }
  if (asOf % BUCKET_SECONDS.day !== 0 || asOf < days * BUCKET_SECONDS.day) {
    throw new Failure(`The history ends at ${asOf}; it must end at a UTC midnight at least ${days} days after 1970`);
  }
  return { seed, transfers, days, addresses, symbol, name, asOf };
}

function requireWhole(what: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new Failure(`The ${what} is ${value}; it must be a whole number from ${least} to ${most}`);
}

/** Unix seconds of the midnight at which the history starts. */
export function startOf({ asOf, days }: TokenParameters): number {
  return asOf - days * BUCKET_SECONDS.day;
}
