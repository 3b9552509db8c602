/** GET /health: whether the store can be read, and how old the data is. */

import { SCHEMA_VERSION } from "../../data-schema/series.ts";
import type { Context } from "../context.ts";
import { VERSION } from "../version.ts";
import { catalogEntries } from "./assets.ts";

/** @throws {Problem} 503 the store is out of reach */
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
