/** ASSET.json: the asset's parameters and the paths of its input files. Source: docs/building.md#assetjson. */

import { readFile, stat } from "node:fs/promises";
import * as v from "valibot";
import { MAX_CHAIN, MAX_DECIMALS, MAX_NAME, MAX_SUPPLY_PATTERN, SYMBOL_PATTERN } from "../../../data-schema/asset.ts";
import {
  type ContractKind,
  isKind,
  isLotMethod,
  KIND_NAMES,
  LOT_METHODS,
  type LotMethod,
  MAX_OWN_COHORTS,
  OWN_NAME_PATTERN,
  V1_RESOLUTIONS,
  type V1Resolution,
} from "../../../data-schema/registry.ts";
import { type Checked, FRESHNESS, type Freshness, type PricesProven } from "../../../data-schema/stored.ts";
import { Failure } from "../../lib/failure.ts";
import { foreignText } from "../../lib/foreign-text.ts";
import { parseTime } from "../cells/time.ts";
import { shippedKinds } from "../labels/shipped-kinds.ts";
import { address, line, members, path, paths, pathText, problemOf, wholeNumberRule } from "./asset-rules.ts";
import { mergedDecimals, type Predecessor, predecessorsSchema } from "./predecessors.ts";
import { type OwnPrices, type PriceStamp, pricesOf, stampedPrices } from "./price-stamp.ts";
import { isOwnPrices, type Source, sourceSchema } from "./source.ts";

/** A valid ASSET.json. Paths and globs are as written, or the defaults of `source`, relative to its folder. */
export interface AssetFile {
  path: string;
  symbol: string;
  /** Symbols that it had before. */
  was?: string[];
  name: string;
  chain: string;
  /** 0x and 40 lower-case hexadecimal digits. */
  contract: string;
  /** With predecessors, those of the merged history. */
  decimals: number;
  /** The contract's own, where those of the merged history are more. */
  ownDecimals?: number;
  /** Whole tokens, as `MAX_SUPPLY_PATTERN` allows. */
  maxSupply: string;
  /** Unix seconds. */
  asOf?: number;
  source?: Source;
  transfers: string[];
  /** The contracts that the token had before, the oldest first. */
  predecessors?: Predecessor[];
  /** What the columns of transfers are, where the files don't tell. `contract`: the name of that of contracts; null if there is none. */
  columns?: { contract: string | null };
  /** Block times, for transfers without their own. */
  blocks?: string[];
  prices?: string[];
  /** What the times of prices are; absent if ASSET.json does not say. */
  priceStamp?: PriceStamp;
  exchanges?: string[];
  /** Exchange labels that ship with Soprano, as `soprano fetch` has placed them; `exchanges` wins over them. */
  labels?: string[];
  /** Their version. */
  labelsVersion?: string;
  contracts?: string[];
  /** Deposit addresses of exchanges: a file of the user's, or the table that builds keep. */
  deposits?: string[];
  /** Whether builds compute that table; absent where it is the user's own, or there is none. */
  detectsDeposits?: true;
  cohorts?: CohortList[];
  /** Events: unlocks, listings, upgrades. */
  calendar?: string[];
  /** In the order of `V1_RESOLUTIONS`; always includes `day`. Weeks and months are always built, and not listed. */
  resolutions: V1Resolution[];
  /** The methods of which lots are kept, in the order of `LOT_METHODS`; absent without. */
  lots?: LotMethod[];
  /** What the last fetch compared with the chain, if it did. */
  checked?: Checked;
  /** What the prices of pools were proven by, if they were. */
  priceProof?: PricesProven;
  /** Files of transfers that a fetch has repaired, relative to the folder of the inputs. */
  repaired?: string[];
  /** How fresh the data should be. */
  freshness?: Freshness;
  /** SHA-256 in hex of the transfers that were fetched, by their names as of `InputFile`. */
  digests?: ReadonlyMap<string, string>;
}

/** Where the addresses of an own cohort are listed. */
export interface CohortList {
  name: string;
  /** Where the list of addresses is; with a `kind`, the table of all kinds. */
  path: string;
  /** The kind whose rows count: ASSET.json says "shipped". */
  kind?: ContractKind;
  /** What a file that ships with Soprano is called, wherever it lies; absent for the others. */
  shippedAs?: string;
  /** Set if its list is the table of deposit addresses. */
  isDeposits?: true;
}

