/** Loads series from the API, parses them as they arrive, and caches the most recent ones. */

import { PointReader, type Points } from "./points.ts";
import { Problem, readProblem } from "./problem.ts";
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
    const [oldest] = this.#cache.keys();
    if (oldest !== undefined && this.#cache.size > CACHE_SIZE) this.#cache.delete(oldest);
    return loaded;
  }
}

/** @throws {Problem} the service or the connection failed */
export async function getJson<T>(path: string): Promise<T> {
  return (await get(path)).json() as Promise<T>;
}

async function read(path: string, key: string, signal: AbortSignal): Promise<LoadedSeries> {
  // The key goes into a header because URLs end up in logs.
  const response = await get(path, { signal, headers: { "X-Api-Key": key } });
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

/** Lets the browser paint and handle input. A timer would take at least 4 ms. */
function yieldToBrowser(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener("message", () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(null);
  });
}
