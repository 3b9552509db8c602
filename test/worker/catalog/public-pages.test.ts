/** The paths that need no key: their answers, and how long caches may keep them. */

import { env, exports } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { metricNames, SIGNS, VERSIONS } from "../../../data-schema/registry/metrics.ts";
import { NAMED_FORMULAS } from "../../../data-schema/registry/named-formulas.ts";
import { SEARCH_TERMS } from "../../../data-schema/registry/terms.ts";
import { currentKey } from "../../../data-schema/stored/objects.ts";
import type { Manifest } from "../../../data-schema/stored.ts";
import project from "../../../package.json" with { type: "json" };
import { PROBLEMS } from "../../../worker/problems/problems.ts";
import { alteringBucket, failingBucket, pagedBucket, recordingBucket } from "../bindings.ts";
import { freshIsolate, KEY } from "../client.ts";
import { at, DAY, HOUR, publish, QUALITY } from "../token.ts";

const START = at("2025-03-01");

const ARIA = {
  symbol: "ARIA",
  metrics: ["sopr"] as const,
  periods: { day: [{ name: "all", from: START, to: START + 9 * DAY }], hour: [] },
  range: { day: [START, START + 8 * DAY] as [number, number] },
  series: () => [],
};

const log = vi.spyOn(console, "error");

beforeEach(async () => {
  log.mockImplementation(() => {});
  const { objects } = await env.BUCKET.list();
  await env.BUCKET.delete(objects.map(({ key }) => key));
  await publish(env.BUCKET, ARIA);
});
afterEach(() => {
  log.mockReset();
});

/** Without a key. */
const ask = (path: string, init?: RequestInit) => exports.default.fetch(`https://soprano.test${path}`, init);

const assetsOf = async (client = freshIsolate()) =>
  (await (await client.fetch("/v1/assets")).json<{ assets: { symbol: string }[] }>()).assets;

const ENTRY = {
  symbol: "ARIA",
  name: "Test token",
  chain: "ethereum",
  contract: `0x${"ab".repeat(20)}`,
  decimals: 18,
  asOf: "2026-01-01T00:00:00Z",
  build: "0123456789abcdef",
  ranges: { day: { first: "2025-03-01T00:00:00", last: "2025-03-09T00:00:00" } },
  balanceEdges: ["0.0005", "0.005", "0.05", "0.5", "5", "50", "500"],
};