const MAX_COLUMN = 200;
const COLUMN = "must be the name of the column of contracts, or null if all rows are transfers of the asset";
const MAX_SUPPLY = 'must be a positive decimal number of whole tokens, for instance "21000000"';
const AS_OF = "must be a time in Unix seconds or ISO 8601, for instance 2024-01-01T00:00:00Z";
const SYMBOL = "must be 1 to 20 of A–Z, 0–9, “.”, “_”, “-”, beginning with a letter or digit";
const TEXT = "must be a non-empty string";

/** Each costs a build two reads of the store. */
const MOST_FORMER = 10;
const WAS = `must be a list of 1 to ${MOST_FORMER} symbols that the asset had before, such as ["DOG"]`;
/** The cohort of the table of deposit addresses, where ASSET.json has it as `SHIPPED`. */
export const DEPOSIT_COHORT = "deposits";

/** In place of a path: the list of that kind that ships with Soprano. */
export const SHIPPED = "shipped";

const COHORTS = `must be an object of at most ${MAX_OWN_COHORTS} lists: a path, or "${SHIPPED}", by the name of its cohort, which has 1 to 32 of a–z, 0–9, “_”, “-”`;
const DEPOSITS = 'must be "detect", "none" or the path of a file with the columns address and exchange';
const SOME_RESOLUTIONS = `must list ${V1_RESOLUTIONS.join(", ")}, each at most once, and include day`;
const SOME_METHODS = `must list some of ${LOT_METHODS.join(", ")}, each at most once`;

const FRESHNESS_RULE = `must be ${FRESHNESS.map((name) => JSON.stringify(name)).join(" or ")}`;

const symbolRule = (message: string) => v.pipe(v.string(message), v.regex(SYMBOL_PATTERN, message));

const keys = {
  symbol: symbolRule(SYMBOL),
  was: v.optional(v.pipe(v.array(symbolRule(WAS), WAS), v.minLength(1, WAS), v.maxLength(MOST_FORMER, WAS))),
  name: line(MAX_NAME, TEXT),
  chain: line(MAX_CHAIN, TEXT),
  contract: address,
  decimals: wholeNumberRule(0, MAX_DECIMALS),
  // JSON numbers are doubles: above 2^53 − 1 the parsed number may differ from the written one.
  maxSupply: v.pipe(
    v.union(
      [v.string(MAX_SUPPLY), v.pipe(v.number(MAX_SUPPLY), v.safeInteger(`${MAX_SUPPLY}, in quotes`))],
      MAX_SUPPLY,
    ),
    v.transform(String),
    v.regex(MAX_SUPPLY_PATTERN, MAX_SUPPLY),
  ),
  asOf: v.optional(
    v.pipe(
      v.union([v.string(AS_OF), v.number(AS_OF)], AS_OF),
      v.transform((input) => parseTime(String(input))),
      v.number(AS_OF),
      v.check((asOf) => asOf <= Date.now() / 1000, "must not be in the future"),
    ),
  ),
  source: v.optional(sourceSchema),
  transfers: v.optional(paths),
  predecessors: v.optional(predecessorsSchema),
  columns: v.optional(members({ contract: v.nullable(line(MAX_COLUMN, COLUMN)) })),
  blocks: v.optional(paths),
  prices: v.optional(v.lazy((input) => (isObject(input) ? stampedPrices : paths))),
  exchanges: v.optional(paths),
  contracts: v.optional(paths),
  deposits: v.optional(path(DEPOSITS)),
  cohorts: v.optional(
    v.pipe(
      v.custom<Record<string, string>>(isCohorts, COHORTS),
      v.transform((lists) => Object.entries(lists)),
    ),
  ),
  calendar: v.optional(paths),
  freshness: v.optional(v.picklist(FRESHNESS, FRESHNESS_RULE)),
  resolutions: v.optional(
    v.pipe(
      v.custom<V1Resolution[]>(isListOfResolutions, SOME_RESOLUTIONS),
      v.transform((list) => V1_RESOLUTIONS.filter((resolution) => list.includes(resolution))),
    ),
    [...V1_RESOLUTIONS],
  ),
  lots: v.optional(
    v.pipe(
      v.custom<LotMethod[]>(isListOfMethods, SOME_METHODS),
      // None are as if the key were absent.
      v.transform((list) => (list.length === 0 ? undefined : LOT_METHODS.filter((method) => list.includes(method)))),
    ),
  ),
};

const schema = members(keys);

/**
 * Reads and checks an ASSET.json.
 *
 * @param asOf overrides the file's `asOf`, Unix seconds
 * @throws {Failure} names the file as given, the key, and what it must be
 */
