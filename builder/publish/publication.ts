/**
 * Publishing one build: series first, then the build's manifest, then the manifest in force. Until that last write
 * readers see the earlier build whole. Source: design "Publishing".
 */

import { createHash } from "node:crypto";
import { type Manifest, ManifestError, parseManifest } from "../../data-schema/manifest.ts";
import { buildKey, checkpointKey, currentKey, seriesKey } from "../../data-schema/objects.ts";
import { Failure } from "../failure.ts";
import type { SeriesFile } from "../output/object.ts";
import { listObjects, references } from "../store/listing.ts";
import type { ListedObject, ObjectStore, StoredObject } from "../store/store.ts";
import { megabytes } from "../terminal/amounts.ts";
import { type Progress, silentProgress } from "../terminal/progress.ts";
import { putInForce } from "./in-force.ts";
import { Uploads } from "./uploads.ts";

const PARQUET = "application/vnd.apache.parquet";

/** How long what a build has put is there for sure, whether a manifest lists it or not: a killed build runs again. */
const KEPT_MS = 6 * 3_600_000;

const hex = (algorithm: "sha256" | "md5", bytes: Uint8Array) => createHash(algorithm).update(bytes).digest("hex");

interface Content {
  size: number;
  md5: string;
}

interface Asset {
  symbol: string;
  contract: string;
  chain: string;
}

export class Publication {
  readonly store: ObjectStore;
  /** The manifest in force when the build began; undefined when there is none, or none that this version can read. */
  readonly previous: Manifest | undefined;
  /** Whether there is one that this version can't read. */
  readonly isUnreadable: boolean;
  /** Objects and bytes of the build; those that were there already are not written again. */
  readonly totals = { objects: 0, bytes: 0, written: 0, bytesWritten: 0 };
  readonly #symbol: string;
  readonly #progress: Progress;
  /** The object of the manifest in force when the build began. */
  readonly #current: StoredObject | undefined;
  /** What needs no writing again, by key. */
  readonly #kept: Map<string, ListedObject>;
  /** What this build has put, or found there, by key. */
  readonly #put = new Map<string, Content>();
  readonly #uploads = new Uploads();
  /** What is to be put and not yet there. */
  readonly #ahead = { objects: 0, bytes: 0 };
  /** Nothing more comes: putting is all there is to do, and its progress the step's. */
  #flushing = false;

  private constructor(
    store: ObjectStore,
    symbol: string,
    progress: Progress,
    current: StoredObject | undefined,
    stored: Map<string, ListedObject>,
  ) {
    this.store = store;
    this.previous = current && readPublished(current.bytes);
    this.isUnreadable = current !== undefined && this.previous === undefined;
    this.#symbol = symbol;
    this.#progress = progress;
    this.#current = current;
    this.#kept = keptObjects(stored, this.previous);
  }

  /** @throws {Failure} the symbol is published for another contract */
  static async begin(store: ObjectStore, asset: Asset, progress = silentProgress()): Promise<Publication> {
    const { symbol } = asset;
    const current = await store.get(currentKey(symbol));
    if (current) checkOwner(asset, current.bytes);
    return new Publication(store, symbol, progress, current, await listObjects(store, symbol));
  }

  /** Whether an object is there, and will stay, so that a manifest may list it without putting it again. */
  readonly holds = (key: string, size: number): boolean => this.#kept.get(key)?.size === size;

  /** Whether the build in force is among the builds, too: its manifest is put twice, and between the two it may be killed. */
  async isRecorded(build: string): Promise<boolean> {
    const recorded = await this.store.get(buildKey(this.#symbol, build));
    return recorded !== undefined && Buffer.compare(recorded.bytes, this.#current!.bytes) === 0;
  }

  /** Returns when there is room for more: what it has taken is put meanwhile. */
  async putSeries(files: readonly SeriesFile[]): Promise<void> {
    for (const { resolution, metric, period, bytes, sha256, entry } of files) {
      await this.#putObject(seriesKey(this.#symbol, resolution, metric, period, entry.hash), bytes, sha256);
    }
  }

  /** @param hash the first 32 hex digits of the SHA-256 of the bytes */
  async putCheckpoint(bytes: Uint8Array, hash: string): Promise<void> {
    await this.#putObject(checkpointKey(this.#symbol, hash), bytes, hex("sha256", bytes));
  }

  async #putObject(key: string, bytes: Uint8Array, sha256: string): Promise<void> {
    const content = { size: bytes.length, md5: hex("md5", bytes) };
    this.#put.set(key, content);
    this.totals.objects++;
    this.totals.bytes += bytes.length;
    const there = this.#kept.get(key);
    // Named by its content: what is there and whole is what would be written.
    if (there && isWhole(there, content)) return;
    this.totals.written++;
    this.totals.bytesWritten += bytes.length;
    this.#ahead.objects++;
    this.#ahead.bytes += bytes.length;
    this.#tell();
    await this.#uploads.add(bytes.length, async () => {
      await this.store.put(key, bytes, { contentType: PARQUET, sha256, md5: content.md5 });
      this.#ahead.objects--;
      this.#ahead.bytes -= bytes.length;
      this.#tell();
    });
  }

