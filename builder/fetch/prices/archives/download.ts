/** Downloads from archives of prices: with time-outs, retries and limits, and no keys. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Failure } from "../../../lib/failure.ts";
import { foreignText } from "../../../lib/foreign-text.ts";
import { type HttpFailure, pauseAsked, receive } from "../../../lib/http.ts";
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
  const isPassing = (error: unknown) =>
    !(error instanceof Failure) && (error as Partial<HttpFailure>).kind !== "long" && base.protocol !== "file:";
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
  const { status, headers, body } = await receive(url, { timeoutMs: TIMEOUT_MS, largest: MOST_BYTES, signal });
  if (status === 200) return body;
  if (status === 404) return undefined;
  const what = `it answers with status ${status}`;
  if (status >= 500 || status === 429 || status === 408) throw new Refused(what, pauseAsked(headers) || undefined);
  throw new Failure(what);
}

/** What is said of the archive instead of the error's message. */
const FAILED: Partial<Record<HttpFailure["kind"], string>> = {
  late: "it does not answer",
  long: `its answer has more than ${MOST_BYTES / 1024 / 1024} MiB`,
};

function asFailure(error: unknown, base: URL, path: string): Failure {
  const { name, message } = error as Error;
  const reason = FAILED[(error as Partial<HttpFailure>).kind ?? "unreachable"] ?? foreignText(message);
  const where = base.protocol === "file:" ? fileURLToPath(base) : base.host;
  return new Failure(
    `${where}: ${path.split("?")[0]} can't be read: ${reason || name}. Run soprano fetch again later.`,
    {
      cause: error,
    },
  );
}
