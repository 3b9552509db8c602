/**
 * Requests of every route and tool that cost as much as they can: invented assets, many columns, formulas, wide ranges,
 * wrong keys; while the store is whole, damaged or down. Each is answered in time, or refused in a sentence, and reads at most what
 * docs/operating.md#what-a-request-reads states.
 */

import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { collect } from "../../builder/published/builds/collect.ts";
import { DISTRIBUTION_FIELDS } from "../../data-schema/registry/distributions.ts";
import type { Resolution } from "../../data-schema/registry/resolutions.ts";
import { changePrefix, knownPrefix, SHA256_METADATA } from "../../data-schema/stored/objects.ts";
import { listedSeries, type Manifest } from "../../data-schema/stored.ts";
import { MemoryStore } from "../store/memory-store.ts";
import { at, DAY, HOUR, publish as publishToken } from "../worker/token.ts";
import type { Attack, Target } from "./attack.ts";
import { type Ask, asks, type Published } from "./costly-requests.ts";
import type { Bucket } from "./made-up-token.ts";
import { publish, threeBuilds } from "./three-builds.ts";
import { API_KEY, type RunningWorker, startWorker } from "./worker.ts";

/** Longest that an answer may take, on a busy machine. */
const MOST_MS = 30_000;

const STORES = ["whole", "whole", "damaged", "down"] as const;

/** What a request brings for a key. */
const KEYS: Record<string, Record<string, string>> = {
  good: { "X-Api-Key": API_KEY },
  unknown: { "X-Api-Key": "00000000-0000-4000-8000-000000000000" },
  long: { "X-Api-Key": "x".repeat(10_000) },
  several: { "X-Api-Key": API_KEY, Authorization: "Bearer nonsense" },
};

interface Case {
  ask: Ask;
  store: (typeof STORES)[number];
  key: string;
}

class Costly implements Target<Case> {
  readonly cases: fc.Arbitrary<Case>;
  readonly #worker: RunningWorker;

  private constructor(worker: RunningWorker, published: readonly Published[]) {
    this.#worker = worker;
    this.cases = fc.record({
      ask: asks(published),
      store: fc.constantFrom(...STORES),
      key: fc.constantFrom(...Array<string>(6).fill("good"), ...Object.keys(KEYS)),
    });
  }

  static async open(): Promise<Costly> {
    const worker = await startWorker("test/worker/counted.ts");
    const bucket = await worker.bucket();
    await bucket.put("damage", new Uint8Array(10_000), {});
    return new Costly(worker, [await publishBuilds(bucket), await publishWide(bucket)]);
  }

