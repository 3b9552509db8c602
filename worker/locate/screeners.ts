/** What the screener says of all assets: from one list call, and from an object of each that it does not fit into. */

import { parseScreener, type Screener, screenerKey } from "../../data-schema/stored.ts";
import { sideBySide } from "../bucket/side-by-side.ts";
import type { Context } from "../context.ts";
import type { ListedAsset } from "../isolate.ts";
import { Problem } from "../problems/problem.ts";
import { listAssets } from "./listed-assets.ts";
import { namedText } from "./named.ts";

/** An asset; without a screener of a build of 0.3 and before, and of one without a complete day. */
export interface Screened {
  asset: string;
  name: string;
  screener: Screener | undefined;
}

const READS_AT_ONCE = 6;
/** Objects that one answer reads: the screener of an asset beyond them is not shown. */
const MOST_READ = 300;

/**
 * All assets, sorted by symbol.
 *
 * @throws {Problem} 503 the store is out of reach
 */
export async function screenedAssets(context: Context): Promise<Screened[]> {
  const assets = (await listAssets(context)).filter(({ entry }) => entry !== undefined);
  const listed = assets.map((asset) => ({ asset, screener: parseScreener(asset.screener) }));
  const found = new Map<ListedAsset, Screener>();
  const elsewhere: { asset: ListedAsset; object: string }[] = [];
  for (const { asset, screener } of listed) {
    if (screener === undefined) continue;
    if ("object" in screener) elsewhere.push({ asset, object: screener.object });
    else found.set(asset, screener);
  }
  const read = async ({ asset, object }: (typeof elsewhere)[number]) => ({
    asset,
    screener: await readObject(asset.symbol, object, context),
  });
  const reads = sideBySide(elsewhere.slice(0, MOST_READ), read, (_, pending) => pending < READS_AT_ONCE);
  for await (const { asset, screener } of reads) if (screener) found.set(asset, screener);
  return assets.map((asset) => ({ asset: asset.symbol, name: asset.entry!.name, screener: found.get(asset) }));
}

/** One asset keeps nobody from the others: undefined if its object is missing, or not what was written. */
async function readObject(symbol: string, hash: string, context: Context): Promise<Screener | undefined> {
  const text = await namedText(screenerKey(symbol, hash), hash, context).catch((error: unknown) => {
    if (error instanceof Problem) return undefined;
    throw error;
  });
  const screener = parseScreener(text);
  return screener === undefined || "object" in screener ? undefined : screener;
}
