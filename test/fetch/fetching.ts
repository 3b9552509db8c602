/** An asset to fetch from a made-up chain, in a folder of its own. */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { streamTransfers } from "../../builder/fetch/transfers/transfer-file.ts";
import { type Fetched, transferFiles } from "../../builder/input/fetched/fetched.ts";
import { type Outcome, sopranoIn } from "../commands/soprano.ts";
import type { Row } from "./chain/fake-chain.ts";
import { rowsOf } from "./logs.ts";

export class FetchFolder {
  readonly path = mkdtempSync(join(tmpdir(), "soprano-fetch-"));
  readonly inputs = join(this.path, "inputs", "FAKE");
  readonly asset = join(this.path, "FAKE.json");
  readonly #keys: Record<string, unknown>;
  readonly #source: Record<string, unknown>;

  /** @param source changes or, undefined, removes members of `source` */
  constructor(contract: string, source: Record<string, unknown> = {}, keys: Record<string, unknown> = {}) {
    onTestFinished(() => rmSync(this.path, { recursive: true, force: true }));
    const asset = { symbol: "FAKE", name: "Fake", chain: "ethereum", contract, decimals: 18, maxSupply: "10000000000" };
    const defaults = { chainId: 1, firstBlock: 100, events: "erc20", labels: "none" };
    this.#keys = { ...asset, ...keys };
    this.#source = { ...defaults, ...source };
    this.change({});
  }

  /** Changes or, undefined, removes members of `source`. */
  change(source: Record<string, unknown>): void {
    writeFileSync(this.asset, JSON.stringify({ source: { ...this.#source, ...source }, ...this.#keys }));
  }

  /** Runs `soprano fetch`. */
  fetch(urls: readonly string[], ...args: string[]): Promise<Outcome> {
    return sopranoIn({ SOPRANO_RPC_URL: urls.join(" ") }, "fetch", this.asset, ...args);
  }

  /** Names and bytes of the files of transfers, and of those beside them. */
  files(): Record<string, Buffer> {
    const folder = join(this.inputs, "transfers");
    const names = existsSync(folder) ? readdirSync(folder).sort() : [];
    return Object.fromEntries(names.map((name) => [name, readFileSync(join(this.inputs, "transfers", name))]));
  }

  get record(): Fetched {
    return JSON.parse(readFileSync(join(this.inputs, "fetch.json"), "utf8"));
  }

  get hasRecord(): boolean {
    return existsSync(join(this.inputs, "fetch.json"));
  }

  /** All transfers of all files, in the order of fetch.json. */
  async rows(): Promise<Row[]> {
    const rows: Row[] = [];
    for (const { file } of transferFiles(this.record)) {
      for await (const columns of streamTransfers(join(this.inputs, file))) rows.push(...rowsOf(columns));
    }
    return rows;
  }
}
