/** Loads series from the API, parses them as they arrive, and caches the most recent ones. */

import { PointReader, type Points } from "./points.ts";
import { Problem, readProblem, unreachable } from "./problem.ts";
import { requestUrl, type SeriesRequest } from "./request.ts";

/** More points than a chart can show, and few enough for a browser's memory. */
export const MAX_POINTS = 1_000_000;

/** Characters parsed before the browser gets a turn: a few milliseconds of work. */
const PIECE_LENGTH = 1 << 17;
const CACHE_SIZE = 24;

export interface LoadedSeries {
  points: Points;
  /** Whether the series continues beyond MAX_POINTS. */
  isTruncated: boolean;
}

export class Loader {
  /** In order of use, the least recently used first. */
  readonly #cache = new Map<string, LoadedSeries>();

  /** Drops everything loaded with an earlier key. */
  clear(): void {
    this.#cache.clear();
  }

  /**
   * @throws {Problem} the service or the connection failed
   * @throws {DOMException} AbortError, once the signal is aborted
   */
  async load(request: SeriesRequest, key: string, signal: AbortSignal): Promise<LoadedSeries> {
    const name = requestUrl(request, "");
    const cached = this.#cache.get(name);
    if (cached) this.#cache.delete(name);
    const loaded = cached ?? (await read(requestUrl(request, "", { f: "csv" }), key, signal));
    this.#cache.set(name, loaded);
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= CACHE_SIZE) break;
      this.#cache.delete(oldest);
    }
    return loaded;
  }
}

/** @throws {Problem} the service or the connection failed */
export async function getJson<T>(path: string): Promise<T> {
  const response = await get(path);
  if (!response.ok) throw await readProblem(response);
  return response.json() as Promise<T>;
}

async function read(path: string, key: string, signal: AbortSignal): Promise<LoadedSeries> {
  // The key goes into a header because URLs end up in logs.
  const response = await get(path, { signal, headers: { "X-Api-Key": key } });
  if (!response.ok) throw await readProblem(response);
  const reader = new PointReader();
  const body = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await body.read();
      if (done) return { points: reader.points(), isTruncated: false };
      for (let at = 0; at < value.length; at += PIECE_LENGTH) {
        reader.push(value.slice(at, at + PIECE_LENGTH));
        await yieldToBrowser();
        signal.throwIfAborted();
      }
      if (reader.length >= MAX_POINTS) {
        await body.cancel();
        return { points: reader.points(), isTruncated: true };
      }
    }
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Problem(
      "unreachable",
      "The download was interrupted",
      "The connection closed before all points had arrived. Try again.",
    );
  }
}

async function get(path: string, options: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(path, options);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw unreachable();
  }
}

/** Lets the browser paint and handle input. A timer would take at least 4 ms. */
function yieldToBrowser(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
