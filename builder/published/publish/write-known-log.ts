/**
 * Writes the log of what was known: for each activation a line, and the values that it replaced. All of it is written
 * before the entry of the activation, which names it. Source: docs/formats.md#the-log-of-what-was-known.
 */

import { VARIOUS_UNITS } from "../../../data-schema/parquet.ts";
import { type MetricName, metricByName } from "../../../data-schema/registry.ts";
import {
  CHUNK_LINES,
  hasVariousUnits,
  KNOWN_VERSION,
  type Known,
  type KnownChunk,
  knownKey,
  knownLine,
  type Manifest,
  MOST_LOG_LINES,
  namePart,
  parseKnownChunk,
  parseReplaced,
  type Replaced,
  type ReplacedObject,
  replacedKey,
} from "../../../data-schema/stored.ts";
import type { ObjectStore } from "../../store/store.ts";
import { sha256Hex } from "../../store/stored-content.ts";
import { Uploads } from "../../store/uploads.ts";
import type { ReplacedRuns } from "../history/compare-builds.ts";
import { seriesFile } from "../objects/encode-series.ts";
import { parsedText } from "../read/readable.ts";

/** Writes what an activation replaces. */
export class ReplacedWriter {
  readonly #store: ObjectStore;
  readonly #symbol: string;
  readonly #uploads = new Uploads();
  readonly #objects: ReplacedObject[] = [];

  constructor(store: ObjectStore, symbol: string) {
    this.#store = store;
    this.#symbol = symbol;
  }

  /** Begins the upload of an object, and returns when there is room for another. */
  readonly keep = async ({ resolution, of, period, series: runs }: ReplacedRuns): Promise<void> => {
    const unit = hasVariousUnits(of) ? VARIOUS_UNITS : metricByName(of as MetricName).unit;
    const { bytes, entry } = seriesFile(this.#symbol, { name: of, unit }, resolution, period.name, runs)!;
    this.#objects.push({ resolution, of, period, entry });
    const key = replacedKey(this.#symbol, resolution, of, period.name, entry.hash);
    const options = { contentType: "application/vnd.apache.parquet", sha256: entry.hash };
    await this.#uploads.add(bytes.length, async () => {
      await this.#store.put(key, bytes, options);
    });
  };

  /**
   * Writes the list of the objects.
   *
   * @returns the name of the list; null if nothing was replaced
   */
  async finish(): Promise<string | null> {
    await this.#uploads.end();
    if (this.#objects.length === 0) return null;
    const list: Replaced = { schema: KNOWN_VERSION, symbol: this.#symbol, objects: this.#objects };
    return putNamed(this.#store, this.#symbol, list);
  }
}

/**
 * The log with another activation. It begins anew where that can't be compared with the one before.
 *
 * @param before the log up to the activation before; undefined if it has none, or could not be compared
 * @param replaced the name of what the activation replaced; null for nothing
 */
export async function knownWith(
  store: ObjectStore,
  before: Known | undefined,
  manifest: Manifest,
  { n, activated, replaced }: { n: number; activated: string; replaced: string | null },
): Promise<Known> {
  const line = knownLine(manifest, n, activated, replaced);
  if (before === undefined) return { since: activated, lines: [line], older: null };
  const { since, lines, older } = before;
  if (lines.length < MOST_LOG_LINES) return { since, lines: [...lines, line], older };
  const chunk = await chunkWith(store, manifest.symbol, before);
  return { since, lines: [line], older: await putNamed(store, manifest.symbol, chunk) };
}

/** The lines of an entry, after those of the last chunk if that has room for them. */
async function chunkWith(store: ObjectStore, symbol: string, { lines, older }: Known): Promise<KnownChunk> {
  // One that can't be read stays where it is, and another follows it.
  const last = older === null ? undefined : await readLogChunk(store, symbol, older);
  const isFull = last === undefined || last.lines.length + lines.length > CHUNK_LINES;
  return isFull ? { schema: KNOWN_VERSION, symbol, lines, older } : { ...last, lines: [...last.lines, ...lines] };
}

/** @returns undefined if it is missing or can't be read */
export const readLogChunk = async (store: ObjectStore, symbol: string, hash: string): Promise<KnownChunk | undefined> =>
  parsedText(await store.get(knownKey(symbol, hash)), parseKnownChunk);

/** @returns undefined likewise */
export const readReplaced = async (store: ObjectStore, symbol: string, hash: string): Promise<Replaced | undefined> =>
  parsedText(await store.get(knownKey(symbol, hash)), parseReplaced);

async function putNamed(store: ObjectStore, symbol: string, content: KnownChunk | Replaced): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(content));
  const sha256 = sha256Hex(bytes);
  const name = namePart(sha256);
  await store.put(knownKey(symbol, name), bytes, { contentType: "application/json", sha256 });
  return name;
}
