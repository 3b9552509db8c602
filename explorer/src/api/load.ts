/** Loads series from the API, parses them as they arrive, and caches the most recent ones. */

import { yieldToBrowser } from "../yield-to-browser.ts";
import { NO_POINTS, type Points, TableReader } from "./points.ts";
import { asProblem, Problem, readProblem } from "./problem.ts";
import { queryValue, requestUrl, type TableRequest } from "./request.ts";

/** Numbers of one request: more than a chart can show, and few enough for a browser's memory. */
export const MAX_POINTS = 1_000_000;

/** Characters parsed before the browser gets a turn: a few milliseconds of work. */
const PIECE_LENGTH = 1 << 17;
/** Points that the cache holds: some 50 MB. */
const CACHE_SIZE = 3_000_000;
/** Other answers that it holds: distributions of some 100,000 numbers. */
const MOST_ANSWERS = 8;

/** Asks for the answer of a path, which is JSON, or says why there is none. */
export type Ask = <Answer>(path: string) => Promise<Answer | Problem>;

/** @param key that of the moment */
export const askWith =
  (loader: Loader, key: () => string | null): Ask =>
  <Answer>(path: string) =>
    loader.json(path, (answer: Answer) => answer, key() ?? "").catch(asProblem);

export interface LoadedSeries {
  points: Points;
  /** The build of its asset that it is of. */
  build: string;
  /** Whether the series continues beyond MAX_POINTS. */
  isTruncated: boolean;
}

export class Loader {
  /** The series in order of use, the least recently used first. */
  readonly #cache = new Map<string, LoadedSeries>();
  #size = 0;
  /** What was made of other answers, by path, the oldest first. */
  readonly #answers = new Map<string, unknown>();

  /** Drops everything loaded with an earlier key. */
  clear(): void {
    this.#cache.clear();
    this.#answers.clear();
    this.#size = 0;
  }

  /** Drops what was loaded of an asset. */
  forget(asset: string): void {
    for (const [name, { points }] of this.#cache) {
      if (!name.startsWith(`${asset}:`)) continue;
      this.#cache.delete(name);
      this.#size -= points.t.length;
    }
    for (const path of this.#answers.keys()) {
      if (path.includes(`?a=${queryValue(asset)}&`)) this.#answers.delete(path);
    }
  }

  /** A series that has been loaded, by the name it was kept under. */
  cached(name: string): LoadedSeries | undefined {
    const series = this.#cache.get(name);
    if (series) {
      this.#cache.delete(name);
      this.#cache.set(name, series);
    }
    return series;
  }

  /**
   * Loads the series of a request, and keeps each of them.
   *
   * @param names what to keep each column's series as
   * @throws {Problem} the service or the connection failed
   * @throws {DOMException} AbortError, once the signal is aborted
   */
  async load(
    request: TableRequest,
    names: readonly string[],
    key: string,
    signal: AbortSignal,
  ): Promise<LoadedSeries[]> {
    const path = requestUrl(request, "", { f: "csv", time: "unix" });
    const { series, builds, isTruncated } = await read(path, key, signal);
    const assets = new Map(request.query).get("a")!.split(",");
    return request.columns.map((column, i) => {
      const build = builds[assets.findIndex((asset) => column.startsWith(`${asset}:`))] ?? "";
      const loaded = { points: series.get(column) ?? NO_POINTS, build, isTruncated };
      this.#keep(names[i]!, loaded);
      return loaded;
    });
  }

  /**
   * What is made of an answer, which is JSON. The most recent ones are kept: a path has one use.
   *
   * @throws {Problem} the service or the connection failed
   * @throws {DOMException} AbortError, once the signal is aborted
   */
  async json<T, Made>(path: string, make: (answer: T) => Made, key: string, signal?: AbortSignal): Promise<Made> {
    const made = (this.#answers.get(path) ?? make(await getJson<T>(path, key, signal))) as Made;
    this.#answers.set(path, made);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > MOST_ANSWERS) this.#answers.delete(oldest!);
    return made;
  }

  #keep(name: string, series: LoadedSeries): void {
    // Two requests for the same series may be under way.
    this.#size += series.points.t.length - (this.#cache.get(name)?.points.t.length ?? 0);
    this.#cache.delete(name);
    this.#cache.set(name, series);
    for (const [oldest, { points }] of this.#cache) {
      if (this.#size <= CACHE_SIZE || oldest === name) break;
      this.#cache.delete(oldest);
      this.#size -= points.t.length;
    }
  }
}

/**
 * @param key null for what needs none
 * @throws {Problem} the service or the connection failed
 * @throws {DOMException} AbortError, once the signal is aborted
 */
export async function getJson<T>(path: string, key: string | null = null, signal?: AbortSignal): Promise<T> {
  const options = { ...(key !== null && withKey(key)), ...(signal && { signal }) };
  return (await get(path, options)).json() as Promise<T>;
}

/** The key goes into a header because URLs end up in logs. */
const withKey = (key: string): RequestInit => ({ headers: { "X-Api-Key": key } });

async function read(path: string, key: string, signal: AbortSignal) {
  const response = await get(path, { signal, ...withKey(key) });
  // In the order of the assets that are asked for.
  const builds = response.headers.get("X-Soprano-Build")?.split(", ") ?? [];
  const reader = new TableReader();
  const body = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await body.read();
      if (done) return { series: reader.series(), builds, isTruncated: false };
      for (let at = 0; at < value.length; at += PIECE_LENGTH) {
        reader.push(value.slice(at, at + PIECE_LENGTH));
        await yieldToBrowser();
        signal.throwIfAborted();
      }
      if (reader.size >= MAX_POINTS) {
        await body.cancel();
        return { series: reader.series(), builds, isTruncated: true };
      }
    }
  } catch (error) {
    if (signal.aborted) throw error;
    const advice = "The connection closed before all points had arrived. Try again.";
    throw new Problem("unreachable", "The download was interrupted", advice);
  }
}

async function get(path: string, options: RequestInit = {}): Promise<Response> {
  const response = await fetch(path, options).catch((error) => {
    if (options.signal?.aborted) throw error;
    const advice = "The service can't be reached. Check your connection, then try again.";
    throw new Problem("unreachable", "No connection", advice);
  });
  if (!response.ok) throw await readProblem(response);
  return response;
}
