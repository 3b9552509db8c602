/**
 * Publishes one build: first its series, then its manifest, then that manifest as the active one. Until the last write,
 * readers see all of the previous build. Source: docs/formats.md#manifest.
 */

import { hash } from "node:crypto";
import { tmpdir } from "node:os";
import * as v from "valibot";
import {
  buildKey,
  type CatalogEntry,
  checkpointKey,
  currentKey,
  depositsKey,
  hashIn,
  type Manifest,
  ManifestError,
  type ManifestPart,
  METADATA,
  namePart,
  openTransfersKey,
  type PartPlace,
  type PublishedDeposits,
  packKey,
  packOf,
  parseManifest,
  partsOf,
  placed,
  type Reference,
  references,
  type SeriesOf,
  seriesKey,
} from "../../../data-schema/stored.ts";
import { advised } from "../../lib/advised.ts";
import { CannotResume, Failure } from "../../lib/failure.ts";
import { counted, megabytes } from "../../lib/terminal/amount-text.ts";
import { type Progress, silentProgress } from "../../lib/terminal/progress.ts";
import { listObjects } from "../../store/listing.ts";
import { withParts } from "../../store/parts.ts";
import { type Digests, digestPieces, piecesOf } from "../../store/pieces.ts";
import type { ObjectStore, StoredKey, StoredObject } from "../../store/store.ts";
import { sha256Hex } from "../../store/stored-content.ts";
import { Uploads } from "../../store/uploads.ts";
import type { SeriesFile } from "../objects/encode-series.ts";
import { activate, record } from "./activate.ts";
import { isActiveFormOf } from "./active-manifest.ts";
import { collectionsEnded } from "./collections.ts";
import { GatheredParts } from "./gathered-parts.ts";
import { lostObjects } from "./lost-objects.ts";
import { closedIn, cutPacks, LARGEST_PART, takenAlong } from "./packing.ts";
import { readRemoval, refuseRemoved, unpublish } from "./removal.ts";
import { type ActivationReason, recordChange } from "./write-changes.ts";
import { CONTENT_TYPES, hasLostMetadata, mendMetadata } from "./write-metadata.ts";

const { ".parquet": PARQUET, ".pack": PACK } = CONTENT_TYPES;

/** How long no garbage collection removes an object that no manifest lists: a build that was killed finds it again. */
const KEPT_MS = 6 * 3_600_000;

const md5Hex = (bytes: Uint8Array) => hash("md5", bytes);

type Content = Pick<StoredKey, "size" | "md5">;
type Asset = Pick<Manifest, "symbol" | "contract" | "chain"> & {
  /** Symbols that it had before. */
  was?: readonly string[];
};

/** What a process of its own has put for a build. */
export interface PutElsewhere {
  totals: Publication["totals"];
  /** Where it has put parts, by their keys. */
  places: Record<string, PartPlace>;
}

export interface PublicationOptions {
  progress?: Progress | undefined;
  /** Read what is there already, and replace what is damaged: a listing does not show it. */
  repair?: boolean | undefined;
  /** Count as written what the active build does not have, since an attempt before this one may have put it. Default: no. */
  countsAttempts?: boolean;
  /** For what is too large for memory. Default: that of the system for temporary files. */
  folder?: string;
}

