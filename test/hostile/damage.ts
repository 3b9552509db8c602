/**
 * Stored bytes are damaged on the disk below R2, or replaced in the bucket: every answer of the Worker is the right
 * one, or says `damaged-data`.
 */

import { createHash } from "node:crypto";
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { Miniflare } from "miniflare";
import { workerModules } from "../../builder/serve/bundle.ts";
import { workerOptions } from "../../builder/store/wrangler.ts";
import { apiKeyName } from "../../data-schema/keys.ts";
import { currentKey } from "../../data-schema/objects.ts";
import { newFolder } from "../folders.ts";
import { startMiniflare } from "../store/start-miniflare.ts";
import type { Attack, Target } from "./attack.ts";
import { type Damage, damage, damaged } from "./byte-damage.ts";
import { type Bucket, pathsOf, publishMadeUp } from "./made-up-token.ts";
import { itemAt, share } from "./share.ts";

const SYMBOL = "MADE";
const MANIFEST = currentKey(SYMBOL);
const API_KEY = "3f2b8c1e-5d4a-4f6b-9a7c-0e1d2c3b4a59";
const CATALOG = ["/v1/assets", "/health"];

interface Case {
  /** Which object is damaged, as a share of all. */
  object: number;
  damage: Damage;
  /** On the disk, nothing knows of it. In the bucket, it is another object, with its own checksum. */
  place: "disk" | "bucket";
  /** What is asked then, as a share of all requests that may read the object. */
  request: number;
}

const place = fc.constantFrom<Case["place"][]>("disk", "disk", "bucket");

export const damagedData: Attack = {
  name: "damage",
  unit: "damaged objects",
  open: () => DamagedData.open(),
};

/** An object in the bucket, and the file that holds its bytes. */
interface Stored {
  key: string;
  bytes: Buffer;
  file: string;
  metadata: Record<string, string>;
}

class DamagedData implements Target<Case> {
  readonly cases = fc.record({ object: share, damage, place, request: share });
  readonly #miniflare: Miniflare;
  readonly #folder: string;
  #stored: Stored[] = [];
  /** The right answers, by path. */
  readonly #right = new Map<string, string>();

  private constructor(miniflare: Miniflare, folder: string) {
    this.#miniflare = miniflare;
    this.#folder = folder;
  }

  static async open(): Promise<DamagedData> {
    const folder = newFolder();
    const { ratelimits: _, ...options } = await workerOptions(folder);
    const miniflare = startMiniflare({
      ...options,
      ...(await workerModules("test/worker/forgetful.ts")),
      // Each damage is logged, too.
      handleStructuredLogs: () => {},
    });
    const target = new DamagedData(miniflare, folder);
    const bucket = await target.#bucket();
    for (const symbol of [SYMBOL, "OTHER"]) await publishMadeUp(bucket, symbol);
    const record = { id: "k1", name: "Tests", status: "active", plan: "unlimited", created: "2024-01-01T00:00:00Z" };
    await (await miniflare.getKVNamespace("KEYS")).put(await apiKeyName(API_KEY), JSON.stringify(record));
    await target.#findFiles();
    return target;
  }

  async attempt({ object, damage, place, request }: Case): Promise<number> {
    const own = this.#stored.filter(({ key }) => key.split(/[/.]/)[1] === SYMBOL);
    const stored = itemAt(own, object);
    const paths = [...pathsOf(SYMBOL, stored.key), ...(stored.key === MANIFEST ? CATALOG : [])];
    const path = itemAt(paths, request);
    if (!this.#right.has(path)) this.#right.set(path, await this.#ask(path));
    const others = this.#stored.filter(({ key }) => key !== stored.key).map(({ bytes }) => bytes);
    const bad = damaged(stored.bytes, damage, others);
    // Nobody can tell a manifest that was replaced by another one of the same asset.
    const onDisk = place === "disk" || (stored.key === MANIFEST && damage.kind !== "swapped");
    if (onDisk) writeFileSync(stored.file, bad);
    else await this.#put(stored, bad);
    const answer = await this.#ask(path);
    if (onDisk) writeFileSync(stored.file, stored.bytes);
    else {
      await this.#put(stored, stored.bytes);
      await this.#findFiles();
    }
    if (this.#isAllowed(path, answer)) return 1;
    throw new Error(`${damage.kind} ${stored.key} (${place}): ${path} answers ${answer.slice(0, 300)}`);
  }

  #isAllowed(path: string, answer: string): boolean {
    const right = this.#right.get(path)!;
    // The catalog must not vouch for an asset whose manifest can't be read.
    if (CATALOG.includes(path)) return answer !== right;
    return answer === right || answer.startsWith('500 {"type":"/problems/damaged-data"');
  }

  async #ask(path: string): Promise<string> {
    const headers = { "X-Api-Key": API_KEY };
    const response = await this.#miniflare.dispatchFetch(`http://localhost${path}`, { headers });
    return `${response.status} ${await response.text()}`.replace(/"ageSeconds":\d+/g, "");
  }

  async #put({ key, metadata }: Stored, bytes: Uint8Array): Promise<void> {
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    await (await this.#bucket()).put(key, bytes, { sha256, customMetadata: metadata });
  }

  #bucket(): Promise<Bucket> {
    return this.#miniflare.getR2Bucket("BUCKET") as unknown as Promise<Bucket>;
  }

  /** Finds out which file holds which object: the one that has its bytes. */
  async #findFiles(): Promise<void> {
    const bucket = await this.#miniflare.getR2Bucket("BUCKET");
    const files = new Map(
      globSync("**/r2/**/blobs/*", { cwd: this.#folder }).map((name): [string, string] => {
        const file = join(this.#folder, name);
        return [createHash("md5").update(readFileSync(file)).digest("hex"), file];
      }),
    );
    const { objects } = await bucket.list({ include: ["customMetadata"] });
    this.#stored = objects.map(({ key, etag, customMetadata }) => {
      const file = files.get(etag);
      if (file === undefined) throw new Error(`${key} is in no file`);
      return { key, file, bytes: readFileSync(file), metadata: customMetadata ?? {} };
    });
  }

  async close(): Promise<void> {
    await this.#miniflare.dispose();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
