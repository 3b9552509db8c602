/**
 * What was known: random histories of builds, with restatements, other lists and resolutions, kills, rollbacks and
 * collections of garbage. What the Worker said after each activation, it says of that time ever after; and of `first`, what a reader of
 * every build would have noted down.
 *
 * Nothing here depends on this machine's clock or speed. The times of activations are those of the log, since a clock may
 * step back. A slow machine tries fewer histories, so no kind of change has to come up.
 */

import fc from "fast-check";
import type { Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, it } from "vitest";
import { StoreFailure } from "../../../builder/lib/failure.ts";
import { readKnownLines } from "../../../builder/published/builds/activation-times.ts";
import { collect } from "../../../builder/published/builds/collect.ts";
import { rollback } from "../../../builder/published/builds/rollback.ts";
import { lastActivation } from "../../../builder/published/publish/write-changes.ts";
import { knownProblems } from "../../../builder/published/verify/known-problems.ts";
import { workerModules } from "../../../builder/serve/bundle.ts";
import type { ObjectStore } from "../../../builder/store/store.ts";
import { workerOptions } from "../../../builder/store/wrangler.ts";
import { apiKeyName } from "../../../data-schema/access/api-keys.ts";
import type { Resolution } from "../../../data-schema/registry/resolutions.ts";
import { knownLine, publishes } from "../../../data-schema/stored/known-lines.ts";
import { SHA256_METADATA } from "../../../data-schema/stored/objects.ts";
import type { Manifest } from "../../../data-schema/stored.ts";
import { activeManifest, runBuild, TokenFolder } from "../../build/checkpoint/nights.ts";
import { isBuildable, iso, nights, pricesOf } from "../../build/checkpoint/random-nights.ts";
import { timeLimit, tries } from "../../effort.ts";
import { histories } from "../../reference/histories.ts";
import { replayOrder, type Token } from "../../reference/reference.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { startMiniflare } from "../../store/start-miniflare.ts";
import { entriesOf } from "./slow-comparison.ts";

const API_KEY = "3f2b8c1e-5d4a-4f6b-9a7c-0e1d2c3b4a59";

/** What becomes of the input before a build. Indices count from the end, so that most changes are of what is open. */
const change = fc.record({
  kind: fc.constantFrom("none", "none", "price", "price", "late", "label"),
  index: fc.oneof(fc.nat(2), fc.nat(40)),
  cohorts: fc.constantFrom<Record<string, number[]>>(
    {},
    { a: [0, 1] },
    { a: [0, 1] },
    { a: [1, 2] },
    { a: [0, 1], b: [3] },
  ),
  resolutions: fc.constantFrom<Resolution[]>(
    ["day", "hour", "block"],
    ["day", "hour", "block"],
    ["day", "block"],
    ["day"],
  ),
  killed: fc.constantFrom(null, null, null, "packs/", "known/", "changes/", "builds/", "current/"),
  isWritten: fc.boolean(),
  after: fc.constantFrom("nothing", "nothing", "rollback", "collect"),
});
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;

/** A store out of reach from the first write of a kind on, which is carried out or not: as for a run that is killed. */
function killedAt(store: MemoryStore, kind: string, isWritten: boolean): ObjectStore {
  let isDead = false;
  return new Proxy<ObjectStore>(store, {
    get: (_, name: keyof ObjectStore) => {
      if (name === "name") return store.name;
      return async (...given: Parameters<ObjectStore["put"]>): Promise<unknown> => {
        const isLast = !isDead && name === "put" && given[0].startsWith(kind);
        const result =
          !isDead && (!isLast || isWritten) ? await (store[name] as ObjectStore["put"])(...given) : undefined;
        isDead ||= isLast;
        if (isDead && name !== "close") throw new StoreFailure("killed");
        return result;
      };
    },
  });
}

function changed(token: Token, { kind, index }: Change): Token {
  const { prices, transfers, exchanges } = token;
  if (kind === "price" && prices.length > 0) {
    const at = prices.length - 1 - (index % prices.length);
    return { ...token, prices: prices.map(([t, usd], i) => [t, i === at ? 1.5 * usd + 1 : usd]) };
  }
  if (kind === "late") {
    // Without the last of them the others still add up: they come with the next build.
    const first = transfers.findIndex(({ from, to, value }) => value > 0n && from !== to);
    return { ...token, transfers: transfers.slice(0, Math.max(first + 1, transfers.length - index)) };
  }
  if (kind === "label") {
    const { to } = transfers.at(-1 - (index % transfers.length))!;
    return /[1-9a-f]/i.test(to.slice(2)) ? { ...token, exchanges: { ...exchanges, [to.toLowerCase()]: "okx" } } : token;
  }
  return token;
}

const plans = histories(25)
  .filter(isBuildable)
  .chain((token) =>
    nights(token).chain((times) =>
      fc.record({
        token: fc.constant(token),
        // Some are published twice, with other inputs.
        times: fc.constant(times.flatMap((time) => [time, time])),
        changes: fc.array(change, { minLength: 2 * times.length, maxLength: 2 * times.length }),
      }),
    ),
  );

