/**
 * Publishes one build: first its series, then its manifest, then that manifest as the active one. Until the last write,
 * readers see all of the previous build. Source: docs/formats.md#manifest.
 */

import { hash } from "node:crypto";
import * as v from "valibot";
import {
  buildKey,
  checkpointKey,
  currentKey,
  depositsKey,
  type Manifest,
  ManifestError,
  namePart,
  openTransfersKey,
  type PublishedDeposits,
  parseManifest,
  references,
  type SeriesOf,
  seriesKey,
} from "../../../data-schema/stored.ts";
import { advised } from "../../lib/advised.ts";
import { Failure } from "../../lib/failure.ts";
import { counted, megabytes } from "../../lib/terminal/amount-text.ts";
import { type Progress, silentProgress } from "../../lib/terminal/progress.ts";
import { listObjects } from "../../store/listing.ts";
import { type Digests, digestPieces, piecesOf } from "../../store/pieces.ts";
import type { ObjectStore, StoredKey, StoredObject } from "../../store/store.ts";
import { sha256Hex } from "../../store/stored-content.ts";
import { Uploads } from "../../store/uploads.ts";
import type { SeriesFile } from "../objects/encode-series.ts";
import { activate, record } from "./activate.ts";
import { isActiveFormOf } from "./active-manifest.ts";
import { collectionsEnded } from "./collections.ts";
import { readRemoval, refuseRemoved, unpublish } from "./removal.ts";
import { type ActivationReason, recordChange } from "./write-changes.ts";
import { hasLostMetadata, mendMetadata } from "./write-metadata.ts";

const PARQUET = "application/vnd.apache.parquet";

/** How long no garbage collection removes an object that no manifest lists: a build that was killed finds it again. */
const KEPT_MS = 6 * 3_600_000;

const md5Hex = (bytes: Uint8Array) => hash("md5", bytes);

type Content = Pick<StoredKey, "size" | "md5">;
type Asset = Pick<Manifest, "symbol" | "contract" | "chain"> & {
  /** Symbols that it had before. */
  was?: readonly string[];
};

export interface PublicationOptions {
  progress?: Progress | undefined;
  /** Read what is there already, and replace what is damaged: a listing does not show it. */
  repair?: boolean | undefined;
  /** Count as written what the active build does not have, since an attempt before this one may have put it. Default: no. */
  countsAttempts?: boolean;
}

export class Publication {
  readonly store: ObjectStore;
  /** The active manifest when the build began; undefined when there is none that can be read. */
  readonly previous: Manifest | undefined;
  /** Whether there is an active manifest that is damaged, or that this version can't read. */
  readonly isUnreadable: boolean;
  /** Objects and bytes of the build; those that were there already are not written. */
  readonly totals = { objects: 0, bytes: 0, written: 0, bytesWritten: 0 };
  readonly #symbol: string;
  /** Symbols that the asset had before. */
  readonly #was: readonly string[];
  readonly #progress: Progress;
  /** The object of the active manifest when the build began. */
  readonly #current: StoredObject | undefined;
  /** Objects that stay, by key: they need not be written again. */
  readonly #kept: Map<string, StoredKey>;
  /** What this build has put or found, by key. */
  readonly #put = new Map<string, Content>();
  readonly #uploads = new Uploads();
  /** What waits for its upload, or is being uploaded. */
  readonly #pending = { objects: 0, bytes: 0 };
  /** Whether only uploads are left, so that their progress is the step's. */
  #flushing = false;
  readonly #isRepair: boolean;
  /** Keys of objects that count as there already; undefined stands for all that are there. */
  readonly #counted: ReadonlySet<string> | undefined;

  private constructor(
    store: ObjectStore,
    { symbol, was = [] }: Asset,
    { progress = silentProgress(), repair = false, countsAttempts = false }: PublicationOptions,
    current: StoredObject | undefined,
    stored: Map<string, StoredKey>,
  ) {
    this.store = store;
    this.previous = current && readManifest(current).manifest;
    this.isUnreadable = current !== undefined && this.previous === undefined;
    this.#symbol = symbol;
    this.#was = was;
    this.#progress = progress;
    this.#current = current;
    const listed = new Set(this.previous ? references(this.previous).map(({ key }) => key) : []);
    this.#kept = keptObjects(stored, listed);
    this.#counted = countsAttempts ? listed : undefined;
    this.#isRepair = repair;
  }