export class Publication {
  readonly #bucket: ObjectStore;
  /** The bucket, with the parts of the active build. */
  readonly store: ObjectStore;
  /** The active manifest when the build began; undefined when there is none that can be read. */
  readonly previous: Manifest | undefined;
  /** Whether there is an active manifest that is damaged, or that this version can't read. */
  readonly isUnreadable: boolean;
  /** Objects, or parts of packs, and bytes of the build; those that were there already are not written. */
  readonly totals = { objects: 0, bytes: 0, written: 0, bytesWritten: 0 };
  readonly #symbol: string;
  /** Symbols that the asset had before. */
  readonly #was: readonly string[];
  readonly #progress: Progress;
  /** The object of the active manifest when the build began. */
  readonly #current: StoredObject | undefined;
  /** What the active manifest names, by key. */
  readonly #named: ReadonlyMap<string, ManifestPart>;
  /** Objects that stay, by key, as a list has them: they need not be written again. Undefined: what the active manifest names is there. */
  #kept: Map<string, StoredKey> | undefined;
  /** Where this build's parts are, by key. */
  readonly #places = new Map<string, PartPlace>();
  readonly #gathered: GatheredParts;
  /** Whether the active build's packs have the bytes that they are named by, as far as that has been asked, by key. */
  readonly #whole = new Map<string, Promise<boolean>>();
  /** Keys of parts that only move from one pack to another: nothing of them is new. */
  readonly #taken = new Set<string>();
  readonly #uploads = new Uploads();
  /** What waits for its upload, or is being uploaded. */
  readonly #pending = { objects: 0, bytes: 0 };
  /** Whether only uploads are left, so that their progress is the step's. */
  #flushing = false;
  readonly #isRepair: boolean;
  /** Whether only what the active manifest names counts as there already. */
  readonly #countsAttempts: boolean;

  private constructor(
    store: ObjectStore,
    { symbol, was = [] }: Asset,
    { progress = silentProgress(), repair = false, countsAttempts = false, folder = tmpdir() }: PublicationOptions,
    current: StoredObject | undefined,
  ) {
    this.previous = current && readManifest(current).manifest;
    this.#bucket = store;
    this.store = withParts(store, this.previous);
    this.isUnreadable = current !== undefined && this.previous === undefined;
    this.#symbol = symbol;
    this.#was = was;
    this.#progress = progress;
    this.#current = current;
    this.#named = new Map(this.previous ? partsOf(this.previous).map((part) => [part.key, part]) : []);
    this.#countsAttempts = countsAttempts;
    this.#isRepair = repair;
    this.#gathered = new GatheredParts(folder);
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
    const publication = new Publication(store, asset, options, current);
    if (options.repair || options.countsAttempts) await publication.list();
    return publication;
  }

  /** Lists what is there: an attempt before may have put much of a full build, and what the active manifest names may be lost. */
  async list(): Promise<void> {
    const named = new Set(this.previous ? references(this.previous).map(({ key }) => key) : []);
    this.#kept ??= keptObjects(await listObjects(this.store, this.#symbol), named);
  }

  /** Whether the store has what another process has put, and keeps it, so that a manifest may list it without another upload. */
  readonly holds = ({ key, size }: Reference): boolean => this.#kept?.get(key)?.size === size;

  /** The objects of the active manifest that are missing, or of another size. */
  async lost(): Promise<Reference[]> {
    if (!this.previous) return [];
    return lostObjects(this.store, references(this.previous));
  }

  /** Whether the active build is one that lists show as the Worker needs it: a bucket that was copied without metadata has none. */
  get isInCatalog(): boolean {
    return this.#catalog !== undefined;
  }

  get #catalog(): CatalogEntry | undefined {
    return METADATA.catalog.read(this.#current?.metadata.catalog, currentKey(this.#symbol));
  }

