/** Earlier builds and the log of changes, as the Worker finds them in the bucket. */

import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { MetricName } from "../../../data-schema/registry/metrics.ts";
import { type ChangeEntry, changeSummary } from "../../../data-schema/stored/changes.ts";
import { buildKey, changeKey } from "../../../data-schema/stored/objects.ts";
import { buildSummary, listedSeries, type Manifest } from "../../../data-schema/stored.ts";
import { freshIsolate, putKey } from "../client.ts";
import { at, DAY, publish } from "../token.ts";

const START = at("2025-03-01");
const id = (build: number) => build.toString(16).padStart(16, "0");
const asOf = (build: number) => new Date(1000 * (START + build * DAY)).toISOString();

function entry(symbol: string, n: number, previous: number | null, more: Partial<ChangeEntry> = {}): ChangeEntry {
  const previousBuild = previous === null ? null : id(previous);
  return {
    schema: 1,
    symbol,
    n,
    previous,
    build: id(n),
    previousBuild,
    asOf: asOf(n),
    activated: asOf(n),
    nights: [],
    causes: [{ kind: "new-events", from: asOf(n - 1) }],
    series: [],
    uncompared: 0,
    ...more,
  };
}

async function putEntry(change: ChangeEntry): Promise<void> {
  const customMetadata = { change: JSON.stringify(changeSummary(change)) };
  await env.BUCKET.put(changeKey(change.symbol, change.n), JSON.stringify(change), { customMetadata });
}

/** Publishes a build with so many days, all of value `build`, as the builder does: recorded, then activated. */
async function activate(
  symbol: string,
  build: number,
  { isDated = true, change = build, metrics = ["sopr", "price"] as MetricName[] } = {},
): Promise<Manifest> {
  const manifest = await publish(env.BUCKET, {
    symbol,
    metrics,
    periods: { day: [{ name: "all", from: START, to: START + 100 * DAY }] },
    range: { day: [START, START + (build - 1) * DAY] },
    series: () => Array.from({ length: build }, (_, day) => ({ t: START + day * DAY, v: build + day / 100 })),
    build: id(build),
    asOf: asOf(build),
    ...(change > 0 && { activation: { at: asOf(build), change, nights: [] } }),
  });
  const customMetadata = { build: JSON.stringify(buildSummary({ ...manifest, reason: `build ${build}` })) };
  await env.BUCKET.put(buildKey(symbol, id(build)), JSON.stringify(manifest), isDated ? { customMetadata } : {});
  return manifest;
}

const fetchJson = async (path: string) => {
  const response = await freshIsolate().fetch(path);
  return { status: response.status, body: await response.json<Record<string, unknown>>() };
};

const log = vi.spyOn(console, "error").mockImplementation(() => {});
afterEach(() => log.mockClear());
beforeAll(() => putKey());

