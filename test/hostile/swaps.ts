/**
 * Builds that supersede each other under constant load, roll back, and lose their objects soon after: no request fails,
 * and every answer is whole and of one build.
 */

import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import type { Miniflare } from "miniflare";
import { Failure } from "../../builder/lib/failure.ts";
import { collect } from "../../builder/published/builds/collect.ts";
import { rollback } from "../../builder/published/builds/rollback.ts";
import { workerModules } from "../../builder/serve/bundle.ts";
import { type LocalState, openLocalState } from "../../builder/store/local/local.ts";
import { createKey } from "../../builder/store/stored-keys.ts";
import { workerOptions } from "../../builder/store/wrangler.ts";
import { metricByName, metricNames } from "../../data-schema/registry/metrics.ts";
import { newFolder } from "../folders.ts";
import { startMiniflare } from "../store/start-miniflare.ts";
import type { Attack, Target } from "./attack.ts";
import { type MadeBuild, publish, threeBuilds } from "./three-builds.ts";

const SYMBOL = "SWAP";
/** At each server. */
const CONNECTIONS = 8;

type Step = { does: "build" | "rollback"; build: number; pause: number } | { does: "gc"; pause: number };

const pause = fc.nat(300);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ does: fc.constantFrom("build", "rollback"), build: fc.nat(2), pause }) },
    { weight: 2, arbitrary: fc.record({ does: fc.constant("gc" as const), pause }) },
  ),
  { minLength: 4, maxLength: 12, size: "max" },
);

export const swaps: Attack = {
  name: "swaps",
  unit: "requests during swaps",
  twin: "test/worker/locate/swaps.test.ts",
  open: () => Swaps.open(),
};

/** Every metric, for its last selector and its default, by day and hour. */
const QUERIES = metricNames("v1").flatMap((name) => {
  const { kind, selectors } = metricByName(name);
  const selector = selectors.v1;
  const values = selector ? [selector.values.at(-1)!, selector.default] : [null];
  return values.flatMap((value) => {
    const choice = value === null ? "" : `&${selector!.parameter}=${encodeURIComponent(value)}`;
    const path = `/v1/metrics/${name}?f=csv${choice}`;
    return [path, path.replace("csv", "json"), ...(kind === "flow" ? [`${path}&r=hour`] : [])];
  });
});

/** An answer of 200. */
interface Answer {
  query: string;
  build: string;
  digest: string;
}

class Swaps implements Target<Step[]> {
  readonly cases = fc.limitShrink(steps, 5);
  readonly #folder: string;
  readonly #state: LocalState;
  readonly #builds: readonly MadeBuild[];
  /** One isolate that lives on, and several that come and go. */
  readonly #servers: readonly Miniflare[];
  readonly #key: string;
  /** Digests of the right answers, by build and query. */
  readonly #right = new Map<string, string>();

  private constructor(
    folder: string,
    state: LocalState,
    builds: readonly MadeBuild[],
    servers: Miniflare[],
    key: string,
  ) {
    this.#folder = folder;
    this.#state = state;
    this.#builds = builds;
    this.#servers = servers;
    this.#key = key;
  }

  static async open(): Promise<Swaps> {
    const folder = newFolder();
    const builds = await threeBuilds(SYMBOL, ["day", "hour"]);
    const state = await openLocalState(folder);
    const { key } = await createKey(state.keys, { name: "load", plan: "unlimited" });
    // New isolates read a good key again and again, which is limited.
    const { ratelimits: _, ...options } = await workerOptions(folder);
    // One after the other: workerd ends if another one that starts has locked its database.
    const servers: Miniflare[] = [];
    for (const entry of ["worker/index.ts", "test/worker/isolates.ts", "test/worker/forgetful.ts"]) {
      const modules = await workerModules(entry);
      const server = startMiniflare({ ...options, ...modules, handleStructuredLogs: () => {} });
      await server.ready;
      servers.push(server);
    }
    const [alone, several, forgetful] = servers;
    const target = new Swaps(folder, state, builds, [alone!, several!], key);
    for (const build of builds) {
      await publish(state.objects, build);
      const answers = await Promise.all(QUERIES.map((query) => target.#ask(forgetful!, query)));
      for (const answer of answers) target.#right.set(`${answer!.build} ${answer!.query}`, answer!.digest);
    }
    await forgetful!.dispose();
    return target;
  }

  async attempt(steps: Step[]): Promise<number> {
    let isOver = false;
    const load = this.#servers.flatMap((server) =>
      Array.from({ length: CONNECTIONS }, (_, number) => this.#load(server, number, () => isOver)),
    );
    const failed = Promise.all(load);
    failed.catch(() => {});
    try {
      for (const step of steps) {
        await this.#take(step);
        await sleep(step.pause);
      }
    } finally {
      isOver = true;
    }
    return (await failed).reduce((sum, requests) => sum + requests);
  }

  /** A build, a rollback or a collection, each as its command does it. */
  async #take(step: Step): Promise<void> {
    const { objects } = this.#state;
    if (step.does === "gc") await collect(objects, SYMBOL, { dryRun: false, keep: 0, minAge: 0, now: new Date() });
    else if (step.does === "build") await publish(objects, this.#builds[step.build]!);
    else {
      await rollback(objects, SYMBOL, this.#builds[step.build]!.manifest.build).catch((error) => {
        // It is active, or it has been collected.
        if (!(error instanceof Failure)) throw error;
      });
    }
  }

  /** Sends requests over one connection until `isOver`. */
  async #load(server: Miniflare, number: number, isOver: () => boolean): Promise<number> {
    const tags = new Map<string, string>();
    let requests = 0;
    for (let i = number * 37; !isOver(); i += 7) {
      const query = QUERIES[i % QUERIES.length]!;
      const how = i % 8 === 0 ? "HEAD" : i % 8 === 1 ? "again" : "GET";
      const answer = await this.#ask(server, query, how, tags);
      requests++;
      if (answer && this.#right.get(`${answer.build} ${query}`) !== answer.digest) {
        throw new Error(`${query}: the answer is not that of the build ${answer.build}`);
      }
    }
    return requests;
  }

  /**
   * Requests a query by GET, by HEAD, or with the tag that was seen last.
   *
   * @returns undefined without a body
   */
  async #ask(
    server: Miniflare,
    query: string,
    how = "GET",
    tags = new Map<string, string>(),
  ): Promise<Answer | undefined> {
    const known = how === "again" ? tags.get(query) : undefined;
    const headers = { "X-Api-Key": this.#key, "Accept-Encoding": "identity", ...(known && { "If-None-Match": known }) };
    const method = how === "HEAD" ? how : "GET";
    const response = await server.dispatchFetch(`http://localhost${query}&a=${SYMBOL}`, { method, headers });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const tag = response.headers.get("ETag") ?? "";
    if (response.status === 304 && tag === known) return undefined;
    if (response.status !== 200) throw new Error(`${how} ${query}: ${response.status} ${Buffer.from(bytes)}`);
    tags.set(query, tag);
    // An ETag names the symbol and the build, among others.
    const build = tag.split(":")[2]!;
    return how === "HEAD" ? undefined : { query, build, digest: createHash("sha256").update(bytes).digest("hex") };
  }

  async close(): Promise<void> {
    for (const server of this.#servers) await server.dispose();
    await this.#state.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