  #tell(): void {
    const { written, bytesWritten } = this.totals;
    const done = bytesWritten - this.#ahead.bytes;
    this.#progress.detail(
      `${written - this.#ahead.objects} of ${written} objects put, ${megabytes(done)} of ${megabytes(bytesWritten)} MB`,
    );
    if (this.#flushing) this.#progress.update(done, bytesWritten);
  }

  /** Waits until everything is put. */
  async flush(): Promise<void> {
    this.#flushing = true;
    await this.#uploads.end();
    this.#flushing = false;
  }

  /**
   * Puts the build in force. A build that was there before keeps its time of creation.
   *
   * @throws {Failure} something that the manifest lists is not there as it was put, or another build has been put in
   *   force meanwhile: then what is in force stays
   */
  async finish(manifest: Manifest): Promise<void> {
    await this.flush();
    await this.#check(manifest);
    const earlier = await this.store.get(buildKey(manifest.symbol, manifest.build));
    const created = (earlier && readPublished(earlier.bytes)?.created) ?? manifest.created;
    const bytes = new TextEncoder().encode(JSON.stringify({ ...manifest, created }));
    // The same build may be made twice at once: then the second must not change what the first puts in force.
    const replaces = { current: this.#current?.etag ?? null, build: earlier?.etag ?? null };
    if (!(await putInForce(this.store, manifest, bytes, replaces))) {
      throw new Failure(
        `another build was published to ${this.store.name} while this one was made, and stays in force: ` +
          "build again, and let only one build of an asset run at a time.",
      );
    }
  }

  /** Looks for everything that the manifest lists, in one listing. */
  async #check(manifest: Manifest): Promise<void> {
    const stored = await listObjects(this.store, this.#symbol);
    const wrong = references(manifest).filter(({ key, size }) => {
      const found = stored.get(key);
      return !found || found.size !== size || !isWhole(found, this.#put.get(key) ?? found);
    });
    if (wrong.length > 0) {
      const others = wrong.length > 1 ? ` and ${wrong.length - 1} more` : "";
      throw new Failure(
        `${this.#symbol}: ${wrong[0].key}${others} is missing in ${this.store.name}, or not as it was put, so the build ` +
          "is not in force: build again, and let nothing else remove objects there.",
      );
    }
  }
}

const isWhole = (found: Content, put: Content) => found.size === put.size && found.md5 === put.md5;

/**
 * Objects that nothing takes away while a build goes on: those of the manifest in force, and those put a short time
 * ago. Others may be collected at any moment.
 */
function keptObjects(stored: Map<string, ListedObject>, inForce: Manifest | undefined): Map<string, ListedObject> {
  const listed = new Set(inForce ? references(inForce).map(({ key }) => key) : []);
  const since = Date.now() - KEPT_MS;
  return new Map([...stored].filter(([key, { uploaded }]) => listed.has(key) || uploaded.getTime() >= since));
}

/** @throws {Failure} the symbol is published for another contract */
function checkOwner(asset: Asset, bytes: Uint8Array): void {
  const owner = readOwner(bytes);
  if (!owner || (owner.contract === asset.contract && owner.chain === asset.chain)) return;
  throw new Failure(
    `${asset.symbol} is already published for the contract ${owner.contract} on ${owner.chain}: ` +
      "give this asset another symbol, or publish it elsewhere, with another --persist or --store.",
  );
}

/** Whose symbol it is: also of a manifest that this version can't read otherwise. */
function readOwner(bytes: Uint8Array): Pick<Asset, "contract" | "chain"> | undefined {
  try {
    const { contract, chain } = JSON.parse(new TextDecoder().decode(bytes));
    return typeof contract === "string" && typeof chain === "string" ? { contract, chain } : undefined;
  } catch {
    return undefined;
  }
}

/** A manifest that this version can't read says nothing: it is replaced. */
export function readPublished(bytes: Uint8Array): Manifest | undefined {
  try {
    return parseManifest(new TextDecoder().decode(bytes));
  } catch (error) {
    if (error instanceof ManifestError) return undefined;
    throw error;
  }
}