describe("the builds of an asset", () => {
  it("are those whose manifest is there, the last activated first", async () => {
    await activate("KEPT", 1, { isDated: false });
    await activate("KEPT", 2);
    const { status, body } = await fetchJson("/v3/assets/kept/builds");
    expect(status).toBe(200);
    expect(body).toEqual({
      asset: "KEPT",
      builds: [
        {
          build: id(2),
          active: true,
          activated: expect.stringMatching(/^20.*Z$/),
          asOf: asOf(2),
          created: "2026-01-01T00:00:00Z",
          engine: "test",
          reason: "build 2",
        },
        // Written without the summary: read from the manifest.
        {
          build: id(1),
          active: false,
          activated: expect.stringMatching(/^20.*Z$/),
          asOf: asOf(1),
          created: "2026-01-01T00:00:00Z",
          engine: "test",
        },
      ],
    });
  });

  it("are in the order of the log, with its times, where a bucket was copied", async () => {
    const line = (n: number, build: number) => ({
      n,
      at: asOf(n),
      build: id(build),
      asOf: asOf(build),
      engine: "test",
      ranges: {},
    });
    // Activated as 2, 1, 3; put in the order 3, 1, 2.
    const known = { since: asOf(1), lines: [line(1, 2), line(2, 1), line(3, 3)], older: null };
    await putEntry(entry("COPIED", 3, 2, { build: id(3), known }));
    const manifests = [await activate("COPIED", 1), await activate("COPIED", 2), await activate("COPIED", 3)];
    for (const build of [1, 2]) {
      const manifest = manifests[build - 1]!;
      const customMetadata = { build: JSON.stringify(buildSummary(manifest)) };
      await env.BUCKET.put(buildKey("COPIED", id(build)), JSON.stringify(manifest), { customMetadata });
    }
    const { body } = await fetchJson("/v3/assets/COPIED/builds");
    const builds = body.builds as { build: string; activated: string }[];
    expect(builds.map(({ build, activated }) => [build, activated])).toEqual([
      [id(3), asOf(3)],
      [id(1), asOf(2)],
      [id(2), asOf(1)],
    ]);
  });

  it("of which one is damaged are listed all the same", async () => {
    await activate("TORN", 1);
    await env.BUCKET.put(buildKey("TORN", id(7)), "{");
    const { body } = await fetchJson("/v3/assets/TORN/builds");
    expect((body.builds as object[]).find((build) => "build" in build && build.build === id(7))).toEqual({
      build: id(7),
      active: false,
      activated: expect.any(String),
    });
  });

  it.each(["builds", "changes"])("and the %s of an unknown asset are a 404 with the nearest", async (page) => {
    await activate("NEAREST", 1);
    const { status, body } = await fetchJson(`/v3/assets/neerest/${page}`);
    expect([status, body.type, body.suggestion, body.parameter]).toEqual([
      404,
      "/problems/unsupported-asset",
      "NEAREST",
      undefined,
    ]);
  });

  it.each(["builds", "changes"])("and the %s are a 304 for who has them", async (page) => {
    await activate("SAME", 1);
    await putEntry(entry("SAME", 1, null));
    const client = freshIsolate();
    const first = await client.fetch(`/v3/assets/SAME/${page}`);
    const headers = { "If-None-Match": first.headers.get("ETag")! };
    expect((await client.fetch(`/v3/assets/SAME/${page}`, { headers })).status).toBe(304);
  });
});

