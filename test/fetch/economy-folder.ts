/** The inputs of an economy's token, in a folder of their own. */

import { createHash } from "node:crypto";
import { existsSync, globSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Fetched } from "../../builder/input/fetched/fetched.ts";
import { type Outcome, sopranoIn } from "../commands/soprano.ts";
import type { Economy } from "./chain/scenario.ts";

export class EconomyFolder {
  readonly path: string;
  readonly asset: string;
  readonly inputs: string;

  /**
   * Writes an ASSET.json such as `soprano init` writes.
   *
   * @param parent of the new folder
   * @param source changes members of `source`
   */
  constructor({ token, firstBlock, pair, pool, feed }: Economy, parent: string, source: Record<string, unknown> = {}) {
    this.path = mkdtempSync(join(parent, "assets-"));
    this.asset = join(this.path, "ARIA.json");
    this.inputs = join(this.path, "inputs", "ARIA");
    const identity = { symbol: "ARIA", name: "Aria Token", chain: "ethereum", contract: token, decimals: 18 };
    const pools = [
      { address: pair, kind: "uniswap-v2", quoteUsd: 1 },
      { address: pool, kind: "uniswap-v3", quoteUsd: { feed } },
    ];
    const defaults = { chainId: 1, firstBlock, events: "erc20", prices: { pools }, labels: "default" };
    const asset = { ...identity, maxSupply: "10000000", source: { ...defaults, ...source } };
    writeFileSync(this.asset, JSON.stringify(asset));
  }

  /** Runs `soprano fetch` over nodes. */
  fetch(urls: readonly string[], ...args: string[]): Promise<Outcome> {
    return sopranoIn({ SOPRANO_RPC_URL: urls.join(" ") }, "fetch", this.asset, "--quiet", ...args);
  }

  get record(): Fetched {
    return JSON.parse(readFileSync(join(this.inputs, "fetch.json"), "utf8"));
  }

  /** All files as one text. */
  texts(): string {
    const files = globSync("**/*", { cwd: this.path }).filter((name) => statSync(join(this.path, name)).isFile());
    return files.map((name) => readFileSync(join(this.path, name), "latin1")).join("\n");
  }

  /** SHA-256 of each file by its name; fetch.json without what a check says of its own time and block. */
  digests(): Record<string, string> {
    const files = existsSync(this.inputs) ? globSync("**/*", { cwd: this.inputs }).sort() : [];
    const digests = files.flatMap((name) => {
      const path = join(this.inputs, name);
      if (statSync(path).isDirectory()) return [];
      if (name !== "fetch.json") return [[name, digest(readFileSync(path))]];
      const { check: _, ...rest } = this.record;
      return [[name, digest(JSON.stringify(rest))]];
    });
    return Object.fromEntries(digests);
  }
}

const digest = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");