describe("assets", () => {
  it.each(["/v1/assets", "/v2/assets", "/v1/assets/"])("%s describes each", async (path) => {
    const response = await freshIsolate().fetch(path, { headers: { "X-Api-Key": "" } });
    expect(await response.json()).toEqual({ assets: [ENTRY] });
    expect(response.headers.get("Cache-Control")).toBe("public, max-age=60");
  });

  it("are the same bytes in v1, whatever is known of their quality", async () => {
    const body = async () => (await freshIsolate().fetch("/v1/assets")).text();
    const before = await body();
    await publish(env.BUCKET, { ...ARIA, ...QUALITY });
    expect(await body()).toBe(before);
  });

  it("of v3 say how far to trust them, from the short form and from the manifest", async () => {
    await publish(env.BUCKET, { ...ARIA, ...QUALITY });
    const now = () => Date.parse("2026-01-02T05:59:59Z");
    const quality = {
      ageHours: 29,
      freshness: "day",
      activated: "2026-01-01T02:00:00.000Z",
      knownSince: "2026-01-01T02:00:00.000Z",
      nights: [
        { asOf: "2025-12-31T00:00:00", latencySeconds: 5_400 },
        { asOf: "2026-01-01T00:00:00", latencySeconds: 7_200 },
      ],
      checked: QUALITY.checked,
      price: {
        first: "2025-03-01T00:00:00",
        last: "2025-12-31T23:00:00",
        gaps: [{ from: "2025-04-01T00:00:00", to: "2025-04-09T00:00:00" }],
        moreGaps: 2,
      },
      labels: QUALITY.labels,
      deposits: {
        asOf: "2025-12-01T00:00:00.000Z",
        addresses: 971,
        exchanges: [
          { exchange: "ftx", addresses: 717 },
          { exchange: "coinone", addresses: 254 },
        ],
        inflowShare: 0.432,
      },
    };
    const assets = async () => (await freshIsolate({ now }).fetch("/v3/assets")).json();
    expect(await assets()).toEqual({ assets: [{ ...ENTRY, ...quality }] });
    await env.BUCKET.put(currentKey("ARIA"), await (await env.BUCKET.get(currentKey("ARIA")))!.text());
    // Only the short form tells of the activation.
    const { activated: _, nights: __, knownSince: ___, ...ofManifest } = quality;
    expect(await assets()).toEqual({ assets: [{ ...ENTRY, ...ofManifest }] });
  });

  it("of v3 of which nothing is known have an age alone, and keep their ETag for an hour", async () => {
    let now = Date.parse("2026-01-01T00:00:00Z");
    const client = freshIsolate({ now: () => now });
    const first = await client.fetch("/v3/assets");
    expect(await first.json()).toEqual({ assets: [{ ...ENTRY, ageHours: 0, freshness: "day" }] });
    const again = () => client.fetch("/v3/assets", { headers: { "If-None-Match": first.headers.get("ETag")! } });
    now += 3_599_000;
    expect((await again()).status).toBe(304);
    now += 1_000;
    expect(await (await again()).json()).toEqual({ assets: [{ ...ENTRY, ageHours: 1, freshness: "day" }] });
  });

  it("have the range of every resolution that is published", async () => {
    const period = { name: "all", from: START, to: START + 2 * DAY };
    await publish(env.BUCKET, {
      ...ARIA,
      periods: { day: [period], hour: [period], block: [period] },
      range: { day: [START, START + DAY], hour: [START, START + 30 * HOUR] },
    });
    const [aria] = await assetsOf();
    expect(aria).toMatchObject({
      ranges: {
        day: { first: "2025-03-01T00:00:00", last: "2025-03-02T00:00:00" },
        hour: { first: "2025-03-01T00:00:00", last: "2025-03-02T06:00:00" },
        block: { first: "2025-03-01T00:00:00", last: "2025-03-02T23:59:59" },
      },
    });
  });

  it("are sorted, however many there are", async () => {
    const symbols = Array.from({ length: 24 }, (_, index) => `A${(index * 7) % 24}`);
    await Promise.all(symbols.map((symbol) => publish(env.BUCKET, { ...ARIA, symbol })));
    // Three pages, the last of them short.
    const listed = await assetsOf(freshIsolate({ bucket: pagedBucket(env.BUCKET, 10) }));
    expect(listed.map(({ symbol }) => symbol)).toEqual([...symbols, "ARIA"].sort());
  });

  it.each([
    ["none", undefined],
    ["that of an older version", { catalog: '{"symbol":"ARIA","name":"Test token"}' }],
    ["another asset's", { catalog: JSON.stringify({ ...ENTRY, symbol: "B", balanceUnit: "5e-4", ranges: {} }) }],
    ["no JSON", { catalog: "{" }],
  ])("are read from their manifest when the short form is %s", async (_, customMetadata) => {
    const manifest = await (await env.BUCKET.get(currentKey("ARIA")))!.text();
    await env.BUCKET.put(currentKey("ARIA"), manifest, customMetadata ? { customMetadata } : {});
    expect(await assetsOf()).toEqual([ENTRY]);
  });

  it("whose manifest cannot be read are left out, and logged", async () => {
    await env.BUCKET.put(currentKey("BAD"), "{}");
    expect(await assetsOf()).toEqual([ENTRY]);
    expect(log).toHaveBeenCalledOnce();
    expect(log.mock.calls[0]![0]).toContain(
      '"kind":"unreadable-manifest","cause":"BAD: the manifest of BAD cannot be read',
    );
  });

  it("are listed again after 30 seconds", async () => {
    let now = 1_700_000_000_000;
    const client = freshIsolate({ now: () => now });
    expect(await assetsOf(client)).toHaveLength(1);
    await publish(env.BUCKET, { ...ARIA, symbol: "DUET" });
    now += 29_000;
    expect(await assetsOf(client)).toHaveLength(1);
    now += 1_000;
    expect(await assetsOf(client)).toHaveLength(2);
  });
});