export async function readAsset(path: string, asOf?: number): Promise<AssetFile> {
  const source = await readText(path);
  const json = parseJson(path, source);
  if (!isObject(json)) throw new Failure(`${path}: must be a JSON object.`);
  const repeated = repeatedKey(source);
  if (repeated !== undefined) throw new Failure(`${path}: key ${JSON.stringify(repeated)} appears twice; keep one.`);
  const result = v.safeParse(schema, json);
  if (!result.success) throw new Failure(`${path}: ${problemOf(result.issues[0])}.`);
  const { output } = result;
  const { symbol, was = [] } = output;
  const repeatedSymbol = [symbol, ...was].find((one, index, all) => all.indexOf(one) < index);
  if (repeatedSymbol !== undefined) {
    throw new Failure(
      `${path}: "was" names ${repeatedSymbol}, which ${repeatedSymbol === symbol ? "is the symbol" : "is there twice"}; leave it out.`,
    );
  }
  const transfers = output.transfers ?? (output.source && [fetchedTransfers(output.symbol)]);
  if (!transfers) throw new Failure(`${path}: key "transfers" is missing; add it.`);
  const fetched = output.source && fetchedInputs(output.symbol, output.source as Source);
  // Optional keys that are not set stay absent instead of undefined.
  const given = Object.entries({ ...output, ...(asOf !== undefined && { asOf }) }).filter(
    ([, value]) => value !== undefined,
  );
  const { prices, deposits, cohorts, ...rest } = {
    path,
    ...fetched,
    transfers,
    ...Object.fromEntries(given),
  } as GivenAsset;
  const asset = { ...rest, ...depositsOf(rest, deposits), ...mergedUnits(rest) };
  return {
    ...asset,
    ...(prices && pricesOf(prices)),
    ...(cohorts && { cohorts: cohorts.map(([name, path]) => cohortList(asset, name, path)) }),
  };
}

/** The decimals of an asset with predecessors. @throws {Failure} two of its contracts are one */
function mergedUnits({
  path,
  contract,
  decimals,
  predecessors = [],
}: Omit<GivenAsset, "prices">): Pick<AssetFile, "decimals" | "ownDecimals"> {
  const contracts = [...predecessors.map((predecessor) => predecessor.contract), contract];
  const repeated = contracts.find((one, at) => contracts.indexOf(one) < at);
  if (repeated !== undefined) {
    throw new Failure(
      `${path}: ${repeated} is there twice, as "contract" and in "predecessors": the token had other contracts before; keep one.`,
    );
  }
  const merged = mergedDecimals(path, predecessors, decimals);
  return { decimals: merged, ...(merged !== decimals && { ownDecimals: decimals }) };
}

/** The decimals that the contract itself says. */
export const contractDecimals = ({ decimals, ownDecimals = decimals }: Pick<AssetFile, "decimals" | "ownDecimals">) =>
  ownDecimals;

/** ASSET.json as the file has it: prices may have a stamp, and lists may be shipped. */
type GivenAsset = Omit<AssetFile, "prices" | "priceStamp" | "deposits" | "cohorts"> & {
  prices?: OwnPrices;
  deposits?: string;
  cohorts?: [name: string, path: string][];
};

/**
 * The list of an own cohort. A shipped one is read as `soprano fetch` has placed it; without a source, as it ships.
 *
 * @throws {Failure} no list of that name ships
 */
function cohortList(
  asset: Pick<AssetFile, "path" | "symbol" | "chain" | "source" | "deposits">,
  name: string,
  path: string,
): CohortList {
  if (path !== SHIPPED) return { name, path };
  if (name === DEPOSIT_COHORT) {
    const [table] = asset.deposits ?? [];
    if (table !== undefined) return { name, path: table, isDeposits: true };
    throw new Failure(
      `${asset.path}: "cohorts.${name}" is "${SHIPPED}", but the asset has no deposit addresses: add "deposits": "detect".`,
    );
  }
  if (!isKind(name)) {
    throw new Failure(
      `${asset.path}: "cohorts.${name}" is "${SHIPPED}", but no list of that name ships with Soprano; those that do are ` +
        `${KIND_NAMES.join(", ")}. Correct the name, or give the path of a list.`,
    );
  }
  if (asset.source) return { name, path: placedKinds(asset.symbol), kind: name };
  const shipped = shippedKinds(asset.chain);
  return { name, path: shipped.path, kind: name, shippedAs: shipped.name };
}

/** The table of kinds that `soprano fetch` has placed, relative to ASSET.json. */
const placedKinds = (symbol: string) => `inputs/${symbol}/kinds.csv`;

