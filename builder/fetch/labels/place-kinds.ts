/**
 * Copies this chain's shipped kinds of contracts to an asset's inputs, once, with the pools that trade its token.
 * Source: docs/contract-kinds.md#versions.
 */

import { join } from "node:path";
import type { PriceSource } from "../../input/asset/source.ts";
import { TABLES } from "../../input/fetched/fetched.ts";
import { formatKinds, inKindOrder, type KindRow, readKinds, shippedKinds } from "../../input/labels/shipped-kinds.ts";
import { Failure } from "../../lib/failure.ts";
import { counted } from "../../lib/terminal/amount-text.ts";
import type { Nodes } from "../chain/nodes/nodes.ts";
import { factoryPools, type TokenPool } from "../prices/find-pools.ts";

export interface PlaceKindsOptions {
  nodes: Nodes;
  /** `inputs/<SYMBOL>`. */
  folder: string;
  contract: string;
  chainId: number;
  /** The `prices` of ASSET.json's `source`: pools that it names are the token's, too. */
  prices: PriceSource | undefined;
  /** The version in fetch.json; undefined before the table was placed. */
  placed: string | undefined;
  /** Replaces a table of an earlier version: `--recheck kinds`, or `labels`. */
  recheck: boolean;
  /** The last day of the fetch, such as `2026-11-20`: as of when the pools are known. */
  day: string;
}

export interface PlacedKinds {
  /** For fetch.json. */
  version: string;
  /** Sentences for the user. */
  notices: string[];
  /** The whole file as it has to be; undefined if it stays as it is. */
  csv: string | undefined;
}

/** @throws {Failure} as the nodes */
export async function placeKinds(options: PlaceKindsOptions): Promise<PlacedKinds> {
  const { nodes, folder, contract, chainId, prices, placed, recheck, day } = options;
  if (placed !== undefined && !recheck) return { version: placed, notices: [], csv: undefined };
  const { version, path } = shippedKinds(chainId);
  const shipped = await readKinds(path);
  const pools = [...(await factoryPools(nodes, contract)), ...pricePools(prices)];
  const rows = withPools(shipped, pools, day);
  const notices = [
    ...(shipped.length === 0 ? [`Soprano ships no kinds of contracts for chain ${chainId}.`] : []),
    ...(placed === undefined ? [] : [changeNotice(placed, version, await readBefore(folder), rows)]),
  ];
  return { version, notices, csv: formatKinds(rows) };
}

/** The pools that ASSET.json prices the token by. */
const pricePools = (prices: PriceSource | undefined): TokenPool[] =>
  typeof prices === "object" && "pools" in prices ? prices.pools : [];

/** A chain's table with the pools of a token, which are exchanges of it. */
export function withPools(shipped: readonly KindRow[], pools: readonly TokenPool[], day: string): KindRow[] {
  const listed = new Set(shipped.flatMap(({ kind, address }) => (kind === "dex" ? [address] : [])));
  const own: KindRow[] = [];
  for (const { address, kind, quote } of pools) {
    if (listed.has(address)) continue;
    listed.add(address);
    const name = `${kind} pool of the token${quote === undefined ? "" : ` against ${quote}`}`;
    own.push({ address, kind: "dex", name, source: quote === undefined ? "asset" : "factory", date: day });
  }
  return [...shipped, ...own].sort(inKindOrder);
}

/** What was there; nothing if it can't be read, since it is replaced. */
async function readBefore(folder: string): Promise<KindRow[]> {
  try {
    return await readKinds(join(folder, TABLES.kinds));
  } catch (error) {
    if (error instanceof Failure || (error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function changeNotice(placed: string, version: string, before: readonly KindRow[], now: readonly KindRow[]): string {
  const keyOf = ({ address, kind }: KindRow) => `${address} ${kind}`;
  const [was, is] = [new Set(before.map(keyOf)), new Set(now.map(keyOf))];
  const onlyIn = (one: ReadonlySet<string>, other: ReadonlySet<string>) =>
    [...one].filter((key) => !other.has(key)).length;
  const [gone, come] = [onlyIn(was, is), onlyIn(is, was)];
  if (gone + come === 0) return `The kinds of contracts have not changed since ${placed}.`;
  return (
    `Kinds of contracts ${version} replace ${placed}: ${counted(come, "address")} new, ${gone} gone. ` +
    "The next build replays the cohorts that have changed."
  );
}
