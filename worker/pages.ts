/** The paths that need no key, and what is there. */

import { VERSIONS } from "../data-schema/metrics.ts";
import { assetCatalog } from "./catalog/assets.ts";
import { type Document, document } from "./catalog/document.ts";
import { health } from "./catalog/health.ts";
import { llms } from "./catalog/llms.ts";
import { metricCatalog, metricEntry } from "./catalog/metrics.ts";
import { openApi } from "./catalog/openapi.ts";
import { knownProblem, problemEntry } from "./catalog/problems.ts";
import type { Context } from "./context.ts";
import { knownVersion, route, seriesPath } from "./route.ts";
import { VERSION } from "./version.ts";

/**
 * Finds what a path names, and gives a way to write it.
 *
 * @throws {Problem} 404 the path names nothing
 */
export type Page = (params: Record<string, string>) => (context: Context) => Promise<Document>;

const HOUR = 3600;
const MINUTE = 60;

/** By the pattern of their path. */
export const PAGES: Record<string, Page> = {
  "/:version/metrics": (params) => {
    const version = knownVersion(params.version!);
    return kept(`/${version}/metrics`, () => JSON.stringify(metricCatalog(version)));
  },
  "/:version/metrics/:metric/meta": (params) => {
    const endpoint = route(params.version!, params.metric!);
    const { version } = endpoint;
    return kept(`${seriesPath(endpoint)}/meta`, () => JSON.stringify({ version, ...metricEntry(endpoint) }));
  },
  "/:version/assets": (params) => {
    knownVersion(params.version!);
    return async (context) => document(JSON.stringify(await assetCatalog(context)), MINUTE);
  },
  "/health": () => async (context) => document(JSON.stringify(await health(context)), 0),
  "/openapi.json": () => kept("/openapi.json", () => JSON.stringify(openApi())),
  "/llms.txt": () => kept("/llms.txt", llms, "text/plain; charset=utf-8"),
  "/explorer.json":
    () =>
    ({ bindings }) =>
      document(JSON.stringify({ publicKey: bindings.PUBLIC_KEY || null, version: VERSION }), MINUTE),
  "/problems/:type": (params) => {
    const type = knownProblem(params.type!);
    return kept(`/problems/${type}`, () => JSON.stringify(problemEntry(type)));
  },
};

/** The paths of single pages. */
export function pagePaths(): string[] {
  const single = Object.keys(PAGES).flatMap((path) => VERSIONS.map((version) => path.replace(":version", version)));
  return [...new Set(single)].filter((path) => !path.includes(":"));
}

/** What only a new version of Soprano changes: written when it is first asked for. */
function kept(path: string, write: () => string, mediaType?: string) {
  return async ({ isolate: { documents } }: Context): Promise<Document> => {
    const known = documents.get(path);
    if (known !== undefined) return known;
    const made = await document(write(), HOUR, mediaType);
    documents.set(path, made);
    return made;
  };
}
