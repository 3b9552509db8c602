/** A token whose input grows from night to night, as files, and builds of it. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TaskSizes } from "../../../builder/build/plan/sizes.ts";
import { build } from "../../../builder/build/run/build.ts";
import type { BuildReport } from "../../../builder/build/run/build-report.ts";
import { Pool } from "../../../builder/build/threads/thread-pool.ts";
import { withDatabase } from "../../../builder/input/duckdb/database.ts";
import { type Progress, silentProgress } from "../../../builder/lib/terminal/progress.ts";
import type { ObjectStore } from "../../../builder/store/store.ts";
import { currentKey } from "../../../data-schema/stored/objects.ts";
import { type Manifest, parseManifest, unplaced } from "../../../data-schema/stored.ts";
import { newFolder } from "../../folders.ts";
import type { Token, Transfer } from "../../reference/reference.ts";

const CONTRACT = `0x${"70".repeat(20)}`;
const HEADER = "block_number,log_index,block_timestamp,from_address,to_address,value,token_address\n";

/** A folder with the files of a token. */
export class TokenFolder {
  readonly path = newFolder();
  readonly #keys: Record<string, unknown>;

  constructor(token: Token, symbol: string) {
    const { decimals, maxSupply } = token;
    this.labels(token);
    this.#keys = {
      symbol,
      name: symbol,
      chain: "ethereum",
      contract: CONTRACT,
      decimals,
      maxSupply,
      transfers: "transfers-*",
      prices: "prices.csv",
      exchanges: "exchanges.csv",
      contracts: "contracts.csv",
      ...(token.deposits && { deposits: "deposits.csv" }),
    };
  }

  /** Writes the labels of the addresses that are known by now, in lower case; of all when left out. */
  labels({ exchanges, deposits, contracts }: Token, known?: ReadonlySet<string>): void {
    const isKnown = (address: string) => known?.has(address.toLowerCase()) ?? true;
    const lines = (header: string, rows: string[]) => [header, ...rows].join("\n");
    const named = (names: Record<string, string>) => {
      const rows = Object.entries(names).filter(([address]) => isKnown(address));
      return lines(
        "address,exchange",
        rows.map((row) => row.join(",")),
      );
    };
    this.write("exchanges.csv", named(exchanges));
    if (deposits) this.write("deposits.csv", named(deposits));
    const listed = new Set(contracts.filter(isKnown).map((address) => address.toLowerCase()));
    this.write("contracts.csv", lines("address", [...listed]));
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.path, name), text);
  }

  remove(name: string): void {
    rmSync(join(this.path, name));
  }

  prices(prices: Token["prices"]): void {
    this.write("prices.csv", ["timestamp,price_usd", ...prices.map((row) => row.join(","))].join("\n"));
  }

  csv(name: string, transfers: readonly Transfer[]): void {
    this.write(name, HEADER + transfers.map(csvRow).join(""));
  }

  async parquet(name: string, transfers: readonly Transfer[]): Promise<void> {
    this.csv("rows.tmp", transfers);
    const types =
      "{'block_number': 'BIGINT', 'log_index': 'INTEGER', 'block_timestamp': 'BIGINT', 'from_address': 'VARCHAR', 'to_address': 'VARCHAR', 'value': 'VARCHAR', 'token_address': 'VARCHAR'}";
    await withDatabase(1, async (connection) => {
      const rows = `read_csv('${join(this.path, "rows.tmp")}', header = true, columns = ${types})`;
      await connection.run(`COPY (FROM ${rows}) TO '${join(this.path, name)}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`);
    });
    this.remove("rows.tmp");
  }

  asset(keys: Record<string, unknown> = {}): string {
    const path = join(this.path, "ASSET.json");
    writeFileSync(path, JSON.stringify({ ...this.#keys, ...keys }));
    return path;
  }

  close(): void {
    rmSync(this.path, { recursive: true });
  }
}

function csvRow({ block, logIndex, timestamp, from, to, value }: Transfer): string {
  return `${[block, logIndex, timestamp, from, to, value, CONTRACT].join(",")}\n`;
}

/** By number of threads: they take longer to start than to build what is here. */
const pools = new Map<number, Pool>();

export function runBuild(
  store: ObjectStore,
  asset: string,
  options: {
    threads?: number;
    pool?: Pool;
    full?: boolean;
    asOf?: number;
    progress?: Progress;
    sizes?: TaskSizes;
    /** Left out: yes, since the supplies of random tokens are of any size. */
    allowSupply?: boolean;
    /** Left out: yes, since random nights may end earlier, or lack transfers of the one before. */
    allowShorter?: boolean;
  } = {},
): Promise<BuildReport> {
  const threads = options.threads ?? options.pool?.most ?? 1;
  const pool = options.pool ?? pools.get(threads) ?? new Pool(threads);
  if (!options.pool) pools.set(threads, pool);
  return build(asset, store, {
    progress: silentProgress(),
    allowSupply: true,
    allowShorter: true,
    ...options,
    threads,
    pool,
  });
}

/** The active manifest, but for when and how it was built, and where its parts lie. */
export async function activeManifest(store: ObjectStore, symbol: string): Promise<Manifest> {
  const current = await store.get(currentKey(symbol));
  return { ...unplaced(parseManifest(new TextDecoder().decode(current!.bytes))), created: "", reason: "" };
}
