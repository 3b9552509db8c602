/**
 * Builds that supersede each other under constant load, and whose objects are removed soon after: no request fails, and
 * every answer is of one build. test/worker/swaps.test.ts does the same step by step, in any order.
 */

import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, it } from "vitest";
import { build } from "../../builder/pipeline/build.ts";
import { simulate } from "../../builder/simulate/simulate.ts";
import { createKey } from "../../builder/store/api-keys.ts";
import { workerModules } from "../../builder/store/bundle.ts";
import { type LocalState, openLocalState } from "../../builder/store/local.ts";
import type { ObjectStore } from "../../builder/store/store.ts";
import { workerOptions } from "../../builder/store/wrangler.ts";
import { silentProgress } from "../../builder/terminal/progress.ts";
import { listedSeries, parseManifest } from "../../data-schema/manifest.ts";
import { METRICS, type Metric } from "../../data-schema/metrics.ts";
import { currentKey, seriesPrefix } from "../../data-schema/objects.ts";
import { prefetch } from "../../worker/read/prefetch.ts";
import { type RunningServer, serve } from "../commands/soprano.ts";
import { newFolder } from "../folders.ts";

const SECONDS = Number(process.env.SWAPS_SECONDS ?? 30);
const SECONDS_BETWEEN = 3;
/** How long a superseded build's objects stay. */
const SECONDS_KEPT = 2;
const CONNECTIONS = 16;
const BUILDS = Math.ceil(SECONDS / SECONDS_BETWEEN);

const folder = newFolder();
const persist = join(folder, "state");
let state: LocalState;
let key: string;
/** Answers that isolates began from one build and started over from another. */
let restarts = 0;
const servers: Record<string, RunningServer> = {};

/**
 * Publishes the n-th build of a symbol. Each has other prices and one more day, so that its answers differ.
 *
 * @returns its id
 */
async function publish(symbol: string, n: number): Promise<string> {
  const asset = JSON.parse(readFileSync(join(folder, "token", "asset.json"), "utf8"));
  const [header, ...rows] = readFileSync(join(folder, "token", "prices.csv"), "utf8")
    .trim()
    .split("\n");
  const prices = rows
    .map((row) => row.split(","))
    .map(([t, usd]) => `${t},${(Number(usd) * (1 + n / 100)).toFixed(6)}`);
  writeFileSync(join(folder, "token", `prices-${symbol}-${n}.csv`), `${[header, ...prices].join("\n")}\n`);
  const asOf = Date.parse(asset.asOf) - (BUILDS - n) * 86_400_000;
  const path = join(folder, "token", `${symbol}-${n}.json`);
  const changes = { symbol, prices: `prices-${symbol}-${n}.csv`, asOf: new Date(asOf).toISOString() };
  writeFileSync(path, JSON.stringify({ ...asset, ...changes, resolutions: ["day", "hour"] }));
  return (await build(path, state.objects, { threads: 1, progress: silentProgress() })).build;
}

/** The series objects that the active manifest does not list, while nothing is being built. */
async function superseded(store: ObjectStore, symbol: string): Promise<string[]> {
  const active = await store.get(currentKey(symbol));
  const manifest = parseManifest(new TextDecoder().decode(active!.bytes));
  const listed = new Set([...listedSeries(manifest)].map(({ key }) => key));
  return [...(await store.list(seriesPrefix(symbol))).keys()].filter((key) => !listed.has(key));
}

/** Requests of every metric, for its last selector and its default, by day and hour. */
const queries = METRICS.flatMap(({ name, kind, selectors }: Metric) => {
  const selector = selectors.v1;
  const values = selector ? [selector.values.at(-1)!, selector.default] : [null];
  return values.flatMap((value) => {
    const choice = value === null ? "" : `&${selector!.parameter}=${encodeURIComponent(value)}`;
    const path = `/v1/metrics/${name}?${choice}`;
    return [path, `${path}&f=csv`, ...(kind === "flow" ? [`${path}&r=hour&f=csv`] : [])];
  });
});

interface Answer {
  build: string;
  asOf: string | null;
  digest: string;
}

const digestOf = (bytes: ArrayBuffer) => createHash("sha256").update(new Uint8Array(bytes)).digest("hex");
/** An ETag names the symbol and the build, among others. */
const buildOf = (tag: string | null) => tag?.split(":")[2] ?? "";

/** Requests a query by GET, by HEAD, or with the ETag that was last seen. */
async function ask(url: string, query: string, how: "GET" | "HEAD" | "again", tag?: string) {
  const headers = { "X-Api-Key": key, ...(how === "again" && tag ? { "If-None-Match": tag } : {}) };
  const response = await fetch(url + query, { method: how === "HEAD" ? "HEAD" : "GET", headers });
  return { response, bytes: await response.arrayBuffer(), tag: response.headers.get("ETag") };
}

