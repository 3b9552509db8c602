/**
 * What keys have used of `soprano serve`: it adds up the Worker's log, and appends to a file beside its state. Several servers
 * may append, and whoever reads adds up their lines. Source: docs/operating.md#usage.
 */

import { appendFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { Failure } from "../../lib/failure.ts";
import type { Usage } from "../key-usage.ts";

/** How often it is written, in milliseconds: a server that is killed loses what it has counted since. */
const WRITE_MS = 2_000;
const DAY_MS = 86_400_000;

const pathIn = (persist: string) => join(persist, "usage.jsonl");
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** The line of a request that brought a valid key. */
const requestSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    event: v.literal("request"),
    key: v.string(),
    points: v.optional(v.number(), 0),
    bytes: v.optional(v.number(), 0),
  }),
);

const lineSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.strictObject({ day: v.string(), key: v.string(), requests: v.number(), points: v.number(), bytes: v.number() }),
);

/** Sums by day and key, in this order. */
function added(usages: Iterable<Usage>): Usage[] {
  const sums = new Map<string, Usage>();
  for (const { day, key, requests, points, bytes } of usages) {
    const sum = sums.get(`${day} ${key}`) ?? { day, key, requests: 0, points: 0, bytes: 0 };
    sum.requests += requests;
    sum.points += points;
    sum.bytes += bytes;
    sums.set(`${day} ${key}`, sum);
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

/** Counts the requests of a server's log. A file that can't be written costs the counts, and no answer. */
export function usageCounter(
  persist: string,
  now: () => number = Date.now,
): { note(line: string): void; close(): void } {
  let counted: Usage[] = [];
  const write = () => {
    const lines = added(counted).map((usage) => `${JSON.stringify(usage)}\n`);
    counted = [];
    try {
      if (lines.length > 0) appendFileSync(pathIn(persist), lines.join(""));
    } catch {
      // A request that is not counted is better than one that fails, here as on Cloudflare.
    }
  };
  const writing = setInterval(write, WRITE_MS);
  writing.unref();
  // Whatever ends the process.
  process.once("exit", write);
  return {
    note(line) {
      const request = v.safeParse(requestSchema, line);
      if (!request.success) return;
      const { key, points, bytes } = request.output;
      counted = added([...counted, { day: dayOf(now()), key, requests: 1, points, bytes }]);
    },
    close() {
      clearInterval(writing);
      process.removeListener("exit", write);
      write();
    },
  };
}

/**
 * The usage of the last days, today included, by day and key. Lines that a kill has cut count for nothing.
 *
 * @throws {Failure} the file can't be read
 */
export async function readLocalUsage(persist: string, days: number, now = Date.now()): Promise<Usage[]> {
  const text = await readFile(pathIn(persist), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw new Failure(`${pathIn(persist)} can't be read (${error.code}): change its permissions.`);
  });
  const since = dayOf((Math.floor(now / DAY_MS) - days + 1) * DAY_MS);
  const lines = text.split("\n").map((line) => v.safeParse(lineSchema, line));
  return added(lines.flatMap(({ success, output }) => (success && output.day >= since ? [output] : [])));
}