/** What the key `deposits` stands for. */
function depositsOf(
  asset: Pick<AssetFile, "symbol" | "source">,
  deposits = "none",
): Pick<AssetFile, "deposits" | "detectsDeposits"> {
  if (deposits === "none") return {};
  return deposits === "detect" ? { deposits: [keptDeposits(asset)], detectsDeposits: true } : { deposits: [deposits] };
}

/** Where builds keep the table of deposit addresses, relative to ASSET.json. */
export const keptDeposits = ({ symbol, source }: Pick<AssetFile, "symbol" | "source">): string =>
  source ? `inputs/${symbol}/deposits.csv` : `${symbol}.deposits.csv`;

/** Where prices are corrected, relative to ASSET.json. */
export const keptCorrections = ({ symbol, source }: Pick<AssetFile, "symbol" | "source">): string =>
  source ? `inputs/${symbol}/corrections.csv` : `${symbol}.corrections.csv`;

/** Glob of the transfers that `soprano fetch` brings, relative to ASSET.json. */
export const fetchedTransfers = (symbol: string) => `inputs/${symbol}/transfers/*.parquet`;

/** The other inputs of an asset with a source, relative to ASSET.json. Source: docs/building.md#assetjson. */
function fetchedInputs(symbol: string, { prices, labels }: Source): Partial<GivenAsset> {
  const folder = `inputs/${symbol}`;
  return {
    ...(prices !== undefined && { prices: isOwnPrices(prices) ? prices : [`${folder}/prices.csv`] }),
    ...(labels === "default" && { labels: [`${folder}/exchanges.csv`] }),
    contracts: [`${folder}/contracts.csv`],
  };
}

/** Far more than an ASSET.json needs: whatever is larger is the wrong file. */
const MAX_BYTES = 1_000_000;

async function readText(path: string): Promise<string> {
  try {
    const found = await stat(path);
    if (found.isCharacterDevice() || found.isBlockDevice() || found.size > MAX_BYTES) {
      throw new Failure(`${path} is a device, or too large for an ASSET.json; pass the path of one.`);
    }
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Failure) throw error;
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const reasons: Record<string, string> = {
      ENOENT: "does not exist",
      EISDIR: "is a folder; pass the ASSET.json in it",
      EACCES: "can't be read by this user; change its permissions",
      ELOOP: "is a symbolic link that leads back to itself; replace it with the file",
      ENAMETOOLONG: "is longer than a path can be; pass the path of an ASSET.json",
    };
    throw new Failure(`${path} ${reasons[String(code)] ?? `can't be read (${String(code)})`}.`);
  }
}

function parseJson(path: string, source: string): unknown {
  try {
    return JSON.parse(source.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new Failure(`${path} is not valid JSON: ${foreignText((error as Error).message)}.`);
  }
}

/** Path of the first repeated key; JSON.parse would silently take the last one. */
function repeatedKey(source: string): string | undefined {
  /** The objects and lists around a token: the keys of an object so far, and what of it the token belongs to. */
  const around: { keys?: Set<string>; at: string | number }[] = [];
  for (const [token, text, colon] of source.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\],]/g)) {
    const inner = around.at(-1);
    if (token === "{") around.push({ keys: new Set(), at: "" });
    else if (token === "[") around.push({ at: 0 });
    else if (token === "}" || token === "]") around.pop();
    else if (token === ",") {
      if (inner && typeof inner.at === "number") inner.at++;
    } else if (colon !== undefined && inner?.keys) {
      inner.at = JSON.parse(text!) as string;
      if (inner.keys.has(inner.at)) return pathText(around.map(({ at }) => at));
      inner.keys.add(inner.at);
    }
  }
  return undefined;
}

function isListOfResolutions(list: unknown): boolean {
  const isList = Array.isArray(list) && new Set(list).size === list.length && list.includes("day");
  return isList && list.every((name) => V1_RESOLUTIONS.includes(name));
}

function isListOfMethods(list: unknown): boolean {
  return Array.isArray(list) && new Set(list).size === list.length && list.every((name) => isLotMethod(name));
}

function isCohorts(lists: unknown): boolean {
  if (!isObject(lists)) return false;
  const entries = Object.entries(lists);
  const isValid = ([name, file]: [string, unknown]) =>
    OWN_NAME_PATTERN.test(name) && v.safeParse(path(COHORTS), file).success;
  return entries.length <= MAX_OWN_COHORTS && entries.every(isValid);
}

function isObject(json: unknown): json is object {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
