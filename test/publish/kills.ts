/**
 * Builds that are killed: a real `soprano build --store`, ended by SIGKILL at a chosen moment of its uploading. What
 * readers see has to be a whole build at any time, and the next run has to complete it.
 */

import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_RETRY_POLICY, retry } from "../../builder/store/retry.ts";
import { apiKeyName } from "../../data-schema/keys.ts";
import { listedSeries, parseManifest } from "../../data-schema/manifest.ts";
import { METRICS } from "../../data-schema/metrics.ts";
import { currentKey } from "../../data-schema/objects.ts";
import type { Resolution } from "../../data-schema/resolutions.ts";
import { type Outcome, outcome, soprano, start } from "../end-to-end/command-line.ts";
import { BUCKET, type S3, startS3 } from "../store/s3.ts";

const SYMBOL = "SIM";
const CURRENT = currentKey(SYMBOL);
const API_KEY = "3f2b8c1e-5d4a-4f6b-9a7c-0e1d2c3b4a59";
const DAY = 86_400;

/** Killed when this request (counted from the build's first) has come, was done, or was answered. */
export interface KillPoint {
  request: number;
  moment: "come" | "done" | "answered";
}

/** Objects by key; of each what tells it from others. */
type Objects = Map<string, string>;

/** A bucket after a build that nothing disturbed. */
interface Undisturbed {
  objects: Objects;
  /** What the Worker answers of some metrics, by path. */
  answers: Map<string, string>;
  /** The active manifest, as it was put. */
  current: { bytes: ArrayBuffer; customMetadata: Record<string, string> };
}

export class Kills {
  /** Requests of the build that is killed, when it is not. */
  readonly requests: number;
  readonly #s3: S3;
  readonly #asset: string;
  readonly #before: Undisturbed;
  readonly #after: Undisturbed;

  private constructor(s3: S3, asset: string, before: Undisturbed, after: Undisturbed, requests: number) {
    this.#s3 = s3;
    this.#asset = asset;
    this.#before = before;
    this.#after = after;
    this.requests = requests;
  }

  /** Simulates a token in a folder, and builds it until some weeks before its end, and until its end. */
  static async prepare(folder: string, transfers: number, resolutions: readonly Resolution[]): Promise<Kills> {
    const s3 = await startS3("test/worker/forgetful.ts");
    const options = ["--out", folder, "--seed", "11", "--transfers", String(transfers), "--days", "90"];
    await succeed(soprano("--quiet", "simulate", ...options, "--symbol", SYMBOL));
    const asset = join(folder, "asset.json");
    const { asOf, ...rest } = JSON.parse(readFileSync(asset, "utf8"));
    rest.resolutions = resolutions;
    writeFileSync(asset, JSON.stringify({ ...rest, asOf }));
    const early = join(folder, "early.json");
    for (const [path, days] of [
      [early, 30],
      [join(folder, "between.json"), 10],
    ] as const) {
      const earlier = new Date(Date.parse(asOf) - days * DAY * 1000).toISOString();
      writeFileSync(path, JSON.stringify({ ...rest, asOf: earlier }));
    }
    const keys = await s3.miniflare.getKVNamespace("KEYS");
    const record = { id: "k1", name: "Tests", status: "active", plan: "unlimited", created: "2024-01-01T00:00:00Z" };
    await keys.put(await apiKeyName(API_KEY), JSON.stringify(record));

    await succeed(build(s3, early));
    const before = await look(s3);
    const first = s3.requests.length;
    await succeed(build(s3, asset));
    const requests = s3.requests.length - first;
    return new Kills(s3, asset, before, await look(s3), requests);
  }