/** Sends requests to one server over all connections until `isOver`. */
async function load(url: string, symbol: string, isOver: () => boolean) {
  const seen = new Map<string, Answer>();
  const failures: string[] = [];
  let requests = 0;
  const connection = async (number: number) => {
    const tags = new Map<string, string>();
    for (let i = number * 37; !isOver(); i += 7) {
      const query = queries[i % queries.length]!;
      const how = i % 8 === 0 ? "HEAD" : i % 8 === 1 ? "again" : "GET";
      requests++;
      try {
        const { response, bytes, tag } = await ask(url, `${query}&a=${symbol}`, how, tags.get(query));
        const build = buildOf(tag);
        const isKnown = response.status === 304 && how === "again" && tag === tags.get(query);
        if (response.status !== 200 && !isKnown) {
          failures.push(`${how} ${query}: ${response.status} ${Buffer.from(bytes).toString().slice(0, 200)}`);
        } else if (response.status === 200 && how !== "HEAD") {
          const answer = { build, asOf: response.headers.get("X-Soprano-As-Of"), digest: digestOf(bytes) };
          const before = seen.get(`${build} ${query}`) ?? answer;
          if (before.digest !== answer.digest || before.asOf !== answer.asOf) {
            failures.push(`${query}: two answers of build ${build}`);
          }
          seen.set(`${build} ${query}`, before);
          tags.set(query, tag!);
        }
      } catch (error) {
        failures.push(`${how} ${query}: ${String((error as Error).cause ?? error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, number) => connection(number)));
  return { seen, failures, requests };
}

beforeAll(async () => {
  await simulate({ out: join(folder, "token"), seed: 5, transfers: 1500, days: 120, symbol: "SIM" });
  state = await openLocalState(persist);
  ({ key } = await createKey(state.keys, { name: "load", plan: "unlimited" }));
  servers.serve = await serve(persist);
  const options = await workerOptions(persist);
  const isolates = new Miniflare(
    convertV4MiniflareOptions({
      ...options,
      // New isolates read a good key again and again, which is limited.
      ratelimits: Object.fromEntries(
        Object.entries(options.ratelimits).map(([name, limit]) => [
          name,
          { ...limit, simple: { ...limit.simple, limit: 1_000_000 } },
        ]),
      ),
      ...(await workerModules("test/worker/isolates.ts")),
      host: "127.0.0.1",
      port: 0,
      // Each answer that starts over logs a line.
      handleStructuredLogs: ({ message }) => {
        if (message.includes("superseded-build")) restarts++;
      },
    }),
  );
  servers.isolates = { url: (await isolates.ready).origin, stop: () => isolates.dispose() };
});

afterAll(async () => {
  for (const server of Object.values(servers)) await server.stop();
  await state?.close();
  rmSync(folder, { recursive: true, force: true });
});

it(
  `a build every ${SECONDS_BETWEEN} s for ${SECONDS} s`,
  async () => {
    const builds = [await publish("SWAP", 0)];
    let isOver = false;
    const loads = Object.values(servers).map(({ url }) => load(url, "SWAP", () => isOver));
    const began = Date.now();
    let collected = Promise.resolve();
    for (let n = 1; n <= BUILDS; n++) {
      await sleep(Math.max(0, began + n * SECONDS_BETWEEN * 1000 - Date.now()));
      if (n === BUILDS) break;
      builds.push(await publish("SWAP", n));
      const old = await superseded(state.objects, "SWAP");
      expect(old.length).toBeGreaterThan(0);
      await collected;
      collected = sleep(SECONDS_KEPT * 1000).then(() => state.objects.delete(old));
    }
    await collected;
    isOver = true;
    const results = await Promise.all(loads);

    // The right answers: those of the same build under a symbol that is not superseded.
    for (const n of builds.keys()) await publish(`S${n}`, n);
    const right = async (build: string, query: string): Promise<Answer> => {
      const { response, bytes } = await ask(servers.serve!.url, `${query}&a=S${builds.indexOf(build)}`, "GET");
      expect(response.status, Buffer.from(bytes).toString().slice(0, 200)).toBe(200);
      return { build, asOf: response.headers.get("X-Soprano-As-Of"), digest: digestOf(bytes) };
    };
    for (const [place, { seen, failures, requests }] of results.entries()) {
      const server = Object.keys(servers)[place];
      const seenBuilds = new Set(Array.from(seen.values(), ({ build }) => build));
      const facts = [
        `${requests} requests`,
        `${failures.length} failures`,
        `${seenBuilds.size} of ${BUILDS} builds seen`,
      ];
      console.info(`${server}: ${facts.join(", ")}${server === "isolates" ? `, ${restarts} started over` : ""}`);
      expect(failures).toEqual([]);
      for (const build of seenBuilds) expect(builds).toContain(build);
      const checks = prefetch(
        seen,
        async ([name, { build }]) => right(build, name.slice(build.length + 1)),
        (_, pending) => pending < CONNECTIONS,
      );
      const answers = seen.entries();
      for await (const expected of checks) {
        const [name, answer] = answers.next().value!;
        expect(answer, name).toEqual(expected);
      }
      // New isolates see the newest build; one that lives on may serve the first for half a minute.
      if (server === "isolates") expect(seenBuilds.size).toBeGreaterThan(1);
    }
    expect(restarts).toBeGreaterThan(0);
  },
  SECONDS * 10_000 + 300_000,
);
