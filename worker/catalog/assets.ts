/** What the published manifests say: GET /v1/assets, the assets, and GET /health, how old their data is. */

import { balanceEdgesInTokens } from "../../data-schema/asset.ts";
import { type CatalogEntry, catalogEntry } from "../../data-schema/manifest.ts";
import { RESOLUTIONS } from "../../data-schema/resolutions.ts";
import { SCHEMA_VERSION } from "../../data-schema/series.ts";
import type { Context } from "../context.ts";
import { listAssets } from "../locate/list.ts";
import { locate } from "../locate/locate.ts";
import { logFailure } from "../observe/log.ts";
import { Problem } from "../problems/problem.ts";
import type { ProblemType } from "../problems/problems.ts";
import { VERSION } from "../version.ts";

/**
 * The entry of every asset. An asset whose manifest cannot be read, or has just been removed, is left out.
 *
 * @throws {Problem} 503 the store is out of reach
 */
async function catalogEntries(context: Context): Promise<CatalogEntry[]> {
  const assets = await listAssets(context);
  const entries = await Promise.all(assets.map(({ symbol, entry }) => entry ?? fromManifest(symbol, context)));
  return entries.filter((entry) => entry !== null);
}

const LEFT_OUT: readonly ProblemType[] = ["unsupported-asset", "damaged-data"];

async function fromManifest(symbol: string, context: Context): Promise<CatalogEntry | null> {
  try {
    return catalogEntry(await locate(symbol, context));
  } catch (error) {
    if (!(error instanceof Problem && LEFT_OUT.includes(error.type))) throw error;
    logFailure(`${symbol} left out of the catalog`, error.cause, context.entry.id);
    return null;
  }
}

const iso = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19);

/** The catalog of assets. */
export async function assetCatalog(context: Context) {
  const entries = await catalogEntries(context);
  return {
    assets: entries.map(({ balanceUnit, ranges, ...entry }) => ({
      ...entry,
      ranges: Object.fromEntries(
        RESOLUTIONS.flatMap((resolution) => {
          const range = ranges[resolution];
          return range === undefined ? [] : [[resolution, { first: iso(range[0]), last: iso(range[1]) }]];
        }),
      ),
      balanceEdges: balanceEdgesInTokens(balanceUnit),
    })),
  };
}

/** Whether the store can be read, and how old the data is. @throws {Problem} 503 the store is out of reach */
export async function health(context: Context) {
  const entries = await catalogEntries(context);
  return {
    status: "ok",
    version: VERSION,
    schema: SCHEMA_VERSION,
    assets: entries.map(({ symbol, asOf, build }) => ({
      symbol,
      asOf,
      ageSeconds: Math.floor((context.now() - Date.parse(asOf)) / 1000),
      build,
    })),
  };
}
