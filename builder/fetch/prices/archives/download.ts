/** Downloads from archives of prices: with time-outs, retries and limits, and no keys. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Failure } from "../../../lib/failure.ts";
import { foreignText } from "../../../lib/foreign-text.ts";
import { Refused, type RetryPolicy, retry } from "../../../lib/retry.ts";

/** The hours to read. */
export interface ArchiveHours {
  /** Start of the first hour and end of the last, Unix seconds. */
  start: number;
  end: number;
  signal?: AbortSignal | undefined;
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Far above any archive of a month's hours. */
const MOST_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 60_000;
const POLICY: RetryPolicy = { attempts: 6, firstMs: 500, longestMs: 60_000 };

/**
 * Where an archive is: a URL, or a folder on this machine with the same paths below it.
 *
 * @param variable of the environment, which replaces the default
 * @throws {Failure} it is neither
 */
export function archiveBase(variable: string, preset: string): URL {
  const text = process.env[variable] || preset;
  const url = URL.parse(text.endsWith("/") ? text : `${text}/`);
  if (url && ["http:", "https:", "file:"].includes(url.protocol)) return url;
  throw new Failure(`${variable} is not a URL: write it as https://HOST/PATH, or file:///FOLDER for local files.`);
}

/**
 * Gets a file of an archive.
 *
 * @param path relative, may have a query
 * @param check throws if the bytes can't be right, which is tried again
 * @returns undefined if there is none
 * @throws {Failure} names the host and the path
 */
export async function download<T>(
  base: URL,
  path: string,
  check: (bytes: Buffer) => T | Promise<T>,
  signal?: AbortSignal,
): Promise<T | undefined> {
  const read = async () => {
    const bytes = base.protocol === "file:" ? await readLocal(base, path) : await get(new URL(path, base), signal);
    return bytes && (await check(bytes));
  };
  const isPassing = (error: unknown) => !(error instanceof Failure) && base.protocol !== "file:";
  try {
    return await retry(read, isPassing, POLICY, signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw asFailure(error, base, path);
  }
}

async function readLocal(base: URL, path: string): Promise<Buffer | undefined> {
  return readFile(join(fileURLToPath(base), path)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}

async function get(url: URL, signal?: AbortSignal): Promise<Buffer | undefined> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
  if (response.status === 404) {
    await response.body?.cancel();
    return undefined;
  }
  if (response.status !== 200) {
    await response.body?.cancel();
    const what = `it answers with status ${response.status}`;
    const isPassing = response.status >= 500 || response.status === 429 || response.status === 408;
    if (!isPassing) throw new Failure(what);
    const seconds = Number(response.headers.get("Retry-After") ?? Number.NaN);
    throw new Refused(what, seconds > 0 ? seconds * 1000 : undefined);
  }
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.length;
    if (length > MOST_BYTES) throw new Failure(`its answer has more than ${MOST_BYTES / 1024 / 1024} MiB`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function asFailure(error: unknown, base: URL, path: string): Failure {
  const { name, message, cause } = error as Error;
  const reason =
    name === "TimeoutError" ? "it does not answer" : foreignText((cause as Error | undefined)?.message ?? message);
  const where = base.protocol === "file:" ? fileURLToPath(base) : base.host;
  return new Failure(
    `${where}: ${path.split("?")[0]} can't be read: ${reason || name}. Run soprano fetch again later.`,
    {
      cause: error,
    },
  );
}