describe("the log of changes", () => {
  it("has the entries of activated builds, the newest first", async () => {
    const series: ChangeEntry["series"] = [
      { resolution: "day", metric: "sopr", first: START + DAY, points: 2, appeared: 1, disappeared: 0, largest: 0.25 },
      {
        resolution: "week",
        metric: "sopr",
        first: START - 5 * DAY,
        points: 1,
        appeared: 0,
        disappeared: 0,
        largest: 1,
      },
    ];
    await putEntry(entry("LOG", 1, null, { causes: [{ kind: "first-build" }] }));
    // Builds that were killed before their activation.
    await putEntry(entry("LOG", 2, 1));
    await putEntry(entry("LOG", 3, 1, { series }));
    await putEntry(entry("LOG", 4, 3));
    await activate("LOG", 3);
    const { status, body } = await fetchJson("/v3/assets/log/changes");
    expect([status, body.asset, body.next]).toEqual([200, "LOG", null]);
    expect(body.changes).toEqual([
      {
        n: 3,
        build: id(3),
        previousBuild: id(1),
        asOf: asOf(3),
        activated: asOf(3),
        uncompared: 0,
        causes: [{ kind: "new-events", from: asOf(2) }],
        changedFrom: "2025-02-24T00:00:00",
        series: [
          { ...series[0], first: "2025-03-02T00:00:00" },
          { ...series[1], first: "2025-02-24T00:00:00" },
        ],
      },
      {
        n: 1,
        build: id(1),
        previousBuild: null,
        asOf: asOf(1),
        activated: asOf(1),
        uncompared: 0,
        causes: [{ kind: "first-build" }],
        changedFrom: null,
        series: [],
      },
    ]);
  });

  it("has pages, each entry once", async () => {
    // Every seventh number is of a build that was never activated.
    const counts = (n: number) => n % 7 !== 0;
    let previous: number | null = null;
    for (let n = 1; n <= 95; n++) {
      await putEntry(entry("PAGED", n, previous));
      if (counts(n)) previous = n;
    }
    await activate("PAGED", 95, { change: 95 });
    const client = freshIsolate();
    const page = async (query: string) => {
      const response = await client.fetch(`/v3/assets/PAGED/changes${query}`);
      return response.json<{ changes: { n: number }[]; next: number | null }>();
    };
    const found: number[] = [];
    for (let next: number | null = null; ; ) {
      const { changes, next: after }: Awaited<ReturnType<typeof page>> = await page(next ? `?before=${next}` : "");
      expect(changes.length).toBeLessThanOrEqual(30);
      found.push(...changes.map(({ n }) => n));
      if (after === null) break;
      next = after;
    }
    const all = Array.from({ length: 95 }, (_, i) => 95 - i).filter(counts);
    expect(found).toEqual(all);
    // Also before a number that was never activated, and before one that is still to come.
    expect((await page("?before=70")).changes[0]!.n).toBe(69);
    expect((await page("?before=99999999")).changes[0]!.n).toBe(95);
  });

  it("is empty for an asset whose builds are older", async () => {
    await publish(env.BUCKET, { symbol: "OLD", periods: { day: [] }, series: () => [] });
    expect((await fetchJson("/v3/assets/OLD/changes")).body).toEqual({ asset: "OLD", changes: [], next: null });
  });

  it("finds the entry of a build that has no place for its number", async () => {
    await putEntry(entry("V1", 1, null));
    await putEntry(entry("V1", 2, 1));
    await putEntry(entry("V1", 3, 2, { build: id(1), causes: [{ kind: "rollback" }] }));
    await putEntry(entry("V1", 4, 3));
    await publish(env.BUCKET, { symbol: "V1", periods: { day: [] }, series: () => [], build: id(1) });
    const { body } = await fetchJson("/v3/assets/V1/changes");
    expect((body.changes as { n: number }[]).map(({ n }) => n)).toEqual([3, 2, 1]);
  });

  it("that lacks an entry is damaged", async () => {
    await putEntry(entry("LACKS", 2, 1));
    await activate("LACKS", 2);
    const client = freshIsolate();
    expect((await client.fetch("/v3/assets/LACKS/changes")).status).toBe(500);
  });

  it.each([
    ["before=0", "invalid-parameter"],
    ["before=-1", "invalid-parameter"],
    ["before=1e3", "invalid-parameter"],
    ["before=", "empty-parameter"],
    ["before=1&before=2", "repeated-parameter"],
    ["befor=1", "unknown-parameter"],
  ])("refuses %s", async (query, type) => {
    const { status, body } = await fetchJson(`/v3/assets/KEPT/changes?${query}`);
    expect([status, body.type]).toEqual([400, `/problems/${type}`]);
  });
});