describe("metrics", () => {
  it.each(VERSIONS)("of %s are complete, in the registry's order", async (version) => {
    const response = await ask(`/${version}/metrics`);
    const { metrics, groups, signs, ...rest } = await response.json<{
      metrics: { name: string; group: string; formula: string }[];
      groups: { name: string }[];
      signs: { sign: string; meaning: string }[];
    }>();
    expect(rest).toEqual({ version });
    expect(metrics.map(({ name }) => name)).toEqual(metricNames(version));
    expect(groups.map(({ name }) => name)).toEqual(expect.arrayContaining(metrics.map(({ group }) => group)));
    const letters = metrics.flatMap(({ formula }) => formula.match(/(?<![\p{L}'])\p{L}(?!\p{L})/gu) ?? []);
    expect(signs.map(({ sign }) => sign)).toEqual(expect.arrayContaining(letters));
    expect(response.headers.get("Cache-Control")).toBe("public, max-age=3600");
  });

  it("have an entry each", async () => {
    const { metrics } = await (await ask("/v1/metrics")).json<{ metrics: { name: string }[] }>();
    for (const metric of metrics) {
      const response = await ask(`/v1/metrics/${metric.name}/meta`);
      expect(await response.json()).toEqual({ version: "v1", ...metric });
    }
  });

  it("list their parameters", async () => {
    const times = {
      required: false,
      forms: ["Unix seconds", "YYYY-MM-DD", "YYYY-MM-DDTHH:MM[:SS[.fff]][Z|±HH:MM]"],
    };
    expect(await (await ask("/v2/metrics/volume/meta")).json()).toEqual({
      version: "v2",
      name: "volume",
      path: "/v2/metrics/volume",
      title: "On-chain volume",
      group: "transactions",
      unit: "token",
      description: "Coins transferred between addresses.",
      formula: "Σ x over transfers",
      kind: "flow",
      dense: true,
      resolutions: ["day", "hour", "block"],
      selector: {
        parameter: "c",
        title: "Address cohort",
        default: "total",
        values: ["total", "$0-100", "$100-1k", "$1k-10k", "$10k-100k", "$100k-1M", "$1M-10M", "$10M+"],
        families: [
          { title: "Base", values: ["total"] },
          {
            title: "By value in USD",
            values: ["$0-100", "$100-1k", "$1k-10k", "$10k-100k", "$100k-1M", "$1M-10M", "$10M+"],
          },
        ],
      },
      parameters: [
        { name: "a", title: "Asset", description: expect.any(String), required: true },
        { name: "s", title: "Since", description: expect.any(String), ...times },
        { name: "u", title: "Until", description: expect.any(String), ...times },
        {
          name: "r",
          title: "Resolution",
          description: expect.any(String),
          required: false,
          values: ["day", "hour", "block"],
          default: "day",
        },
        {
          name: "c",
          title: "Address cohort",
          description: expect.any(String),
          required: false,
          values: ["total", "$0-100", "$100-1k", "$1k-10k", "$10k-100k", "$100k-1M", "$1M-10M", "$10M+"],
          default: "total",
        },
        {
          name: "f",
          title: "Format",
          description: expect.any(String),
          required: false,
          values: ["json", "csv"],
          default: "json",
        },
      ],
    });
  });

  it("with one series and one resolution take neither selector nor resolution", async () => {
    const response = await ask("/v1/metrics/sc_volume_locked/meta");
    const { selector, parameters } = await response.json<{ selector: null; parameters: { name: string }[] }>();
    expect(selector).toBeNull();
    expect(parameters.map(({ name }) => name)).toEqual(["a", "s", "u", "f"]);
  });

  it("name every value of their selector in one family", async () => {
    const { metrics } = await (await ask("/v1/metrics")).json<{
      metrics: { selector: { values: string[]; families: { values: string[] }[] } | null }[];
    }>();
    for (const { selector } of metrics) {
      if (selector === null) continue;
      expect(selector.families.flatMap(({ values }) => values)).toEqual(selector.values);
    }
  });
});

describe("the status", () => {
  const statusAt = async (time: string) => {
    const response = await freshIsolate({ now: () => Date.parse(time) }).fetch("/v3/status");
    expect([response.status, response.headers.get("Cache-Control")]).toEqual([200, "no-store"]);
    return response.json<{ status: string; assets: { isFresh: boolean }[] }>();
  };

  it("says how old data is, what it may be, and what was checked", async () => {
    await publish(env.BUCKET, { ...ARIA, ...QUALITY });
    expect(await statusAt("2026-01-02T06:00:00Z")).toEqual({
      status: "ok",
      assets: [
        {
          symbol: "ARIA",
          name: ENTRY.name,
          asOf: ENTRY.asOf,
          ageSeconds: 30 * 3_600,
          freshness: "day",
          mostAgeSeconds: 30 * 3_600,
          isFresh: true,
          activated: "2026-01-01T02:00:00.000Z",
          publications: [
            { asOf: "2025-12-31T00:00:00", latencySeconds: 5_400 },
            { asOf: "2026-01-01T00:00:00", latencySeconds: 7_200 },
          ],
          checked: QUALITY.checked,
          prices: { gaps: [{ from: "2025-04-01T00:00:00", to: "2025-04-09T00:00:00" }], moreGaps: 2 },
        },
      ],
    });
    const late = await statusAt("2026-01-02T06:00:01Z");
    expect(late).toMatchObject({ status: "late", assets: [{ isFresh: false }] });
  });

  it("goes by the target of each asset, and by a day where there is none", async () => {
    await publish(env.BUCKET, { ...ARIA, symbol: "HOURLY", freshness: "hour" });
    const answer = await statusAt("2026-01-01T02:00:01Z");
    expect(answer).toMatchObject({
      status: "late",
      assets: [
        { symbol: "ARIA", freshness: "day", isFresh: true, publications: [] },
        { symbol: "HOURLY", freshness: "hour", mostAgeSeconds: 7_200, isFresh: false },
      ],
    });
    expect(await statusAt("2026-01-01T02:00:00Z")).toMatchObject({ status: "ok" });
    // With a clock that is behind, no age is negative.
    expect(await statusAt("2025-12-31T00:00:00Z")).toMatchObject({ status: "ok", assets: [{ ageSeconds: 0 }, {}] });
  });

  it("names assets that can't be read", async () => {
    await env.BUCKET.put(currentKey("BAD"), "{}");
    expect(await statusAt("2026-01-01T00:00:00Z")).toMatchObject({ status: "degraded", unreadable: ["BAD"] });
  });
});

describe("health", () => {
  it("gives the age of the data", async () => {
    const now = () => Date.parse("2026-01-01T01:00:00.999Z");
    const response = await freshIsolate({ now }).fetch("/health");
    expect(await response.json()).toEqual({
      status: "ok",
      version: project.version,
      schema: 1,
      assets: [{ symbol: "ARIA", asOf: "2026-01-01T00:00:00Z", ageSeconds: 3600, build: "0123456789abcdef" }],
    });
    expect([response.headers.get("Cache-Control"), response.headers.get("ETag")]).toEqual(["no-store", null]);
  });

  it.each([
    ["90m", 200],
    ["1h", 200],
    ["59m", 503],
    ["target", 200],
  ])("answers by maxAge=%s with %i", async (maxAge, status) => {
    const now = () => Date.parse("2026-01-01T01:00:00.999Z");
    const response = await freshIsolate({ now }).fetch(`/health?maxAge=${maxAge}`);
    const isLate = status === 503;
    expect([response.status, await response.json()]).toMatchObject([
      status,
      { status: isLate ? "late" : "ok", ...(isLate && { late: ["ARIA"] }) },
    ]);
  });

  it("knows each asset's own target", async () => {
    const now = () => Date.parse("2026-01-02T06:00:01Z");
    const response = await freshIsolate({ now }).fetch("/health?maxAge=target");
    expect([response.status, await response.json()]).toMatchObject([503, { status: "late", late: ["ARIA"] }]);
  });

  it.each(["30", "0h", "30H", "h", "12345h"])("refuses maxAge=%s", async (maxAge) => {
    const response = await freshIsolate().fetch(`/health?maxAge=${maxAge}`);
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { detail: "maxAge is no age.", allowed: ["minutes, hours or days, such as 90m, 30h or 2d", "target"] },
    ]);
  });

  it.each(["/health", "/v1/assets"])("%s answers 503 while the store is out of reach", async (path) => {
    const response = await freshIsolate({ bucket: failingBucket(env.BUCKET, () => true) }).fetch(path);
    expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "5"]);
    expect(await response.json()).toMatchObject({ type: "/problems/store-unavailable" });
  });
});

