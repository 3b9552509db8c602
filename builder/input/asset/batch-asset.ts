/** The assets that a command is to fetch or to build, one after the other. */

import { Failure } from "../../lib/failure.ts";
import { readAsset } from "./asset.ts";

/** An asset file as named on the command line, and its symbol; null if the file can't be read. */
export interface BatchAsset {
  file: string;
  symbol: string | null;
}

/**
 * Reads the symbols of a batch.
 *
 * @throws {Failure} two files have the same symbol: one build would replace the other
 */
export async function readBatch(files: readonly string[]): Promise<BatchAsset[]> {
  const fileOf = new Map<string, string>();
  const assets: BatchAsset[] = [];
  for (const file of files) {
    // Its build reports what is wrong with the file.
    const symbol = await readAsset(file).then(
      (asset) => asset.symbol,
      () => null,
    );
    const other = symbol === null ? undefined : fileOf.get(symbol);
    if (other === file) throw new Failure(`${file} is named twice: name each asset once.`);
    if (other !== undefined) {
      throw new Failure(`${other} and ${file} both have the symbol ${symbol}: give each asset a symbol of its own.`);
    }
    if (symbol !== null) fileOf.set(symbol, file);
    assets.push({ file, symbol });
  }
  return assets;
}
