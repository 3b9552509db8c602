/** Series from the API, read as they arrive; those read before are kept. */

import { PointReader, type Points } from "./points.ts";
import { Problem, problemOf, unreachable } from "./problem.ts";
import { requestUrl, type SeriesRequest } from "./request.ts";

/** More than a chart can show, and as much as a browser holds with ease. */
export const MOST_POINTS = 1_000_000;

/** Characters that are parsed before other work has its turn: a few milliseconds. */
const PIECE = 1 << 17;
const MOST_KEPT = 24;

export interface Loaded {
  points: Points;
  /** Whether the series goes on beyond MOST_POINTS. */
  isCut: boolean;
}

export class Loader {
  readonly #kept = new Map<string, Loaded>();

  /** Keeps nothing of what was read with another key. */
  forget(): void {
    this.#kept.clear();
  }

  /**
   * @param key null leaves it out, and the service says what is missing
   * @throws {Problem}
   * @throws {DOMException} AbortError, once the signal says so
   */
  async load(request: SeriesRequest, key: string | null, signal: AbortSignal): Promise<Loaded> {
    const name = requestUrl(request, "");
    const kept = this.#kept.get(name);
    if (kept) {
      this.#kept.delete(name);
      this.#kept.set(name, kept);
      return kept;
    }
    const loaded = await read(requestUrl(request, "", { f: "csv" }), key, signal);
    this.#kept.set(name, loaded);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) break;
      this.#kept.delete(oldest);
    }
    return loaded;
  }
}

/** An answer in JSON. */
export async function getJson<T>(path: string): Promise<T> {
  const response = await get(path);
  if (!response.ok) throw await problemOf(response);
  return response.json() as Promise<T>;
}

async function read(path: string, key: string | null, signal: AbortSignal): Promise<Loaded> {
  // Not in the URL, which ends up in logs.
  const response = await get(path, { signal, headers: key ? { "X-Api-Key": key } : {} });
  if (!response.ok) throw await problemOf(response);
  const reader = new PointReader();
  const body = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await body.read();
      if (done) return { points: reader.points(), isCut: false };
      for (let at = 0; at < value.length; at += PIECE) {
        reader.push(value.slice(at, at + PIECE));
        await otherWork();
        signal.throwIfAborted();
      }
      if (reader.length >= MOST_POINTS) {
        await body.cancel();
        return { points: reader.points(), isCut: true };
      }
    }
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Problem("unreachable", "The answer broke off", "The connection ended before all points were here.");
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

/** Lets the browser paint and answer before going on. A timer would wait 4 ms. */
function otherWork(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