  /** @throws {Failure} the symbol, or one that the asset had before, is published for another contract; or the asset was removed */
  static async begin(store: ObjectStore, asset: Asset, options: PublicationOptions = {}): Promise<Publication> {
    const { symbol, was = [] } = asset;
    const current = await store.get(currentKey(symbol));
    if (current && !current.isDamaged) checkOwner(asset, current.bytes);
    // An active manifest counts: whoever removes an asset puts the mark before it takes that away.
    if (!current) await refuseRemoved(store, symbol);
    for (const former of was) {
      const other = await store.get(currentKey(former));
      const owner = other && readOwner(other.bytes);
      if (owner && !isOwner(owner, asset)) throw foreignFormer(asset, former, owner);
    }
    return new Publication(store, asset, options, current, await listObjects(store, symbol));
  }

  /** Whether an object is there and stays, so that a manifest may list it without another upload. */
  readonly holds = (key: string, size: number): boolean => this.#kept.get(key)?.size === size;

  /** The active manifest as `builds/` holds it; undefined if it has been deleted or damaged since. */
  async recorded(active: Manifest): Promise<Manifest | undefined> {
    const object = await this.store.get(buildKey(this.#symbol, active.build));
    const recorded = object && readManifest(object).manifest;
    return isActiveFormOf(active, recorded) ? recorded : undefined;
  }

  /** Starts the uploads, and returns when there is room for more. */
  async putSeries(files: readonly SeriesFile<SeriesOf>[]): Promise<void> {
    for (const { resolution, metric, period, bytes, entry } of files) {
      const digests = { sha256: entry.hash, md5: md5Hex(bytes), size: bytes.length };
      await this.#putObject(seriesKey(this.#symbol, resolution, metric, period, entry.hash), bytes, digests);
    }
  }

  /**
   * Starts the upload of a checkpoint.
   *
   * @param content a Blob must stay what it is until all uploads have ended
   * @returns how the manifest names it
   */
  async putCheckpoint(
    content: Uint8Array | Blob,
    { sha256, md5, size }: Digests,
  ): Promise<NonNullable<Manifest["checkpoint"]>> {
    const hash = namePart(sha256);
    await this.#putObject(checkpointKey(this.#symbol, hash), content, { sha256, md5, size });
    return { hash, size };
  }

  /** Starts the upload of the transfers of the week and the month that are open, and says how the manifest names them. */
  async putOpenTransfers(content: Blob, { sha256, md5, size }: Digests): Promise<{ hash: string; size: number }> {
    const hash = namePart(sha256);
    await this.#putObject(openTransfersKey(this.#symbol, hash), content, { sha256, md5, size });
    return { hash, size };
  }

  /** Starts the upload of a table of deposit addresses, and says how the manifest names it. */
  async putDeposits(bytes: Uint8Array): Promise<NonNullable<PublishedDeposits["table"]>> {
    const [sha256, size] = [sha256Hex(bytes), bytes.length];
    const hash = namePart(sha256);
    await this.#putObject(depositsKey(this.#symbol, hash), bytes, { sha256, md5: md5Hex(bytes), size }, "text/csv");
    return { hash, size };
  }

  /** Starts the upload of an object of holders or transfers. @param content as in `putCheckpoint` */
  async putNamed(key: string, content: Uint8Array | Blob, { sha256, md5, size }: Digests): Promise<void> {
    await this.#putObject(key, content, { sha256, md5, size });
  }

  /** Adds what other processes have put for this build. */
  count(others: Publication["totals"]): void {
    for (const name of ["objects", "bytes", "written", "bytesWritten"] as const) this.totals[name] += others[name];
  }

  async #putObject(
    key: string,
    content: Uint8Array | Blob,
    { sha256, md5, size }: Digests,
    contentType = PARQUET,
  ): Promise<void> {
    this.#put.set(key, { size, md5 });
    this.totals.objects++;
    this.totals.bytes += size;
    const there = this.#kept.get(key);
    // Named by its content: what is there and whole has the same bytes.
    const isThere = there !== undefined && isWhole(there, { size, md5 });
    if (isThere && !this.#isRepair) {
      if (this.#counted?.has(key) === false) this.#count(size, { written: 1, pending: 0 });
      return;
    }
    this.#count(size, { written: 1, pending: 1 });
    await this.#uploads.add(size, async () => {
      const isRight = isThere && (await digestPieces(piecesOf(this.store, key, size), ["sha256"])).sha256 === sha256;
      if (!isRight) await this.store.put(key, content, { contentType, sha256, md5 });
      this.#count(size, { written: isRight ? -1 : 0, pending: -1 });
    });
  }

