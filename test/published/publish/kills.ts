/**
 * Commands on R2 that are killed: a real `soprano … --store`, ended by SIGKILL at a chosen request to the store. Readers
 * have to see a complete build at any time, and the next run has to complete the killed one.
 */

import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { apiKeyName } from "../../../data-schema/access/api-keys.ts";
import { metricNames } from "../../../data-schema/registry/metrics.ts";
import type { Resolution } from "../../../data-schema/registry/resolutions.ts";
import { parseChangeEntry } from "../../../data-schema/stored/changes.ts";
import { buildKey, changePrefix, collectionPrefix, currentKey } from "../../../data-schema/stored/objects.ts";
import { parseManifest, references } from "../../../data-schema/stored.ts";
import { type Outcome, soprano, sopranoIn } from "../../commands/soprano.ts";
import { start } from "../../soprano-process.ts";
import { BUCKET, type S3, type S3Request, startFilesS3 } from "../../store/s3.ts";

const SYMBOL = "SIM";
const CURRENT = currentKey(SYMBOL);
const API_KEY = "3f2b8c1e-5d4a-4f6b-9a7c-0e1d2c3b4a59";
const DAY = 86_400;

/** When a command is killed: as a request has arrived at the store, has been carried out, or has been answered. */
export type Moment = "come" | "done" | "answered";

/** A request of a build, counted from its first. */
export interface KillPoint {
  request: number;
  moment: Moment;
}

/** Objects by key, each as a text that differs if the object does. */
type Objects = Map<string, string>;

/** A bucket after a build that was not disturbed. */
interface Undisturbed {
  objects: Objects;
  /** The keys of all objects, those of the log included. */
  keys: ReadonlySet<string>;
  /** The Worker's answers for some metrics, by path. */
  answers: Map<string, string>;
  /** The active manifest as it was written. */
  current: { bytes: ArrayBuffer; customMetadata: Record<string, string> };
}

export class Kills {
  /** How many requests the later build makes. */
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