describe("a manifest with one other bit", () => {
  /** Stores a manifest again, with its checksum, as the builder does; returns a bucket in which it has another bit. */
  async function damaged(symbol: string, isDamaged = () => true): Promise<R2Bucket> {
    const stored = (await env.BUCKET.get(currentKey(symbol)))!;
    const bytes = await stored.arrayBuffer();
    const sha256 = await crypto.subtle.digest("SHA-256", bytes);
    await env.BUCKET.put(currentKey(symbol), bytes, { sha256, customMetadata: stored.customMetadata! });
    const flip = (read: Uint8Array) => {
      if (isDamaged()) read[read.length >> 1]! ^= 1;
    };
    return alteringBucket(env.BUCKET, flip, (key) => key === currentKey(symbol));
  }

  it("is not listed, and health says so", async () => {
    await publish(env.BUCKET, { ...ARIA, symbol: "DUET" });
    const client = freshIsolate({ bucket: await damaged("ARIA") });
    for (const path of ["/v1/assets", "/v2/assets"]) {
      const { assets } = await (await client.fetch(path)).json<{ assets: { symbol: string }[] }>();
      expect(assets.map(({ symbol }) => symbol)).toEqual(["DUET"]);
    }
    const response = await client.fetch("/health");
    expect([response.status, response.headers.get("Retry-After"), response.headers.get("Cache-Control")]).toEqual([
      ...[503, "30", "no-store"],
    ]);
    expect(await response.json()).toMatchObject({
      status: "degraded",
      assets: [{ symbol: "DUET" }],
      unreadable: ["ARIA"],
    });
    const head = await client.fetch("/health", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([503, ""]);
  });

  it("is noticed, and forgotten, within 30 seconds", async () => {
    let now = 1_700_000_000_000;
    let isDamaged = false;
    const client = freshIsolate({ bucket: await damaged("ARIA", () => isDamaged), now: () => now });
    const status = async () => (await client.fetch("/health")).status;
    expect(await status()).toBe(200);
    isDamaged = true;
    now += 30_000;
    expect([await status(), await assetsOf(client)]).toEqual([503, []]);
    isDamaged = false;
    expect(await status()).toBe(503);
    now += 30_000;
    expect([await status(), await assetsOf(client)]).toEqual([200, [ENTRY]]);
  });

  it("of many assets is found by a few reads at a time", async () => {
    const symbols = Array.from({ length: 40 }, (_, index) => `T${index + 10}`);
    await Promise.all(symbols.map((symbol) => publish(env.BUCKET, { ...ARIA, symbol })));
    const { bucket, take } = recordingBucket(await damaged("T49"));
    let now = 1_700_000_000_000;
    const client = freshIsolate({ bucket, now: () => now });
    const check = async () => {
      const response = await client.fetch("/health");
      now += 30_000;
      return [response.status, take().filter((call) => call === "get current").length];
    };
    // 41 manifests, 8 in each check; then the damaged one every time, and the others in turn.
    for (let i = 0; i < 5; i++) expect(await check()).toEqual([200, 8]);
    for (let i = 0; i < 5; i++) expect(await check()).toEqual([503, 8]);
    expect(await assetsOf(client)).toHaveLength(40);
  });

  it("is not confused with one that cannot be reached: it stays listed, but health says so", async () => {
    const client = freshIsolate({ bucket: failingBucket(env.BUCKET, (key) => key === currentKey("ARIA")) });
    expect(await assetsOf(client)).toEqual([ENTRY]);
    const response = await client.fetch("/health");
    expect([response.status, await response.json()]).toEqual([
      503,
      expect.objectContaining({ status: "degraded", unreadable: ["ARIA"], assets: [expect.anything()] }),
    ]);
  });
});

describe("the explorer's settings", () => {
  it("have a public key if the operator set one", async () => {
    const settings = async (publicKey?: string) =>
      (await freshIsolate(publicKey === undefined ? {} : { publicKey }).fetch("/explorer.json")).json();
    const rest = { version: project.version, terms: SEARCH_TERMS, formulas: NAMED_FORMULAS };
    expect(await settings()).toEqual({ publicKey: null, ...rest });
    expect(await settings("")).toEqual({ publicKey: null, ...rest });
    expect(await settings(KEY)).toEqual({ publicKey: KEY, ...rest });
  });

  it("do without the store", async () => {
    const broken = freshIsolate({ bucket: failingBucket(env.BUCKET, () => true) });
    expect(await (await broken.fetch("/explorer.json")).json()).toMatchObject({ publicKey: null });
  });

  it("leave it to /v3/assets where a price is missing, which /v1/assets does not tell", async () => {
    await publish(env.BUCKET, ARIA);
    const before = await (await freshIsolate().fetch("/v1/assets")).text();
    const price = { first: at("2024-01-01"), last: at("2024-12-31"), gaps: [[at("2024-03-01"), at("2024-04-01")]] };
    await publish(env.BUCKET, { ...ARIA, price: price as Manifest["price"] });
    const client = freshIsolate();
    expect(await (await client.fetch("/v1/assets")).text()).toBe(before);
    const { assets } = await (await client.fetch("/v3/assets")).json<{ assets: unknown[] }>();
    const gaps = [{ from: "2024-03-01T00:00:00", to: "2024-04-01T00:00:00" }];
    expect(assets).toMatchObject([
      { symbol: "ARIA", price: { first: "2024-01-01T00:00:00", last: "2024-12-31T00:00:00", gaps } },
    ]);
  });
});

describe("problems", () => {
  it.each(Object.keys(PROBLEMS))("/problems/%s explains itself", async (type) => {
    const { status, title, meaning } = PROBLEMS[type as keyof typeof PROBLEMS];
    const response = await ask(`/problems/${type}`);
    expect(await response.json()).toEqual({ type: `/problems/${type}`, title, status, meaning });
  });
});

it("llms.txt names every metric, value and error", async () => {
  const response = await ask("/llms.txt");
  expect(response.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
  const text = await response.text();
  for (const version of VERSIONS) {
    for (const name of metricNames(version)) expect(text).toContain(`- /${version}/metrics/${name} (`);
  }
  for (const type of Object.keys(PROBLEMS)) expect(text).toContain(`/problems/${type}: `);
  for (const value of ["balance_cohort_7", "7y-10y", "yobit.net", "$20m+", "$10M+"]) expect(text).toContain(value);
});

it("llms.txt gives the values of each parameter, and does not ask for a key in the query", async () => {
  const text = await (await ask("/llms.txt")).text();
  const lines = text.slice(text.indexOf("## Parameters of /v1/metrics")).split("\n");
  const names = lines.flatMap((line) => line.match(/^- (.)(?: \(required\))?: /u)?.[1] ?? []);
  expect(text).not.toContain("\n- api_key");
  // The signs of the formulas follow.
  expect(names).toEqual(["a", "s", "u", "r", "c", "f", "t", ...Object.keys(SIGNS)]);
  expect(lines.find((line) => line.startsWith("- r: "))).toMatch(/ day, hour, block; default day\.$/);
  expect(lines.find((line) => line.startsWith("- f: "))).toMatch(/ json, csv; default json\.$/);
  expect(lines.find((line) => line.startsWith("- c: "))).toMatch(
    /^- c: Address cohort or Exchange\. .* Values: below\.$/,
  );
});

it("llms.txt says which metrics have gaps, and gives the limit without a key", async () => {
  const text = await (await ask("/llms.txt")).text();
  const { metrics } = await (await ask("/v1/metrics")).json<{ metrics: { path: string; dense: boolean }[] }>();
  for (const { path, dense } of metrics) {
    const line = text.split("\n").find((candidate) => candidate.startsWith(`- ${path} (`))!;
    expect(line.includes("only where defined)")).toBe(!dense);
  }
  expect(text).toContain("120 for an address");
});

const KEPT = [
  ...["/v1/metrics", "/v2/metrics/sopr/meta", "/v1/assets", "/openapi.json", "/llms.txt", "/explorer.json"],
  "/problems/missing-key",
];

describe.each(KEPT)("%s", (path) => {
  it("has a strong entity tag: 304 to a client that has it", async () => {
    const response = await ask(path);
    const tag = response.headers.get("ETag")!;
    expect(tag).toMatch(/^"[0-9a-f]{32}"$/);
    expect((await response.text()).length).toBeGreaterThan(0);
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
      const again = await ask(path, { headers: { "If-None-Match": known } });
      expect([again.status, again.headers.get("ETag"), await again.text()]).toEqual([304, tag, ""]);
      expect(again.headers.get("Cache-Control")).toBe(response.headers.get("Cache-Control"));
    }
    expect((await ask(path, { headers: { "If-None-Match": '"other"' } })).status).toBe(200);
  });
});

describe.each([...KEPT, "/health"])("%s", (path) => {
  it("may be read by anyone, with or without a key, also by HEAD", async () => {
    for (const query of ["", `?api_key=${KEY}`, "?api_key=nonsense"]) {
      const response = await ask(path + query);
      expect([response.status, response.headers.get("Access-Control-Allow-Origin")]).toEqual([200, "*"]);
      await response.text();
    }
    const head = await ask(path, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  it("takes no parameters and no other method", async () => {
    const response = await ask(`${path}?a=ARIA`);
    expect(await response.json()).toMatchObject({
      type: "/problems/unknown-parameter",
      detail:
        path === "/health" ? "There is no such parameter; names are case-sensitive." : "This path takes no parameters.",
      parameter: "a",
    });
    expect((await ask(path, { method: "POST" })).status).toBe(405);
  });
});

it.each([
  ["/index.html", "/"],
  ["/embed.html", "/embed"],
  ["/embed/", "/embed"],
  ["/assets.html", "/assets"],
  ["/assets/", "/assets"],
  ["/docs.html", "/docs"],
  ["/docs/", "/docs"],
  ["/methodology.html", "/methodology"],
  ["/methodology/", "/methodology"],
])("%s redirects to %s, without the query", async (path, page) => {
  const response = await ask(`${path}?m=sopr&api_key=${KEY}`, { redirect: "manual" });
  expect([response.status, response.headers.get("Location")]).toEqual([307, page]);
  expect((await ask(path, { method: "POST", redirect: "manual" })).status).toBe(405);
});

it.each([
  ["/V1/assets", "unknown-version", "v1"],
  ["/V2/metrics", "unknown-version", "v2"],
  ["/v1/metrics/sorp/meta", "unknown-metric", "sopr"],
  ["/v1/metrics/sopr/metas", "unknown-path", "/v1/metrics/sopr/meta"],
  ["/problems/missing-keys", "unknown-path", "/problems/missing-key"],
  ["/openapi.jsn", "unknown-path", "/openapi.json"],
  ["/v1/asset", "unknown-path", "/v1/assets"],
  ["/v1/metrics/sopr%", "unknown-metric", "sopr"],
  ["/v3/serie", "unknown-path", "/v3/series"],
])("%s is unknown", async (path, type, suggestion) => {
  const response = await ask(path);
  expect(await response.json()).toMatchObject({ type: `/problems/${type}`, status: 404, suggestion });
});

it("a path or parameter of version 1, asked of version 3, leads to /v3/series", async () => {
  const [path, parameter] = await Promise.all([ask("/v3/sopr"), ask("/v3/metrics/sopr?a=ARIA")]);
  expect(await path.json()).toMatchObject({
    type: "/problems/unknown-path",
    detail: "Series are at /v3/series; /openapi.json lists all paths.",
  });
  expect(await parameter.json()).toMatchObject({
    type: "/problems/unknown-parameter",
    detail: "This path takes no parameters: series of version 3 are at /v3/series.",
    parameter: "a",
  });
});
