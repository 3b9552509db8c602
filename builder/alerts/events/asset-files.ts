/** Where the ASSET.json of each asset is: rules of transfers and holders read its inputs. */

import { glob } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readBatch } from "../../input/asset/batch-asset.ts";
import { Failure } from "../../lib/failure.ts";

/** Beside the file of rules. */
const PLACE = "assets/*.json";

export class AssetFiles {
  readonly #rules: string;
  readonly #named: readonly string[];
  #paths: ReadonlyMap<string, string> | undefined;

  /**
   * @param rules the path of the file of rules
   * @param named paths of asset files; those in `assets/` beside the rules if there are none
   */
  constructor(rules: string, named: readonly string[]) {
    this.#rules = rules;
    this.#named = named;
  }

  /** @throws {Failure} there is none of the asset, or two files have one symbol */
  async pathOf(symbol: string): Promise<string> {
    this.#paths ??= await this.#find();
    const path = this.#paths.get(symbol);
    if (path !== undefined) return path;
    throw new Failure(
      `transfers are read from the inputs of ${symbol}, and its ASSET.json was not found: name it after the file of rules, or put it into assets/ beside that.`,
    );
  }

  async #find(): Promise<Map<string, string>> {
    const folder = dirname(this.#rules);
    const files = [...this.#named];
    if (files.length === 0) for await (const name of glob(PLACE, { cwd: folder })) files.push(join(folder, name));
    const read = await readBatch(files.sort());
    return new Map(read.flatMap(({ file, symbol }) => (symbol === null ? [] : [[symbol, file] as const])));
  }
}