  /** Simulates a token in a folder and builds it twice: up to 30 days before its end, and up to its end. */
  static async prepare(folder: string, transfers: number, resolutions: readonly Resolution[]): Promise<Kills> {
    const s3 = await startFilesS3("test/worker/forgetful.ts");
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
   * Restores the earlier build, kills the later one, checks what is left, and runs it again.
   *
   * @returns whether the kill landed before the build had ended
   * @throws {Error} what is wrong then
   */
  async survive({ request, moment }: KillPoint): Promise<boolean> {
    const s3 = this.#s3;
    await this.#restore();
    const first = s3.requests.length;
    const wasKilled = await this.#kill(buildArgs(this.#asset), ({ number }) => number === first + request, moment);
    const left = await look(s3);
    this.#expectWhole(left);
    const isPublished = left.objects.get(CURRENT) === this.#after.objects.get(CURRENT);
    // A night does not look for what an attempt before it has put.
    const missing = isPublished
      ? []
      : [...this.#after.objects.keys()].filter((key) => isPack(key) && !this.#before.objects.has(key));

    const second = s3.requests.length;
    await succeed(build(s3, this.#asset));
    const sent = s3.requests.slice(second).filter(({ method, path }) => method === "PUT" && isPack(path.slice(1)));
    if (sent.length !== missing.length) throw new Error(`${sent.length} objects were sent, ${missing.length} missing`);
    const completed = await look(s3);
    expectEqual(completed.objects, this.#after.objects);
    expectEqual(completed.answers, this.#after.answers);
    return wasKilled;
  }

  /**
   * Kills a rollback to the earlier build once it has written the active manifest.
   *
   * @returns whether the kill landed
   * @throws {Error} the earlier build is not active and complete
   */
  async rollBack(): Promise<boolean> {
    await this.#restore();
    await succeed(build(this.#s3, this.#asset));
    const { build: earlier } = manifestOf(this.#before);
    const wasKilled = await this.#kill(
      ["rollback", SYMBOL, earlier],
      ({ method, path }) => method === "PUT" && path.startsWith(`/${CURRENT}`),
      "done",
    );
    const { objects, answers } = await look(this.#s3);
    if (objects.get(CURRENT) !== this.#before.objects.get(CURRENT)) throw new Error("the earlier build is not active");
    expectEqual(answers, this.#before.answers);
    return wasKilled;
  }

  /**
   * Kills a collection once it has removed something, and runs it again.
   *
   * @returns whether the kill landed
   * @throws {Error} the later build is not active and complete, or the second run leaves what the first did not remove
   */
  async collect(): Promise<boolean> {
    await this.#restore();
    await succeed(build(this.#s3, this.#asset));
    const gc = ["gc", SYMBOL, "--keep", "0", "--min-age", "0m", "--quiet"];
    const before = await look(this.#s3);
    const wasKilled = await this.#kill(gc, ({ method }) => method === "POST" || method === "DELETE", "done");
    const left = await look(this.#s3);
    const gone = [...before.objects.keys()].filter((key) => !left.objects.has(key));
    if (gone.length === 0) throw new Error("nothing was removed");
    this.#expectWhole(left);
    await succeed(sopranoIn(this.#s3.environment, ...gc, ...STORE));
    const completed = await look(this.#s3);
    const manifest = manifestOf(this.#after);
    // The killed collection was of this machine: its lease counts for nothing, and the next one removes it.
    const leases = [...completed.objects.keys()].filter((key) => key.startsWith(collectionPrefix(SYMBOL)));
    if (leases.length !== 0) throw new Error(`there are ${leases.length} leases`);
    const kept = [CURRENT, buildKey(SYMBOL, manifest.build), "the log", ...references(manifest).map(({ key }) => key)];
    expectEqual(completed.objects, new Map(kept.map((key) => [key, this.#after.objects.get(key) ?? "none"])));
    return wasKilled;
  }

  /** Runs a command in a process of its own, and kills it at the first request that matches. */
  async #kill(args: readonly string[], matches: (request: S3Request) => boolean, moment: Moment): Promise<boolean> {
    const env = { ...process.env, ...this.#s3.environment };
    // A group of its own, so that nothing that it started lives on.
    const child = start([...args, ...STORE], { env, detached: true });
    this.#s3.watch = (request, now) => {
      if (!matches(request) || now !== moment) return;
      this.#s3.watch = () => {};
      process.kill(-child.pid!, "SIGKILL");
    };
    await once(child, "close");
    await this.#s3.idle();
    return child.signalCode === "SIGKILL";
  }

  /**
   * Holds the later build just before it is activated, until another one is published.
   *
   * @returns how the later build ended
   * @throws {Error} the other build is not complete then
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
    if (!whole) throw new Error("the active manifest is neither build's");
    for (const { key } of references(manifestOf(whole))) {
      if (objects.get(key) === undefined || objects.get(key) !== whole.objects.get(key)) {
        throw new Error(`${key} is not whole`);
      }
    }
    expectEqual(answers, whole.answers);
  }

  /** Restores the bucket to what it was after the earlier build. */
  async #restore(): Promise<void> {
    const bucket = await this.#s3.miniflare.getR2Bucket("BUCKET");
    const now = await listed(this.#s3);
    await bucket.delete(Object.keys(now).filter((key) => !this.#before.keys.has(key)));
    const { bytes, customMetadata } = this.#before.current;
    await bucket.put(CURRENT, bytes, { customMetadata });
    expectEqual(await objectsOf(this.#s3), this.#before.objects);
  }
}

const isPack = (key: string) => key.startsWith("packs/");

const manifestOf = ({ current }: Undisturbed) => parseManifest(new TextDecoder().decode(current.bytes));

const STORE = ["--store", `r2://${BUCKET}`];

const buildArgs = (asset: string) => ["--quiet", "build", asset, "--threads", "1"];

const build = (s3: S3, asset: string) => sopranoIn(s3.environment, ...buildArgs(asset), ...STORE);

async function succeed(run: Promise<Outcome>): Promise<void> {
  const { status, stderr } = await run;
  if (status !== 0) throw new Error(`it ended with ${status}: ${stderr}`);
}

async function look(s3: S3): Promise<Undisturbed> {
  const bucket = await s3.miniflare.getR2Bucket("BUCKET");
  const current = (await bucket.get(CURRENT))!;
  const bytes = await current.arrayBuffer();
  const answers = new Map<string, string>();
  for (const metric of metricNames("v1").filter((_, i) => i % 10 === 0)) {
    const path = `/v1/metrics/${metric}?a=${SYMBOL}&f=csv`;
    const response = await s3.miniflare.dispatchFetch(`http://localhost${path}&api_key=${API_KEY}`);
    answers.set(path, `${response.status} ${await response.text()}`);
  }
  const refused = [...answers.values()].find((answer) => !answer.startsWith("200 "));
  if (refused) throw new Error(`the Worker answers ${refused}`);
  const keys = new Set(Object.keys(await listed(s3)));
  return {
    objects: await objectsOf(s3),
    keys,
    answers,
    current: { bytes, customMetadata: current.customMetadata ?? {} },
  };
}

async function listed({ miniflare }: S3): Promise<Record<string, string>> {
  const response = await miniflare.dispatchFetch("http://localhost/objects");
  return (await response.json()) as Record<string, string>;
}

async function objectsOf(s3: S3): Promise<Objects> {
  const objects = Object.entries(await listed(s3));
  const others = objects.filter(([key]) => !key.startsWith(changePrefix(SYMBOL)));
  // All of a manifest but the time of its creation.
  const undated = others.map(([key, content]) => [key, content.replace(/"created":"[^"]*"/, "")] as const);
  return new Map([...undated, ["the log", entriesOf(objects)]]);
}

/** The entries that count, that of the active build first, but for their numbers and times. */
function entriesOf(objects: [key: string, content: string][]): string {
  const log = objects.filter(([key]) => key.startsWith(changePrefix(SYMBOL))).map(([, text]) => parseChangeEntry(text));
  const active = objects.find(([key]) => key === CURRENT);
  const { build } = active ? parseManifest(active[1]) : { build: "" };
  const told: object[] = [];
  for (let entry = log.findLast((one) => one.build === build); entry; ) {
    const { n: _, previous, activated: __, nights: ___, known, ...rest } = entry;
    told.push({ ...rest, known: known!.lines.map(({ build, replaced }) => [build, replaced]) });
    entry = log.find(({ n }) => n === previous);
  }
  return JSON.stringify(told);
}

function expectEqual(actual: Map<string, string>, expected: Map<string, string>): void {
  const keys = new Set([...actual.keys(), ...expected.keys()]);
  const different = [...keys].filter((key) => actual.get(key) !== expected.get(key));
  if (different.length > 0) throw new Error(`${different.length} differ: ${different.slice(0, 3).join(", ")}`);
}