const QUERIES = [
  "m=supply,sopr,volume_dollar,active_addresses&c=total,users,sth,$0-100,%3C1d&r=day",
  "m=supply,sopr,volume,price&c=@*,users&r=day",
  "m=realised_cap,cex_inflow,mean_age&r=week",
  "m=volume,minted,sopr&c=total,sth&r=month",
  "m=volume,sopr,cex_inflow&r=hour",
  "m=volume&c=@a&r=hour",
  "m=volume,sopr&c=total,users&r=block",
  "m=sopr&x=s=sma(sopr,3);d=price/max(price)-1&r=day",
  "m=sopr,volume&r=day&s=-3d",
  "m=volume,sopr&r=day&last=4",
  "m=sopr,cex_inflow&r=hour&last=3",
  "m=volume,sopr&r=block&last=2",
];

let miniflare: Miniflare;

beforeAll(async () => {
  const { resourcePersistencePath: _, ratelimits: __, ...options } = await workerOptions("nowhere");
  miniflare = startMiniflare({
    ...options,
    host: "127.0.0.1",
    port: 0,
    r2Buckets: { BUCKET: "soprano" },
    ...(await workerModules("test/worker/forgetful.ts")),
  });
  const keys = await miniflare.getKVNamespace("KEYS");
  const record = { id: "k1", name: "Tests", status: "active", plan: "unlimited", created: "2024-01-01T00:00:00Z" };
  await keys.put(await apiKeyName(API_KEY), JSON.stringify(record));
});
afterAll(() => miniflare?.dispose());

/** By key, what the bucket has: the metadata of an object, among which is the SHA-256 of its bytes. */
const copied = new Map<string, string>();

/** Metrics that are asked for. */
const ASKED = new Set(QUERIES.flatMap((query) => query.match(/[a-z_]{4,}/g) ?? []));
/** Most objects beside packs are of other metrics. */
const isAsked = (key: string) =>
  /\.(json|pack)$/.test(key) || key.split("/").some((part) => ASKED.has(part) || part.startsWith("@"));

/** Makes the bucket what a store is, but for what nobody asks for. */
async function copy({ objects }: MemoryStore): Promise<void> {
  const bucket = await miniflare.getR2Bucket("BUCKET");
  const gone = [...copied.keys()].filter((key) => !objects.has(key));
  if (gone.length > 0) await bucket.delete(gone);
  for (const key of gone) copied.delete(key);
  for (const [key, { bytes, metadata }] of objects) {
    const is = JSON.stringify(metadata);
    if (copied.get(key) === is || !isAsked(key)) continue;
    await bucket.put(key, bytes, { customMetadata: metadata, sha256: metadata[SHA256_METADATA]! });
    copied.set(key, is);
  }
}

async function ask(query: string): Promise<{ status: number; text: string }> {
  const response = await miniflare.dispatchFetch(`http://localhost/v3/series?a=TOK&${query}`, {
    headers: { "X-Api-Key": API_KEY },
  });
  return { status: response.status, text: await response.text() };
}

interface Activation {
  /** The number of its entry in the log. */
  n: number;
  manifest: Manifest;
  answers: Map<string, string>;
}

async function activation(store: MemoryStore): Promise<Activation> {
  await copy(store);
  const answers = new Map<string, string>();
  for (const query of QUERIES) {
    const { status, text } = await ask(`${query}&f=csv`);
    // Not all builds have hours, blocks and own cohorts.
    if (status === 200) answers.set(query, text);
    else expect(text).toMatch(/has no (resolution|own cohort)|have no own cohorts/);
  }
  const manifest = await activeManifest(store, "TOK");
  return { n: (await lastActivation(store, manifest))!.n, manifest, answers };
}

/** What a reader of every build would have noted down: of each time, what the first build said that had it. */
function firstPublished(query: string, activations: readonly Activation[]): string {
  const resolution = /r=(\w+)/.exec(query)![1] as Resolution;
  const keys = resolution === "block" ? 2 : 1;
  const builds = activations.flatMap(({ manifest, answers }) => {
    const text = answers.get(query);
    const line = knownLine(manifest, 1, "", null);
    const range = line.ranges[resolution];
    if (text === undefined || !range) return [];
    const [, ...rows] = text
      .trimEnd()
      .split("\n")
      .map((row) => row.split(","));
    const said = new Map(rows.map((row) => [row.slice(0, keys).join(","), row.slice(keys)]));
    return [{ line, range, said }];
  });
  const names = activations.at(-1)!.answers.get(query)!.split("\n")[0]!.split(",");
  const all = new Set(builds.flatMap(({ said }) => [...said.keys()]));
  const inOrder = [...all].map((row) => ({
    row,
    t: Date.parse(`${row.split(",")[0]}Z`) / 1000,
    block: Number(row.split(",")[1] ?? 0),
  }));
  inOrder.sort((a, b) => a.t - b.t || a.block - b.block);
  const lines = inOrder.flatMap(({ row, t }) => {
    const values = names.slice(keys).map((name, i) => {
      const [, metric, selector] = name.split(":") as [string, string, string];
      const first = builds.find(
        ({ line, range }) => publishes(line, resolution, metric, selector) && range[0] <= t && t <= range[1],
      );
      return first?.said.get(row)?.[i] ?? "";
    });
    return values.some((value) => value !== "") ? [[row, ...values]] : [];
  });
  return [names, ...lines].map((line) => `${line.join(",")}\n`).join("");
}

