/**
 * Stored bytes are damaged on the disk below R2, or replaced in the bucket: every answer of the Worker is the right
 * one, or says `damaged-data`.
 */

import { createHash } from "node:crypto";
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { currentKey } from "../../data-schema/stored/objects.ts";
import { newFolder } from "../folders.ts";
import type { Attack, Target } from "./attack.ts";
import { type Damage, damage, damaged } from "./byte-damage.ts";
import { pathsOf, publishMadeUp } from "./made-up-token.ts";
import { itemAt, share } from "./share.ts";
import { type RunningWorker, startWorker } from "./worker.ts";

const SYMBOL = "MADE";
const MANIFEST = currentKey(SYMBOL);
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
  twin: "test/end-to-end/damage.slow.test.ts",
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
  readonly #worker: RunningWorker;
  readonly #folder: string;
  #stored: Stored[] = [];
  /** The right answers, by path. */
  readonly #right = new Map<string, string>();

  private constructor(worker: RunningWorker, folder: string) {
    this.#worker = worker;
    this.#folder = folder;
  }

  static async open(): Promise<DamagedData> {
    const folder = newFolder();
    const worker = await startWorker("test/worker/forgetful.ts", folder);
    const target = new DamagedData(worker, folder);
    for (const symbol of [SYMBOL, "OTHER"]) await publishMadeUp(await worker.bucket(), symbol);
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
    const response = await this.#worker.ask(path);
    return `${response.status} ${await response.text()}`.replace(/"ageSeconds":\d+/g, "");
  }

  async #put({ key, metadata }: Stored, bytes: Uint8Array): Promise<void> {
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    await (await this.#worker.bucket()).put(key, bytes, { sha256, customMetadata: metadata });
  }

  /** Finds out which file holds which object: the one that has its bytes. */
  async #findFiles(): Promise<void> {
    const bucket = await this.#worker.miniflare.getR2Bucket("BUCKET");
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
    await this.#worker.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
