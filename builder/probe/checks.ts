/** What a deployed Worker must do, as a table. */

import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { ADDRESS_LIMIT } from "../../data-schema/access.ts";
import { counted } from "../lib/terminal/amount-text.ts";
import { type Answer, ask, askWithKey, demand, demandHeader, demandStatus, jsonOf, type Site } from "./ask.ts";

export interface Check {
  name: string;
  needsKey?: true;
  /**
   * @returns what it found, in a few words
   * @throws {Failure} what is wrong
   */
  run(site: Site): Promise<string>;
}

/** A sum, so that it has a point for every day. */
const METRIC = "supply";

const healthSchema = v.object({
  status: v.string(),
  version: v.string(),
  assets: v.array(v.object({ symbol: v.string(), ageSeconds: v.number() })),
});

const settingsSchema = v.object({ publicKey: v.nullish(v.string()) });

/** @throws {Failure} the store can't be read, or this is not Soprano */
async function readHealth(site: Site) {
  const answer = await ask(site, "/health");
  demandStatus(answer, 200);
  const result = v.safeParse(healthSchema, jsonOf(answer));
  demand(result.success, "/health is not that of Soprano: check the address.");
  return result.output;
}

/** The path of a day series of the first asset. */
async function seriesPath(site: Site): Promise<string> {
  const [asset] = (await readHealth(site)).assets;
  demand(asset, "Nothing is published, so no series can be read: build an asset first.");
  return `/v1/metrics/${METRIC}?a=${encodeURIComponent(asset.symbol)}`;
}

/** A document that any cache may keep, and that is not sent again to a client that has it. */
async function demandCacheable(site: Site, path: string): Promise<void> {
  const answer = await ask(site, path);
  demandStatus(answer, 200);
  demandHeader(answer, "Cache-Control", /^public, max-age=[1-9]/);
  await demandRevalidated((headers) => ask(site, path, headers), answer);
}

async function demandRevalidated(
  again: (headers: Record<string, string>) => Promise<Answer>,
  answer: Answer,
): Promise<void> {
  const tag = demandHeader(answer, "ETag", /"/);
  const known = await again({ "If-None-Match": tag });
  demandStatus(known, 304);
  demand(known.text === "", `${known.path} answered 304 with a body.`);
}

/** Paths that static hosts like to redirect. */
const REDIRECTED = [
  ...["/index.html", "/index", "/docs.html", "/docs/", "/docs/index.html", "//docs", "/%64ocs"],
  ...["/methodology.html", "/methodology/", "/embed.html", "/embed/"],
];

const RATE_LIMIT_BATCH = 20;

export const CHECKS: readonly Check[] = [
  {
    name: "health",
    async run(site) {
      const { status, version, assets } = await readHealth(site);
      demand(status === "ok", `/health has the status ${status.slice(0, 50)}: see docs/operating.md.`);
      const oldest = Math.max(0, ...assets.map(({ ageSeconds }) => ageSeconds));
      const age = assets.length > 0 ? `, the oldest as of ${counted(Math.floor(oldest / 3600), "hour")} ago` : "";
      return `version ${version}, ${counted(assets.length, "asset")}${age}`;
    },
  },
  {
    name: "explorer",
    async run(site) {
      const page = await ask(site, "/");
      demandStatus(page, 200);
      demandHeader(page, "Content-Type", /^text\/html/);
      demandHeader(page, "Content-Security-Policy", /default-src 'none'.*frame-ancestors 'none'/);
      const settings = await ask(site, "/explorer.json");
      demandStatus(settings, 200);
      const { success, output } = v.safeParse(settingsSchema, jsonOf(settings));
      demand(success, "/explorer.json is not that of Soprano: check the address.");
      return output.publicKey ? "with a public key" : "without a public key: visitors need their own";
    },
  },
  {
    name: "caching",
    async run(site) {
      await demandCacheable(site, "/v1/assets");
      await demandCacheable(site, "/openapi.json");
      return "public documents may be cached, and answer 304";
    },
  },
  {
    name: "compression",
    async run(site) {
      const answer = await ask(site, "/openapi.json", { "Accept-Encoding": "gzip" });
      demandStatus(answer, 200);
      demandHeader(answer, "Content-Encoding", /^gzip$/);
      return "JSON is compressed";
    },
  },
  {
    name: "keys",
    async run(site) {
      for (const headers of [{}, { "X-Api-Key": randomUUID() }]) {
        const answer = await ask(site, `/v1/metrics/${METRIC}`, headers);
        demandStatus(answer, 401);
        demandHeader(answer, "Content-Type", /^application\/problem\+json/);
        demandHeader(answer, "WWW-Authenticate", /^Bearer /);
        demandHeader(answer, "Cache-Control", /^no-store$/);
      }
      return "401 without a key, and with an unknown one";
    },
  },
  {
    name: "redirects",
    async run(site) {
      const query = randomUUID();
      for (const path of REDIRECTED) {
        const { headers } = await ask(site, `${path}?${query}`);
        demand(!headers.get("Location")?.includes(query), `${path} redirects with its query, which may hold a key.`);
      }
      return "none repeats a query";
    },
  },
  {
    name: "series",
    needsKey: true,
    async run(site) {
      const path = await seriesPath(site);
      const answer = await askWithKey(site, path);
      demandStatus(answer, 200);
      demandHeader(answer, "Cache-Control", /^private, no-cache$/);
      const result = v.safeParse(v.array(v.object({ t: v.string(), v: v.number() })), jsonOf(answer));
      demand(result.success, `${path} has points other than {t, v}.`);
      await demandRevalidated((headers) => askWithKey(site, path, headers), answer);
      const policy = answer.headers.get("RateLimit-Policy") ?? "no limit";
      return `${counted(result.output.length, "point")}, and 304 when they are known; ${policy}`;
    },
  },
  {
    name: "https",
    async run(site) {
      if (!site.origin.startsWith("https:")) return "not asked by HTTPS, so there is nothing to check";
      demandHeader(await ask(site, "/health"), "Strict-Transport-Security", /max-age=[1-9]/);
      const plain = site.origin.replace("https:", "http:");
      // Nothing needs to listen there.
      const answer = await ask({ ...site, origin: plain }, "/health").catch(() => null);
      const isRedirected = answer?.headers.get("Location")?.startsWith("https:") ?? answer === null;
      demand(isRedirected, `${plain} answers without a redirect to HTTPS: turn on Always Use HTTPS for the zone.`);
      return "browsers are told to use it, and plain HTTP is redirected";
    },
  },
  {
    // The last one: afterwards this address gets a 429 for everything that needs no key.
    name: "limits",
    async run(site) {
      const most = 3 * ADDRESS_LIMIT.requests;
      for (let sent = RATE_LIMIT_BATCH; sent <= most; sent += RATE_LIMIT_BATCH) {
        const batch = Array.from({ length: RATE_LIMIT_BATCH }, () => ask(site, `/v1/metrics/${METRIC}`));
        const refused = (await Promise.all(batch)).find(({ status }) => status === 429);
        if (refused) {
          demandHeader(refused, "Retry-After", /^[1-9]\d*$/);
          demandHeader(
            refused,
            "RateLimit-Policy",
            new RegExp(`^"${ADDRESS_LIMIT.name}";q=${ADDRESS_LIMIT.requests};`),
          );
          return "429 with Retry-After for an address without a key";
        }
      }
      demand(false, `${most} requests without a key got no 429: check [[ratelimits]] in wrangler.toml.`);
    },
  },
];