/** After this time, no further history is begun. */
const MOST_MS = timeLimit(300_000);

it(
  "an answer of an earlier time has the bytes that it had then",
  async () => {
    const property = fc.asyncProperty(plans, async ({ token, times, changes }) => {
      const folder = new TokenFolder(token, "TOK");
      const store = new MemoryStore();
      const holders = [...new Set(token.transfers.flatMap(({ from, to }) => [from, to]))].map((one) =>
        one.toLowerCase(),
      );
      const activations: Activation[] = [];
      try {
        for (const [i, { asOf, threads }] of times.entries()) {
          const { cohorts, resolutions, after } = changes[i]!;
          const now = changed(token, changes[i]!);
          const { exchanges, contracts } = now;
          const lower = Object.entries(exchanges).map(([address, name]) => [address.toLowerCase(), name]);
          folder.labels({ ...now, exchanges: Object.fromEntries(lower), contracts });
          folder.csv("transfers-1.csv", replayOrder({ ...now, asOf: Number.POSITIVE_INFINITY }));
          if (token.prices.length > 0) folder.prices(pricesOf(now));
          for (const [name, list] of Object.entries(cohorts)) {
            const own = new Set(list.map((place) => holders[place % holders.length]));
            folder.write(`list-${name}.csv`, ["address", ...own].join("\n"));
          }
          const lists = Object.fromEntries(Object.keys(cohorts).map((name) => [name, `list-${name}.csv`]));
          const keys = {
            asOf: iso(asOf),
            resolutions,
            cohorts: lists,
            ...(token.prices.length === 0 && { prices: undefined }),
          };
          const before = (await entriesOf(store, "TOK")).length;
          const { killed, isWritten } = changes[i]!;
          if (killed !== null) {
            const run = runBuild(killedAt(store, killed, isWritten), folder.asset(keys), { threads });
            await run.catch((error: unknown) => {
              if (!(error instanceof StoreFailure)) throw error;
            });
          }
          await runBuild(store, folder.asset(keys), { threads });
          if ((await entriesOf(store, "TOK")).length > before) activations.push(await activation(store));
          const earlier = activations.at(-2);
          const builds = new Set([...store.objects.keys()].filter((key) => key.startsWith("builds/")));
          if (after === "rollback" && earlier && builds.has(`builds/TOK/${earlier.manifest.build}.json`)) {
            if (earlier.manifest.build !== activations.at(-1)!.manifest.build) {
              await rollback(store, "TOK", earlier.manifest.build);
              activations.push(await activation(store));
            }
          }
          if (after === "collect") {
            store.now += 86_400_000;
            await collect(store, "TOK", { keep: 0, minAge: 0, now: new Date(store.now), dryRun: false });
          }
        }
        await copy(store);
        const active = activations.at(-1)!.manifest;
        // The times as they are now: a build corrects those of a clock that was ahead.
        const lines = await readKnownLines(store, "TOK", (await lastActivation(store, active))!);
        for (const { n, manifest, answers } of activations) {
          const { at } = lines.find((line) => line.n === n)!;
          expect(answers.size).toBeGreaterThan(0);
          for (const [query, text] of answers) {
            const found = await ask(`${query}&f=csv&known=${at}`);
            expect({ query, at, ...found }).toEqual({ query, at, status: 200, text });
          }
          const json = await ask(`m=supply&r=day&known=${at}`);
          expect(JSON.parse(json.text)).toMatchObject({
            builds: { TOK: manifest.build },
            asOf: { TOK: manifest.asOf },
          });
        }
        expect(await knownProblems(store, active)).toEqual([]);
        // What is missing is told, and is here again afterwards.
        for (const [key, object] of [...store.objects].filter(([key]) => key.startsWith("known/")).slice(0, 3)) {
          store.objects.delete(key);
          expect(await knownProblems(store, active)).toEqual([expect.stringContaining(`${key} is missing`)]);
          store.objects.set(key, object);
        }
        for (const query of QUERIES.filter((one) => /^m=[\w,]+&(c=[^&@]*&)?r=\w+$/.test(one))) {
          if (!activations.at(-1)!.answers.has(query)) continue;
          const found = await ask(`${query}&f=csv&known=first`);
          expect({ query, ...found }).toEqual({ query, status: 200, text: firstPublished(query, activations) });
        }
      } finally {
        folder.close();
      }
    });
    // Some histories are long: on a busy machine, fewer of them are tried.
    const began = performance.now();
    for (let run = 0; run < tries(1) && performance.now() - began < MOST_MS; run++) {
      await fc.assert(property, { numRuns: 1, endOnFailure: true });
    }
  },
  timeLimit(900_000),
);
