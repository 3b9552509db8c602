/** The member `source` of ASSET.json: where `soprano fetch` gets an asset's inputs. Source: docs/building.md#assetjson. */

import * as v from "valibot";
import { address, members, path, wholeNumberRule } from "./asset-rules.ts";
import { type StampedPrices, stampedPrices } from "./price-stamp.ts";

/** How a contract records its transfers: docs/chain.md#events. */
export const EVENT_KINDS = ["erc20", "weth9", "issue-redeem", "ds-token", "zeppelin-burn"] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** USD per unit of a pool's quote token: a constant, a Chainlink feed, or a pool against a stablecoin. */
export type QuoteUsd = number | { feed: string } | { pool: string };

const POOL_KINDS = ["uniswap-v2", "uniswap-v3", "pancakeswap-v3", "aerodrome", "slipstream"] as const;

export interface PricePool {
  /** Lower-case. */
  address: string;
  kind: (typeof POOL_KINDS)[number];
  quoteUsd: QuoteUsd;
}

/** Pools on the chain, a symbol of Binance's archive, DefiLlama, or the path of a CSV relative to ASSET.json. */
export type PriceSource = { pools: PricePool[] } | ArchiveSource | string | StampedPrices;

/** Whether prices come from files of the user's own: nothing fetches them. */
export const isOwnPrices = (prices: PriceSource): prices is string | StampedPrices =>
  typeof prices === "string" || "file" in prices;

export interface Source {
  chainId: number;
  firstBlock: number;
  /** The last block of a token that has ended, such as one that was destroyed: logs after it are not read. */
  lastBlock?: number;
  events: EventKind;
  /** Path of a CSV (`address`, `value` in raw units), relative to ASSET.json. */
  openingBalances?: string;
  /** The owners whose balance Issue and Redeem move, from which block on; ascending. */
  owners?: { fromBlock: number; address: string }[];
  prices?: PriceSource;
  labels: "default" | "none";
}

const block = wholeNumberRule(0, Number.MAX_SAFE_INTEGER);

const QUOTE_USD = 'must be a positive number of USD, {"feed": "0x…"} or {"pool": "0x…"}';

const quoteUsd = v.lazy((input): v.GenericSchema<unknown, QuoteUsd> => {
  if (has(input, "feed")) return members({ feed: address }, QUOTE_USD);
  if (has(input, "pool")) return members({ pool: address }, QUOTE_USD);
  return v.pipe(
    v.number(QUOTE_USD),
    v.check((usd) => usd > 0 && Number.isFinite(usd), QUOTE_USD),
  );
});

const POOLS = "must be a list of at least one pool";
const POOL_KIND = `must be ${POOL_KINDS.join(" or ")}`;
const pools = v.pipe(
  v.array(members({ address, kind: v.picklist(POOL_KINDS, POOL_KIND), quoteUsd }), POOLS),
  v.minLength(1, POOLS),
  v.check(
    (list) => new Set(list.map((pool) => pool.address)).size === list.length,
    "lists a pool twice; keep one of them",
  ),
);

const BINANCE = "must be a symbol of Binance such as HUMUSDT: 3 to 30 of A–Z and 0–9";

/**
 * Archives of prices: how each is named in ASSET.json (`written`, `value`) and to `init --prices` (`form`, `parse`). How they
 * are read is in builder/fetch/prices/archives/archives.ts.
 */
const ARCHIVES = {
  binance: {
    written: '"SYMBOL"',
    value: v.pipe(v.string(BINANCE), v.regex(/^[A-Z0-9]{3,30}$/, BINANCE)),
    form: "binance:SYMBOL",
    parse: (text: string) => /^binance:([A-Z0-9]{3,30})$/i.exec(text)?.[1]?.toUpperCase(),
  },
  defillama: {
    written: "true",
    value: v.literal(true, "must be true, or left out"),
    form: "defillama",
    parse: (text: string) => (text === "defillama" ? true : undefined),
  },
};
export type ArchiveName = keyof typeof ARCHIVES;
export type ArchiveValue<Name extends ArchiveName> = v.InferOutput<(typeof ARCHIVES)[Name]["value"]>;
export type ArchiveSource = { [Name in ArchiveName]: { [Key in Name]: ArchiveValue<Name> } }[ArchiveName];

/** What `init --prices` takes. */
export const PRICE_FORMS = [
  "pools",
  ...Object.values(ARCHIVES).map(({ form }) => form),
  "the path of a CSV, or none",
].join(", ");

/** The archive that a text of `init --prices` names; undefined for a text of another form. */
export function parseArchive(text: string): ArchiveSource | undefined {
  for (const [name, { parse }] of Object.entries(ARCHIVES)) {
    const value = parse(text);
    if (value !== undefined) return { [name]: value } as unknown as ArchiveSource;
  }
  return undefined;
}

const WRITTEN = Object.entries(ARCHIVES).map(([name, { written }]) => `{"${name}": ${written}}`);
const PRICES = `must be {"pools": […]}, ${WRITTEN.join(", ")}, {"file": "prices.csv"} or the path of a CSV`;

const prices = v.lazy((input): v.GenericSchema<unknown, PriceSource> => {
  if (has(input, "pools")) return members({ pools });
  for (const [name, { value }] of Object.entries(ARCHIVES)) {
    if (has(input, name)) return members({ [name]: value }) as unknown as v.GenericSchema<unknown, ArchiveSource>;
  }
  if (has(input, "file")) return stampedPrices;
  return path(PRICES);
});

const OWNERS = "must be a list of at least one owner, as {fromBlock, address}, with ascending blocks";
const owners = v.pipe(
  v.array(members({ fromBlock: block, address }), OWNERS),
  v.minLength(1, OWNERS),
  v.check((list) => list.every(({ fromBlock }, i) => i === 0 || fromBlock > list[i - 1]!.fromBlock), OWNERS),
);

const EVENTS = `must be ${EVENT_KINDS.join(", ")}`;

/** A member `source` as written. */
export const sourceSchema = v.pipe(
  members({
    chainId: wholeNumberRule(1, Number.MAX_SAFE_INTEGER),
    firstBlock: block,
    lastBlock: v.optional(block),
    events: v.picklist(EVENT_KINDS, EVENTS),
    openingBalances: v.optional(path("must be the path of a CSV with the columns address and value")),
    owners: v.optional(owners),
    prices: v.optional(prices),
    labels: v.optional(v.picklist(["default", "none"], 'must be "default" or "none"'), "default"),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { events, owners } = dataset.value;
    const { firstBlock, lastBlock } = dataset.value;
    if (lastBlock !== undefined && lastBlock < firstBlock)
      addIssue({ message: 'has a "lastBlock" before "firstBlock"' });
    if (events === "issue-redeem" && !owners) {
      addIssue({ message: 'needs "owners" with the events issue-redeem: Issue and Redeem name no owner' });
    } else if (events !== "issue-redeem" && owners) {
      addIssue({ message: `must not have "owners" with the events ${events}: only Issue and Redeem need them` });
    }
  }),
);

function has(input: unknown, key: string): boolean {
  return typeof input === "object" && input !== null && Object.hasOwn(input, key);
}