  /** The active manifest as `builds/` holds it; undefined if it has been deleted or damaged since. */
  async recorded(active: Manifest): Promise<Manifest | undefined> {
    const object = await this.store.get(buildKey(this.#symbol, active.build));
    const recorded = object && readManifest(object).manifest;
    if (!recorded || !isActiveFormOf(active, recorded)) return undefined;
    const { reason } = active;
    const parts = new Map(partsOf(active).map((part) => [part.key, packOf(active, part)]));
    return placed({ ...recorded, ...(reason !== undefined && { reason }) }, (key) => parts.get(key));
  }

  /** Starts the uploads, and returns when there is room for more. */
  async putSeries(files: readonly SeriesFile<SeriesOf>[]): Promise<void> {
    for (const { resolution, metric, period, bytes, entry } of files) {
      const digests = {
        sha256: entry.hash,
        size: bytes.length,
        // What goes into a pack needs none of its own.
        get md5() {
          return md5Hex(bytes);
        },
      };
      await this.#putPart(seriesKey(this.#symbol, resolution, metric, period, entry.hash), bytes, digests);
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
    await this.#putPart(openTransfersKey(this.#symbol, hash), content, { sha256, md5, size });
    return { hash, size };
  }

  /** Starts the upload of a table of deposit addresses, and says how the manifest names it. */
  async putDeposits(bytes: Uint8Array): Promise<NonNullable<PublishedDeposits["table"]>> {
    const [sha256, size] = [sha256Hex(bytes), bytes.length];
    const hash = namePart(sha256);
    await this.#putObject(depositsKey(this.#symbol, hash), bytes, { sha256, md5: md5Hex(bytes), size }, "text/csv");
    return { hash, size };
  }

  /** Starts the upload of an object of holders, transfers or lots. @param content as in `putCheckpoint` */
  async putNamed(key: string, content: Uint8Array | Blob, { sha256, md5, size }: Digests): Promise<void> {
    await this.#putPart(key, content, { sha256, md5, size });
  }

  /** Adds what another process has put for this build. */
  join({ totals, places }: PutElsewhere): void {
    for (const name of ["objects", "bytes", "written", "bytesWritten"] as const) this.totals[name] += totals[name];
    for (const [key, place] of Object.entries(places)) this.#places.set(key, place);
  }

  /** Takes on what becomes a part of a pack, or an object of its own if it is large. */
  async #putPart(key: string, content: Uint8Array | Blob, digests: Digests): Promise<void> {
    const { size, sha256 } = digests;
    if (size > LARGEST_PART) return this.#putObject(key, content, digests);
    this.totals.objects++;
    this.totals.bytes += size;
    if (await this.#hasPart(key, sha256)) return;
    this.#count(size, { written: 1, pending: 1 });
    await this.#gathered.add(key, content instanceof Blob ? new Uint8Array(await content.arrayBuffer()) : content);
  }

  /** Whether the active build has a part, in a pack or as an object of its own, that is whole as far as this build looks. */
  async #hasPart(key: string, sha256: string): Promise<boolean> {
    const part = this.#named.get(key);
    if (!part) return false;
    const object = packOf(this.previous!, part) ?? part;
    if (this.#kept && this.#kept.get(object.key)?.size !== object.size) return false;
    if (!this.#isRepair) return true;
    if (object === part) return this.#isRight(key, { sha256, size: part.size });
    const isWhole =
      this.#whole.get(object.key) ?? this.#isRight(object.key, { sha256: hashIn(object.key), size: object.size });
    this.#whole.set(object.key, isWhole);
    return isWhole;
  }

  async #putObject(
    key: string,
    content: Uint8Array | Blob,
    { sha256, md5, size }: Digests,
    contentType = PARQUET,
  ): Promise<void> {
    this.totals.objects++;
    this.totals.bytes += size;
    const isThere = this.#isThere(key, { size, md5 });
    if (isThere && !this.#isRepair) {
      if (this.#countsAttempts && !this.#named.has(key)) this.#count(size, { written: 1, pending: 0 });
      return;
    }
    this.#count(size, { written: 1, pending: 1 });
    await this.#uploads.add(size, async () => {
      const isRight = isThere && (await this.#isRight(key, { sha256, size }));
      if (!isRight) await this.store.put(key, content, { contentType, sha256, md5 });
      this.#count(size, { written: isRight ? -1 : 0, pending: -1 });
    });
  }

  /** Whether an object is there: it is named by its content, so what is whole has the same bytes. */
  #isThere(key: string, content: Content): boolean {
    if (!this.#kept) return this.#named.get(key)?.size === content.size;
    const there = this.#kept.get(key);
    return there !== undefined && isWhole(there, content);
  }

  async #isRight(key: string, { sha256, size }: Pick<Digests, "sha256" | "size">): Promise<boolean> {
    return (await digestPieces(piecesOf(this.store, key, size), ["sha256"])).sha256.startsWith(sha256);
  }

  /** Puts the packs that the parts so far go into, and ends all uploads. */
  async #putPacks(isClosed: (key: string) => boolean): Promise<void> {
    for (const parts of cutPacks(this.#gathered.all(), isClosed)) {
      const { content, digests } = await this.#gathered.joined(parts);
      const { sha256, md5, size } = digests;
      const hash = namePart(sha256);
      let offset = 0;
      for (const part of parts) {
        this.#places.set(part.key, { hash, size, offset });
        offset += part.size;
      }
      const key = packKey(this.#symbol, hash);
      await this.#uploads.add(size, async () => {
        const isThere = this.#isThere(key, { size, md5 });
        const isRight = isThere && (!this.#isRepair || (await this.#isRight(key, { sha256, size })));
        if (!isRight) await this.store.put(key, content, { contentType: PACK, sha256, md5 });
        const written = isRight && !this.#countsAttempts ? -1 : 0;
        for (const part of parts) if (!this.#taken.has(part.key)) this.#count(part.size, { written, pending: -1 });
      });
    }
    await this.flush();
    this.#gathered.clear();
  }

  /** Puts the packs. @returns the manifest with the places of its parts */
  async #pack(manifest: Manifest): Promise<Manifest> {
    const isClosed = closedIn(manifest);
    const own = new Set(this.#gathered.all().map(({ key }) => key));
    const all = partsOf(manifest);
    const before = all.flatMap(({ key, size }) => {
      const part = this.#named.get(key);
      const pack = part && !own.has(key) && !this.#places.has(key) ? packOf(this.previous!, part) : undefined;
      return pack ? [{ key, size, pack }] : [];
    });
    const named = all.reduce((sum, { size }) => sum + size, 0);
    const taken = new Set(takenAlong(before, named).map(({ key }) => key));
    for (const { key, pack } of before) {
      if (!taken.has(key)) this.#places.set(key, pack);
      else {
        const object = await this.store.get(key);
        if (!object || object.isDamaged) throw new CannotResume(`${key} is ${object ? "damaged" : "missing"}`);
        await this.#gathered.add(key, object.bytes);
        this.#taken.add(key);
      }
    }
    await this.#putPacks(isClosed);
    return placed(manifest, (key) => this.#places.get(key));
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

  /**
   * Puts what a process of its own has made for a build, and says where.
   *
   * @param isClosed whether nothing will be added to a part
   */
  async putAll(isClosed: (key: string) => boolean): Promise<PutElsewhere> {
    await this.#putPacks(isClosed);
    return { totals: this.totals, places: Object.fromEntries(this.#places) };
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
  async finish(built: Manifest, reason: ActivationReason): Promise<void> {
    const manifest = await this.#pack(built);
    const recorded = await this.#record(manifest);
    if (this.#isRepair || (await this.#hasLostMetadata())) await this.#mendMetadata();
    await this.#check(manifest);
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
    const mended = await mendMetadata(this.#bucket, this.#symbol);
    if (mended === 0) return;
    this.#progress.note(
      `${this.#symbol}: ${counted(mended, "object")} lacked the metadata that the Worker reads, as in a copied bucket; written again.`,
    );
  }

  async #activate(recorded: Manifest, reason: ActivationReason): Promise<boolean> {
    if (!this.#current) await refuseRemoved(this.store, this.#symbol);
    const tell = (sentence: string) => this.#progress.note(sentence);
    const { activation: last } = this.#catalog ?? {};
    const activation = await recordChange(
      this.store,
      recorded,
      this.previous,
      this.isUnreadable,
      reason,
      tell,
      last?.change,
    );
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

  /** Checks that everything is there that the manifest lists: a garbage collection may have ended since it was put. */
  async #check(manifest: Manifest): Promise<void> {
    const lost = await lostObjects(this.store, references(manifest));
    if (lost[0]) throw new Failure(missing(this.#symbol, lost, this.store));
  }
}

const missing = (symbol: string, [first, ...more]: readonly Reference[], { name }: Pick<ObjectStore, "name">) => {
  const others = more.length > 0 ? ` and ${more.length} more` : "";
  return (
    `${symbol}: ${first!.key}${others} is missing in ${name} or damaged, so the build was not ` +
    "activated: build again, and let nothing else remove objects there."
  );
};

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