  /**
   * Goes back to the earlier build, kills the later one, and runs it again.
   *
   * @returns whether it was killed, and not done before
   * @throws {Error} what is wrong then
   */
  async survive({ request, moment }: KillPoint): Promise<boolean> {
    const s3 = this.#s3;
    await this.#restore();
    const first = s3.requests.length;
    const child = buildProcess(s3, this.#asset);
    s3.watch = ({ number }, now) => {
      if (number === first + request && now === moment) process.kill(-child.pid!, "SIGKILL");
    };
    await once(child, "close");
    s3.watch = () => {};
    await s3.idle();
    const left = await look(s3);
    this.#expectWhole(left);
    const missing = [...this.#after.objects.keys()].filter((key) => isSeries(key) && !left.objects.has(key));

    const second = s3.requests.length;
    await succeed(build(s3, this.#asset));
    const sent = s3.requests.slice(second).filter(({ method, path }) => method === "PUT" && isSeries(path.slice(1)));
    if (sent.length !== missing.length) throw new Error(`${sent.length} objects were sent, ${missing.length} missing`);
    const completed = await look(s3);
    expectEqual(completed.objects, this.#after.objects);
    expectEqual(completed.answers, this.#after.answers);
    return child.signalCode === "SIGKILL";
  }

  /**
   * Holds the later build before its swap, while another one is published.
   *
   * @returns how it ended
   * @throws {Error} what the other one published is not whole then
   */
  async overtake(): Promise<Outcome> {
    await this.#restore();
    const between = join(this.#asset, "..", "between.json");
    let published: Undisturbed | undefined;
    this.#s3.watch = async ({ method, path }) => {
      if (published || method !== "PUT" || !path.startsWith(`/${CURRENT}`)) return;
      this.#s3.watch = () => {};
      await succeed(build(this.#s3, between));
      published = await look(this.#s3);
    };
    const end = await build(this.#s3, this.#asset);
    const now = await look(this.#s3);
    if (now.objects.get(CURRENT) !== published?.objects.get(CURRENT)) throw new Error("another build is active");
    expectEqual(now.answers, published!.answers);
    return end;
  }

  async close(): Promise<void> {
    await this.#s3.close();
  }

  /** Every object of the active manifest is there, and all of the Worker's answers are of one build. */
  #expectWhole({ objects, answers }: Undisturbed): void {
    const whole = [this.#before, this.#after].find((build) => build.objects.get(CURRENT) === objects.get(CURRENT));
    if (!whole) throw new Error("the active manifest is of no build");
    const manifest = parseManifest(new TextDecoder().decode(whole.current.bytes));
    for (const { key } of listedSeries(manifest)) {
      if (objects.get(key) === undefined || objects.get(key) !== whole.objects.get(key)) {
        throw new Error(`${key} is not whole`);
      }
    }
    expectEqual(answers, whole.answers);
  }

  /** Puts the bucket back to where only the earlier build was. */
  async #restore(): Promise<void> {
    const bucket = await this.#s3.miniflare.getR2Bucket("BUCKET");
    const now = await objectsOf(this.#s3);
    await bucket.delete([...now.keys()].filter((key) => !this.#before.objects.has(key)));
    const { bytes, customMetadata } = this.#before.current;
    await bucket.put(CURRENT, bytes, { customMetadata });
    expectEqual(await objectsOf(this.#s3), this.#before.objects);
  }
}

const isSeries = (key: string) => key.startsWith("series/");

function buildProcess(s3: S3, asset: string) {
  const env = { ...process.env, ...s3.environment, NODE_COMPILE_CACHE: join(asset, "..", "compiled") };
  // A group of its own, so that nothing that it started lives on.
  return start(["--quiet", "build", asset, "--threads", "1", "--store", `r2://${BUCKET}`], { env, detached: true });
}

const build = (s3: S3, asset: string) => outcome(buildProcess(s3, asset));

async function succeed(run: ReturnType<typeof soprano>): Promise<void> {
  const { status, stderr } = await run;
  if (status !== 0) throw new Error(`it ended with ${status}: ${stderr}`);
}

/** Reading again is no cheating: on a busy machine a connection of the test's own may fail. */
const look = (s3: S3): Promise<Undisturbed> =>
  retry(
    () => lookOnce(s3),
    (error) => /fetch failed/.test(String(error)),
    DEFAULT_RETRY_POLICY,
  );

async function lookOnce(s3: S3): Promise<Undisturbed> {
  const bucket = await s3.miniflare.getR2Bucket("BUCKET");
  const current = (await bucket.get(CURRENT))!;
  const bytes = await current.arrayBuffer();
  const answers = new Map<string, string>();
  for (const metric of METRICS.filter((_, i) => i % 10 === 0)) {
    const path = `/v1/metrics/${metric.name}?a=${SYMBOL}&f=csv`;
    const response = await s3.miniflare.dispatchFetch(`http://localhost${path}&api_key=${API_KEY}`);
    answers.set(path, `${response.status} ${await response.text()}`);
  }
  const refused = [...answers.values()].find((answer) => !answer.startsWith("200 "));
  if (refused) throw new Error(`the Worker answers ${refused}`);
  return { objects: await objectsOf(s3), answers, current: { bytes, customMetadata: current.customMetadata ?? {} } };
}

async function objectsOf({ miniflare }: S3): Promise<Objects> {
  const bucket = await miniflare.getR2Bucket("BUCKET");
  const found: Objects = new Map();
  for (let cursor: string | undefined; ; ) {
    const page = await bucket.list(cursor ? { cursor } : {});
    for (const { key, etag, size } of page.objects) {
      // Of manifests all but the time of creation.
      if (key.endsWith(".json"))
        found.set(key, (await (await bucket.get(key))!.text()).replace(/"created":"[^"]*"/, ""));
      else found.set(key, `${etag} ${size}`);
    }
    if (!page.truncated) return found;
    cursor = page.cursor;
  }
}

function expectEqual(actual: Map<string, string>, expected: Map<string, string>): void {
  const keys = new Set([...actual.keys(), ...expected.keys()]);
  const different = [...keys].filter((key) => actual.get(key) !== expected.get(key));
  if (different.length > 0) throw new Error(`${different.length} differ: ${different.slice(0, 3).join(", ")}`);
}
