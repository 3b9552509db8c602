/**
 * Publishing one build: series first, then the build's manifest, then the manifest in force. Until that last write
 * readers see the earlier build whole. Source: design "Publishing".
 */

import { createHash } from "node:crypto";
import { catalogEntry, type Manifest, ManifestError, parseManifest } from "../../data-schema/manifest.ts";
import { buildKey, currentKey, seriesKey, seriesPrefix } from "../../data-schema/objects.ts";
import { Failure } from "../failure.ts";
import type { SeriesFile } from "../output/object.ts";
import type { ListedObject, ObjectStore } from "../store/store.ts";

/** Writes under way at once. */
const CONCURRENCY = 8;

const hex = (algorithm: "sha256" | "md5", bytes: Uint8Array) => createHash(algorithm).update(bytes).digest("hex");

export class Publication {
  /** Objects and bytes of the build; those that were there already are not written again. */
  readonly totals = { objects: 0, bytes: 0, written: 0, bytesWritten: 0 };
  readonly #store: ObjectStore;
  readonly #symbol: string;
  readonly #existing: Map<string, ListedObject>;

  private constructor(store: ObjectStore, symbol: string, existing: Map<string, ListedObject>) {
    this.#store = store;
    this.#symbol = symbol;
    this.#existing = existing;
  }

  /** @throws {Failure} the symbol is published for another contract */
  static async begin(store: ObjectStore, asset: { symbol: string; contract: string; chain: string }) {
    const current = await store.get(currentKey(asset.symbol));
    const published = current && readOwner(current.bytes);
    if (published && (published.contract !== asset.contract || published.chain !== asset.chain)) {
      throw new Failure(
        `${asset.symbol} is already published for the contract ${published.contract} on ${published.chain}: ` +
          "give this asset another symbol, or build it into another --persist folder.",
      );
    }
    return new Publication(store, asset.symbol, await store.list(seriesPrefix(asset.symbol)));
  }

  async putSeries(files: readonly SeriesFile[]): Promise<void> {
    for (let i = 0; i < files.length; i += CONCURRENCY) {
      await Promise.all(files.slice(i, i + CONCURRENCY).map((file) => this.#putFile(file)));
    }
  }

  async #putFile({ resolution, metric, period, bytes, sha256, entry }: SeriesFile): Promise<void> {
    const key = seriesKey(this.#symbol, resolution, metric, period, entry.hash);
    this.totals.objects++;
    this.totals.bytes += bytes.length;
    const existing = this.#existing.get(key);
    // Named by its content: what is there and whole is what would be written.
    if (existing?.size === bytes.length && existing.md5 === hex("md5", bytes)) return;
    await this.#store.put(key, bytes, { contentType: "application/vnd.apache.parquet", sha256 });
    this.totals.written++;
    this.totals.bytesWritten += bytes.length;
  }

  /** Puts the build in force. A build that was there before keeps its time of creation. */
  async finish(manifest: Manifest): Promise<void> {
    const key = buildKey(manifest.symbol, manifest.build);
    const earlier = await this.#store.get(key);
    const created = earlier && readPublished(earlier.bytes)?.created;
    const text = JSON.stringify({ ...manifest, created: created ?? manifest.created });
    const bytes = new TextEncoder().encode(text);
    const options = { contentType: "application/json", sha256: hex("sha256", bytes) };
    await this.#store.put(key, bytes, options);
    await this.#store.put(currentKey(manifest.symbol), bytes, {
      ...options,
      metadata: { catalog: JSON.stringify(catalogEntry(manifest)) },
    });
  }
}

/** Whose symbol it is: also of a manifest that this version can't read otherwise. */
function readOwner(bytes: Uint8Array): { contract: string; chain: string } | undefined {
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
