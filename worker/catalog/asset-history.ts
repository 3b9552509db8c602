/** What an asset's history has been: GET /v3/assets/<asset>/builds, and GET /v3/assets/<asset>/changes. */

import type { ChangeEntry, Manifest } from "../../data-schema/stored.ts";
import { isoTimeWithoutZone } from "../../data-schema/text.ts";
import type { Context } from "../context.ts";
import { listBuilds } from "../locate/kept-builds.ts";
import { firstOfPage, readPage } from "../locate/read-changes.ts";

/**
 * The builds that are kept, the last activated first.
 *
 * @throws {Problem} 503 the store is out of reach
 */
export async function buildList(active: Manifest, context: Context) {
  const builds = await listBuilds(active.symbol, context);
  return {
    asset: active.symbol,
    builds: builds.map(({ build, activated, summary }) => ({
      build,
      active: build === active.build,
      activated: activated.toISOString(),
      ...summary,
    })),
  };
}

/**
 * A page of the log of changes as JSON, the newest first. Its entries never change, so the isolate keeps it by the number of
 * the first.
 *
 * @param before only entries before the one with this number; null for the newest
 * @throws {Problem} 500 an entry cannot be read; 503 the store is out of reach
 */
export async function changeLog(active: Manifest, before: number | null, context: Context): Promise<string> {
  const first = await firstOfPage(active, before, context);
  const name = `changes/${active.symbol}/${first}`;
  const { pages } = context.isolate;
  const kept = pages.get(name);
  if (kept !== undefined) return kept;
  const entries = first === null ? [] : await readPage(active.symbol, first, context);
  const last = entries.at(-1);
  const text = JSON.stringify({
    asset: active.symbol,
    changes: entries.map(described),
    next: last === undefined || last.previous === null ? null : last.n,
  });
  pages.set(name, text);
  return text;
}

function described({ n, build, previousBuild, asOf, activated, causes, series, uncompared }: ChangeEntry) {
  const from = Math.min(...series.map(({ first }) => first));
  return {
    n,
    build,
    previousBuild,
    asOf,
    activated,
    causes,
    changedFrom: series.length === 0 ? null : isoTimeWithoutZone(from),
    series: series.map(({ first, ...change }) => ({ ...change, first: isoTimeWithoutZone(first) })),
    uncompared,
  };
}