  async attempt({ ask, store, key }: Case): Promise<number> {
    const { path, message } = ask;
    const told = `${message ? JSON.stringify(message) : path.slice(0, 2_000)}, ${key} key, store ${store}`;
    const posted = message && {
      method: "POST",
      body: JSON.stringify(message),
      headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
    };
    const headers = { ...posted?.headers, ...KEYS[key], "X-Store": store };
    const late = sleep(MOST_MS, undefined, { ref: false }).then(() => {
      throw new Error(`${told}: no answer in ${MOST_MS / 1000} s`);
    });
    const response = await Promise.race([this.#worker.ask(path, { ...posted, headers }), late]);
    const text = await response.text();
    const reads = response.headers.get("X-Reads");
    // Where it hangs, the runtime answers in its place.
    if (reads === null)
      throw new Error(`${told}: ${response.status}, which is not the Worker's: ${text.slice(0, 300)}`);
    const [kv, r2] = reads.split(" ").map(Number) as [number, number];
    const most = store === "whole" ? ask.whole : ask.troubled;
    if (!(kv <= 1)) throw new Error(`${told}: reads KV ${kv} times`);
    if (!(r2 <= most)) throw new Error(`${told}: reads R2 ${r2} times, and not at most ${most}`);
    this.#expectTold(response.status, text, store, told);
    return 1;
  }

  /** Fails for a failure of the Worker's own, and for an error without a sentence. */
  #expectTold(status: number, text: string, store: Case["store"], told: string): void {
    if (status < 400) return;
    const isOwn = status >= 500 && store === "whole";
    const { detail, error, unreadable } = text.startsWith("{") ? JSON.parse(text) : {};
    // /health answers the same whether it is well or not.
    if (unreadable && store !== "whole") return;
    const sentence = detail ?? error?.message ?? "";
    const isSentence = /^\S[^\n]{5,400}\.( See character \d+ of x\.)?$/.test(sentence);
    if (isOwn || !isSentence) throw new Error(`${told}: ${status} ${text.slice(0, 300)}`);
  }

  close(): Promise<void> {
    return this.#worker.close();
  }
}

/** A token with a long log: it has been activated so often that the log has several parts. One of its builds is collected. */
async function publishBuilds(bucket: Bucket): Promise<Published> {
  const symbol = "ONE";
  const store = new MemoryStore();
  store.now = Date.now();
  const builds = await threeBuilds(symbol, ["day"]);
  for (let i = 0; i < 36; i++) await publish(store, builds[i < 3 ? i : 1 + (i % 2)]!);
  store.now += 2 * DAY * 1000;
  await collect(store, symbol, { dryRun: false, keep: 1, minAge: 0, now: new Date(store.now) });
  for (const [key, { bytes, metadata }] of store.objects) {
    await bucket.put(key, bytes, { customMetadata: metadata, sha256: metadata[SHA256_METADATA]! });
  }
  const count = (prefix: string) => [...store.objects.keys()].filter((key) => key.startsWith(prefix)).length;
  const log = { changes: count(changePrefix(symbol)), known: count(knownPrefix(symbol)) };
  return { ...publishedAs(builds[2]!.manifest), builds: builds.map(({ manifest }) => manifest.build), ...log };
}

/** A token with all metrics over many periods, own cohorts and distributions. */
async function publishWide(bucket: Bucket): Promise<Published> {
  const years = [2023, 2024, 2025].map((year) => period(String(year), `${year}-01-01`, `${year + 1}-01-01`));
  const months = Array.from({ length: 3 }, (_, i) => `2024-${String(i + 1).padStart(2, "0")}`);
  const starts = years.map(({ from }) => from);
  const manifest = await publishToken(bucket, {
    symbol: "TWO",
    own: ["@team", "@fund"],
    periods: {
      day: years,
      hour: years,
      block: months.map((name, i) => period(name, `${name}-01`, `${months[i + 1] ?? "2024-04"}-01`)),
      week: [period("all", "2023-01-02", "2025-12-29")],
      month: [period("all", "2023-01-01", "2026-01-01")],
    },
    range: {
      day: [starts[0]!, starts[2]! + 9 * DAY],
      hour: [starts[0]!, starts[2]! + 9 * HOUR],
      week: [at("2024-01-01"), at("2024-12-30")],
      month: [starts[0]!, starts[2]!],
    },
    series: (_, resolution) => {
      const times =
        { block: months.map((name) => at(`${name}-02`)), week: [at("2024-01-01")] }[resolution as "week"] ?? starts;
      return times.map((t) => ({ t, v: 1.5 }));
    },
    // In row groups of one address, so that pages read ranges of several.
    holders: {
      rows: Array.from({ length: 60 }, (_, n) => ({
        ...{
          address: `0x${String(n).padStart(40, "0")}`,
          label: n % 3,
          balance: BigInt(n),
          basis: 1,
          since: starts[0]!,
        },
        ...{ firstEvent: starts[0]!, lastEvent: starts[0]!, realised: n, sent: 1, receipts: 1, sends: 1, cohorts: [0] },
      })),
      price: 1,
      cohorts: ["@team", "@fund"],
      days: starts.flatMap((start) =>
        [start, start + 8 * DAY].map((day) => ({ day, supply: 9n, largest: [[`0x${"1".repeat(40)}`, 9n]] as const })),
      ),
      groupRows: 1,
      hasLists: true,
    },
    distributions(name) {
      const values = { t: Float64Array.from(starts), v: Float64Array.from(starts, () => 1) };
      // The buckets of the others are times.
      const fields = name === "cost_basis" ? DISTRIBUTION_FIELDS.toSorted() : [];
      return fields.map((field) => ({ selector: `${field}:total:0`, ...values }));
    },
  });
  return publishedAs(manifest);
}

const period = (name: string, from: string, to: string) => ({ name, from: at(from), to: at(to) });

function publishedAs(manifest: Manifest): Published {
  const { symbol, resolutions, cohorts = {}, build } = manifest;
  const counts = Object.entries(resolutions).map(([name, of]) => [name, of!.periods.length] as [Resolution, number]);
  const [first] = [...listedSeries(manifest)];
  return {
    symbol,
    periods: Object.fromEntries(counts),
    // And the prices, footer and rows, of those that are asked for around the price.
    years:
      (2 + DISTRIBUTION_FIELDS.length) * (manifest.distributions?.day.length ?? 0) + 2 * resolutions.day.periods.length,
    cohorts: Object.keys(cohorts).length,
    builds: [build],
    files: first ? [first.key.split("/").slice(2).join("/")] : [],
    changes: 0,
    known: 0,
  };
}

export const costly: Attack = {
  name: "costly",
  unit: "costly requests",
  open: async () => (await Costly.open()) as Target,
};