describe("build=", () => {
  const path = (symbol: string, more = "") => `/v3/series?a=${symbol}&m=sopr,price&c=*${more}`;

  it.each(["json", "csv", "ndjson", "arrow", "parquet"])("gives the bytes of then, as %s", async (format) => {
    const symbol = `THEN-${format.toUpperCase()}`;
    const answers: { bytes: ArrayBuffer; tag: string | null }[] = [];
    for (const build of [3, 5]) {
      await activate(symbol, build);
      const response = await freshIsolate().fetch(path(symbol, `&s=-1d&f=${format}`));
      answers.push({ bytes: await response.arrayBuffer(), tag: response.headers.get("ETag") });
    }
    expect(answers[0]).not.toEqual(answers[1]);
    const client = freshIsolate();
    for (const [i, build] of [3, 5].entries()) {
      const response = await client.fetch(path(symbol, `&s=-1d&f=${format}&build=${id(build)}`));
      expect(response.status).toBe(200);
      expect(response.headers.get("X-Soprano-As-Of")).toBe(asOf(build));
      expect({ bytes: await response.arrayBuffer(), tag: response.headers.get("ETag") }).toEqual(answers[i]);
    }
  });

  it("is a 404 for a build that never was, and a 410 with the nearest for one that is no longer kept", async () => {
    for (const [build, previous] of [
      [2, null],
      [4, 2],
      [9, 4],
    ] as const) {
      await putEntry(entry("GONE", build, previous));
      await activate("GONE", build);
    }
    await env.BUCKET.delete(buildKey("GONE", id(4)));
    const unknown = await fetchJson(path("GONE", `&build=${id(3)}`));
    expect([unknown.status, unknown.body.type]).toEqual([404, "/problems/unknown-build"]);
    expect(unknown.body.allowed).toEqual([id(9), id(2)]);
    const gone = await fetchJson(path("GONE", `&build=${id(4)}`));
    expect([gone.status, gone.body.type, gone.body.suggestion]).toEqual([410, "/problems/collected-build", id(2)]);
    expect(gone.body.detail).toBe(`The build of ${asOf(4)} is no longer kept.`);
  });

  it("is a 410 for a build that is older than the log", async () => {
    await putEntry(entry("OLDER", 2, null, { previousBuild: id(1) }));
    await activate("OLDER", 2);
    expect((await fetchJson(path("OLDER", `&build=${id(1)}`))).status).toBe(410);
  });

  it("is a 410 for a build that is half removed, unless it is the active one", async () => {
    const half = await activate("HALF", 2);
    const whole = await activate("HALF", 4);
    const remove = (manifest: Manifest) =>
      env.BUCKET.delete(Array.from(listedSeries(manifest), ({ key }) => key).filter((key) => key.includes("/sopr/")));
    await remove(half);
    const gone = await fetchJson(path("HALF", `&build=${id(2)}`));
    expect([gone.status, gone.body.suggestion]).toEqual([410, id(4)]);
    await remove(whole);
    expect((await fetchJson(path("HALF", `&build=${id(4)}`))).status).toBe(500);
  });

  it("is a 500 for a build whose bytes are damaged", async () => {
    const damaged = await activate("DAMAGED", 2);
    await activate("DAMAGED", 4);
    for (const { key } of listedSeries(damaged)) await env.BUCKET.put(key, "damaged");
    expect((await fetchJson(path("DAMAGED", `&build=${id(2)}`))).status).toBe(500);
  });

  it.each([
    [
      "m=price",
      "m",
      "unavailable-metric",
      ["sopr"],
      "The build 0000000000000002 of FIRST is older than the metric price.",
    ],
    [
      "m=sopr,price",
      "m",
      "unavailable-metric",
      ["sopr"],
      "The build 0000000000000002 of FIRST is older than the metric price.",
    ],
    [
      "m=sopr&r=week",
      "r",
      "unavailable-resolution",
      ["day"],
      "The build 0000000000000002 of FIRST has no resolution week.",
    ],
  ])("of version 1 says that it has no weeks and no prices: %s", async (query, parameter, type, allowed, detail) => {
    const old = await activate("FIRST", 2, { metrics: ["sopr"] });
    await env.BUCKET.put(buildKey("FIRST", id(2)), JSON.stringify({ ...old, schema: 1 }));
    await activate("FIRST", 4);
    const { status, body } = await fetchJson(`/v3/series?a=FIRST&${query}&build=${id(2)}`);
    expect([status, body.type]).toEqual([400, `/problems/${type}`]);
    expect([body.parameter, body.allowed, body.detail]).toEqual([parameter, allowed, detail]);
    expect((await fetchJson(`/v3/series?a=FIRST&m=price`)).status).toBe(200);
  });

  it.each([
    ["&build=0123456789ABCDEF", "invalid-parameter"],
    ["&build=0123", "invalid-parameter"],
    ["&build=../../current/KEPT", "invalid-parameter"],
    [`,TORN&build=${id(1)}`, "conflicting-parameters"],
  ])("refuses %s", async (more, type) => {
    const { status, body } = await fetchJson(`/v3/series?m=sopr&a=KEPT${more}`);
    expect([status, body.type, body.parameter]).toEqual([400, `/problems/${type}`, "build"]);
  });
});
