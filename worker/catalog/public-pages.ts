/** The paths that need no key, and the documents they serve. */

import { DISTRIBUTION_NAMES, NAMED_FORMULAS, SEARCH_TERMS, VERSIONS } from "../../data-schema/registry.ts";
import type { Manifest } from "../../data-schema/stored.ts";
import type { Context } from "../context.ts";
import { digestTag } from "../digest-tag.ts";
import type { Document } from "../isolate.ts";
import { locateNamed } from "../locate/locate.ts";
import { PROBLEMS, type ProblemType, problemPath, TYPES } from "../problems/problems.ts";
import { knownVersion, route, seriesPath, unknownPath } from "../request/route.ts";
import { upperCase } from "../request/validate.ts";
import { VERSION } from "../version.ts";
import { buildList, changeLog } from "./asset-history.ts";
import { assetCatalog, health, status, tableAsset, tableAssetCatalog } from "./assets-and-health.ts";
import { distributionCatalog, distributionPath } from "./distribution-catalog.ts";
import { llms } from "./llms.ts";
import { openApi } from "./openapi.ts";
import { knownMetric, tableMetricCatalog, tableMetricEntry } from "./table-metrics.ts";
import { metricCatalog, metricEntry } from "./v1-metrics.ts";

/**
 * Finds what a path names, and returns a function that writes its document.
 *
 * @throws {Problem} 404 the path names nothing
 */
export type Page = (params: Record<string, string>) => (context: Context) => Promise<Document>;

const HOUR = 3600;
const MINUTE = 60;

/** The pages of v3, by the patterns of their paths. */
export const V3_PAGES: Record<string, Page> = {
  "/v3/metrics": () => kept("/v3/metrics", () => JSON.stringify(tableMetricCatalog())),
  "/v3/metrics/:metric": (params) => {
    const metric = knownMetric(params.metric!);
    return kept(`/v3/metrics/${metric.name}`, () => JSON.stringify({ version: "v3", ...tableMetricEntry(metric) }));
  },
  "/v3/distributions": () => kept("/v3/distributions", () => JSON.stringify(distributionCatalog())),
  "/v3/assets/:asset": ({ asset }) => ofAsset(asset!, "", tableAsset),
  "/v3/assets/:asset/builds": ({ asset }) => ofAsset(asset!, "/builds", buildList),
  "/v3/status": () => async (context) => documentOf(JSON.stringify(await status(context)), 0),
  "/v3/assets": () => async (context) => documentOf(JSON.stringify(await tableAssetCatalog(context)), MINUTE),
};

/** GET /v3/assets/<asset>/changes, which takes the number of the entry before which its page begins. */
export const changesPage = (asset: string) => async (context: Context, before: number | null) => {
  const active = await locateNamed(asset, context);
  const moved = movedTo(active, asset, `/changes${before === null ? "" : `?before=${before}`}`);
  return moved ?? documentOf(await changeLog(active, before, context), MINUTE);
};

/** A page of one asset. */
const ofAsset =
  (asset: string, below: string, write: (active: Manifest, context: Context) => Promise<object>) =>
  async (context: Context): Promise<Document> => {
    const active = await locateNamed(asset, context);
    return movedTo(active, asset, below) ?? documentOf(JSON.stringify(await write(active, context)), MINUTE);
  };

/** What leads to an asset's page from that of a symbol that it had before; null if the path has the present one. */
function movedTo({ symbol }: Manifest, asset: string, below: string): Document | null {
  if (upperCase(asset) === symbol) return null;
  const location = `/v3/assets/${symbol}${below}`;
  const text = JSON.stringify({ asset: symbol, location });
  return { mediaType: "application/json", text, maxAge: MINUTE, tag: null, status: 308, location };
}

/** GET /health, which takes how old data may be. */
export const HEALTH_PATH = "/health";
export const healthPage = async (context: Context, maxAge: number | "target" | null): Promise<Document> => {
  const state = await health(context, maxAge);
  // Uptime monitors go by the status code alone.
  return { ...(await documentOf(JSON.stringify(state), 0)), status: state.status === "ok" ? 200 : 503 };
};

/** The other pages by the patterns of their paths. */
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
    return async (context) => documentOf(JSON.stringify(await assetCatalog(context)), MINUTE);
  },
  "/openapi.json": () => kept("/openapi.json", () => JSON.stringify(openApi())),
  "/llms.txt": () => kept("/llms.txt", llms, "text/plain; charset=utf-8"),
  "/explorer.json": () => async (context) => {
    const settings = {
      publicKey: context.bindings.PUBLIC_KEY || null,
      version: VERSION,
      terms: SEARCH_TERMS,
      formulas: NAMED_FORMULAS,
    };
    return documentOf(JSON.stringify(settings), MINUTE);
  },
  "/problems/:type": (params) => {
    const type = knownProblem(params.type!);
    return kept(`/problems/${type}`, () => JSON.stringify(problemEntry(type)));
  },
};

/** The pages of the explorer by their other paths. The static files beside the Worker answer these pages themselves. */
export const STATIC_PAGES: ReadonlyMap<string, string> = new Map([
  ["/index.html", "/"],
  ["/embed.html", "/embed"],
  ["/embed/", "/embed"],
  ["/assets.html", "/assets"],
  ["/assets/", "/assets"],
  ["/holders.html", "/holders"],
  ["/holders/", "/holders"],
  ["/status.html", "/status"],
  ["/status/", "/status"],
  ["/boards.html", "/boards"],
  ["/boards/", "/boards"],
  ["/docs.html", "/docs"],
  ["/docs/", "/docs"],
  ["/methodology.html", "/methodology"],
  ["/methodology/", "/methodology"],
]);

/** The paths without a placeholder. */
export function pagePaths(): string[] {
  const distributions = DISTRIBUTION_NAMES.map(distributionPath);
  const single = [
    "/v3/series",
    "/v3/screener",
    "/v3/holders",
    "/v3/transfers/largest",
    "/v3/duckdb.sql",
    HEALTH_PATH,
    ...distributions,
    ...Object.keys(V3_PAGES),
    ...Object.keys(PAGES),
  ].flatMap((path) => VERSIONS.map((version) => path.replace(":version", version)));
  return [...new Set(single)].filter((path) => !path.includes(":"));
}

/** A document that only a new version of Soprano changes. It is written at its first request. */
function kept(path: string, write: () => string, mediaType?: string) {
  return async ({ isolate: { documents } }: Context): Promise<Document> => {
    const cached = documents.get(path);
    if (cached !== undefined) return cached;
    const made = await documentOf(write(), HOUR, mediaType);
    documents.set(path, made);
    return made;
  };
}

/** A document whose tag is a digest of its text. */
export async function documentOf(text: string, maxAge: number, mediaType = "application/json"): Promise<Document> {
  if (maxAge === 0) return { mediaType, text, maxAge, tag: null };
  return { mediaType, text, maxAge, tag: await digestTag(text) };
}

/**
 * The problem type with a name.
 *
 * @throws {Problem} 404 there is no such type
 */
function knownProblem(name: string): ProblemType {
  const type = TYPES.find((candidate) => candidate === name);
  if (type === undefined) throw unknownPath(`/problems/${name}`, TYPES.map(problemPath));
  return type;
}

/** What an error means. */
function problemEntry(type: ProblemType) {
  const { status, title, meaning } = PROBLEMS[type];
  return { type: problemPath(type), title, status, meaning };
}