  #count(bytes: number, { written, pending }: { written: number; pending: number }): void {
    this.totals.written += written;
    this.totals.bytesWritten += written * bytes;
    this.#pending.objects += pending;
    this.#pending.bytes += pending * bytes;
    this.#tell();
  }

  #tell(): void {
    const { written, bytesWritten } = this.totals;
    const done = bytesWritten - this.#pending.bytes;
    this.#progress.detail(
      `${written - this.#pending.objects} of ${written} objects stored, ${megabytes(done)} of ${megabytes(bytesWritten)} MB`,
    );
    if (this.#flushing) this.#progress.update(done, bytesWritten);
  }

  /** Waits for all uploads. */
  async flush(): Promise<void> {
    this.#flushing = true;
    await this.#uploads.end();
    this.#flushing = false;
  }

  /**
   * Activates the build, and says in the log of changes what that changes. A build that was there before keeps its time
   * of creation.
   *
   * @throws {Failure} an object that the manifest lists is missing or damaged, or another build was activated meanwhile;
   *   then the active build stays
   */
  async finish(manifest: Manifest, reason: ActivationReason): Promise<void> {
    await this.flush();
    const recorded = await this.#record(manifest);
    await this.#check(manifest);
    if (this.#isRepair || (await this.#hasLostMetadata())) await this.#mendMetadata();
    // The same build may run twice at once: then the second must not change what the first activates.
    if (!recorded || !(await this.#activate(recorded, reason))) throw publishedMeanwhile(this.store);
    await this.retireFormer();
  }

  /** What was published under symbols that the asset had before is served under this one from now on. */
  async retireFormer(): Promise<void> {
    for (const former of this.#was) {
      const isServed = (await this.store.get(currentKey(former))) !== undefined;
      const mark = await readRemoval(this.store, former);
      if (!isServed && mark?.became === this.#symbol) continue;
      await unpublish(this.store, former, this.#symbol);
      const builds = isServed ? ` The builds of ${former} go with ${advised("gc", former, "--keep", "0")}.` : "";
      this.#progress.note(`${this.#symbol}: requests of v3 for ${former} are answered with it from now on.${builds}`);
    }
  }

  /**
   * Writes again what the objects of a copied bucket have lost, if they have; the active build stays.
   *
   * @param recorded the active manifest, as it was recorded
   * @throws {Failure} another build was activated meanwhile
   */
  async restore(recorded: Manifest): Promise<void> {
    if (!(await this.#hasLostMetadata())) return;
    await this.#mendMetadata();
    const causes = [{ kind: "rebuild" as const, reason: "its metadata was lost" }];
    if (!(await this.#activate(recorded, { causes }))) throw publishedMeanwhile(this.store);
  }

  #hasLostMetadata(): Promise<boolean> {
    return hasLostMetadata(this.store, this.#current, this.previous);
  }

  async #mendMetadata(): Promise<void> {
    const mended = await mendMetadata(this.store, this.#symbol);
    if (mended === 0) return;
    this.#progress.note(
      `${this.#symbol}: ${counted(mended, "object")} lacked the metadata that the Worker reads, as in a copied bucket; written again.`,
    );
  }

  async #activate(recorded: Manifest, reason: ActivationReason): Promise<boolean> {
    if (!this.#current) await refuseRemoved(this.store, this.#symbol);
    const tell = (sentence: string) => this.#progress.note(sentence);
    const activation = await recordChange(this.store, recorded, this.previous, this.isUnreadable, reason, tell);
    return activate(this.store, recorded, activation, this.#current?.etag ?? null);
  }

  /**
   * Records the build when no garbage collection is running that may miss it.
   *
   * @returns the manifest as recorded; undefined if another run of the same build was quicker
   */
  async #record(manifest: Manifest): Promise<Manifest | undefined> {
    const { symbol, build } = manifest;
    const tell = (until: Date) =>
      this.#progress.note(
        `${symbol}: a garbage collection is running, or was killed; waiting until ${until.toISOString()} at the latest.`,
      );
    for (;;) {
      const same = await this.store.get(buildKey(symbol, build));
      const created = (same && readManifest(same).manifest?.created) ?? manifest.created;
      const recorded = { ...manifest, created };
      const bytes = new TextEncoder().encode(JSON.stringify(recorded));
      if (!(await record(this.store, recorded, bytes, same?.etag ?? null))) return undefined;
      if (!(await collectionsEnded(this.store, symbol, tell))) return recorded;
    }
  }

  /** Checks everything that the manifest lists, against one listing. */
  async #check(manifest: Manifest): Promise<void> {
    const stored = await listObjects(this.store, this.#symbol);
    const wrong = references(manifest).filter(({ key, size }) => {
      const found = stored.get(key);
      return !found || found.size !== size || !isWhole(found, this.#put.get(key) ?? found);
    });
    const [first, ...more] = wrong;
    if (first) {
      const others = more.length > 0 ? ` and ${more.length} more` : "";
      throw new Failure(
        `${this.#symbol}: ${first.key}${others} is missing in ${this.store.name} or damaged, so the build was not ` +
          "activated: build again, and let nothing else remove objects there.",
      );
    }
  }
}

export const publishedMeanwhile = ({ name }: Pick<ObjectStore, "name">) =>
  new Failure(
    `another build was published to ${name} while this one ran, and stays active: ` +
      "build again, and run only one build of an asset at a time.",
  );

const isWhole = (found: Content, put: Content) => found.size === put.size && found.md5 === put.md5;

/**
 * Objects that no garbage collection removes while a build runs: those of the active manifest, and recent ones. Others
 * may be removed at any moment.
 *
 * @param listed keys of the active manifest's
 */
function keptObjects(stored: Map<string, StoredKey>, listed: ReadonlySet<string>): Map<string, StoredKey> {
  const since = Date.now() - KEPT_MS;
  return new Map([...stored].filter(([key, { uploaded }]) => listed.has(key) || uploaded.getTime() >= since));
}

/** @throws {Failure} the symbol is published for another contract */
function checkOwner(asset: Asset, bytes: Uint8Array): void {
  const owner = readOwner(bytes);
  if (!owner || isOwner(owner, asset)) return;
  throw new Failure(
    `${asset.symbol} is already published for the contract ${owner.contract} on ${owner.chain}: ` +
      "give this asset another symbol, or publish it elsewhere, with another --persist or --store.",
  );
}

const isOwner = (owner: Pick<Asset, "contract" | "chain">, { contract, chain }: Asset) =>
  owner.contract === contract && owner.chain === chain;

const foreignFormer = ({ symbol }: Asset, former: string, { contract, chain }: Pick<Asset, "contract" | "chain">) =>
  new Failure(
    `${symbol}: "was" in ASSET.json names ${former}, which is published for another contract, ${contract} on ${chain}: ` +
      "leave it out.",
  );

const ownerSchema = v.object({ contract: v.string(), chain: v.string() });

/** Whose symbol it is. Also reads manifests of other versions. */
function readOwner(bytes: Uint8Array): Pick<Asset, "contract" | "chain"> | undefined {
  try {
    return v.parse(ownerSchema, JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

/** A stored manifest, or why it can't be read. */
export function readManifest({ bytes, isDamaged }: StoredObject): {
  manifest: Manifest | undefined;
  problem?: string;
} {
  if (isDamaged) return { manifest: undefined, problem: "it is damaged" };
  try {
    return { manifest: parseManifest(new TextDecoder().decode(bytes)) };
  } catch (error) {
    if (error instanceof ManifestError) return { manifest: undefined, problem: error.message };
    throw error;
  }
}
