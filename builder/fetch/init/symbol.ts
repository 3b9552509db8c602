/** The symbol of a new asset: what a contract's own becomes, and whether another asset has it. */

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { readAsset } from "../../input/asset/asset.ts";
import { inputsFolder, readFetched } from "../../input/fetched/fetched.ts";
import { Failure } from "../../lib/failure.ts";

/** What has become of a symbol, as a sentence: what remains may be another token's, as USD0 of USD₮0 is. */
export function changedSymbol(text: string, symbol: string): string {
  const dropped = new Set(
    text
      .normalize("NFKD")
      .toUpperCase()
      .match(/[^A-Z0-9._-]/gu),
  );
  const codes = [...dropped].map(
    (character) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`,
  );
  const without = codes.length === 0 ? "" : ` without ${codes.join(", ")}`;
  return `The contract's symbol "${text}" becomes ${symbol}${without}: that may be another token's symbol. Choose one with --symbol.`;
}

/**
 * Looks whether an asset of another contract has the symbol, in the folder of the new ASSET.json.
 *
 * @returns what to know, as a sentence; undefined if there is nothing of the symbol
 * @throws {Failure} there is another asset, or what was fetched of another contract
 */
export async function checkSymbolIsFree(
  out: string,
  symbol: string,
  { chainId, contract }: { chainId: number; contract: string },
): Promise<string | undefined> {
  const instead = "choose another --symbol or --out";
  for (const name of (await readdir(out).catch(() => [])).sort()) {
    if (!name.endsWith(".json")) continue;
    const path = join(out, name);
    const asset = await readAsset(path).catch(() => undefined);
    if (asset?.symbol === symbol) throw new Failure(`${path} has the symbol ${symbol}, too: ${instead}.`);
  }
  const folder = inputsFolder(join(out, `${symbol}.json`), symbol);
  const fetched = await readFetched(folder).catch(() => undefined);
  if (fetched && (fetched.contract !== contract || fetched.chainId !== chainId)) {
    const of = `${fetched.contract} on chain ${fetched.chainId}`;
    throw new Failure(`${join(out, "inputs", symbol)} has what was fetched of ${of}: ${instead}.`);
  }
  const exists = await stat(folder).catch(() => undefined);
  return exists && `${join(out, "inputs", symbol)} exists: soprano fetch goes on from what it holds.`;
}
