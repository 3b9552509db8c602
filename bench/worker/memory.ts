/** What an isolate holds while many clients read at once, by V8's inspector and by its own account. */

import type { Miniflare } from "miniflare";
import { Heap } from "./processes/heap.ts";
import { startWorker } from "./processes/server.ts";
import { SlowReader } from "./processes/slow-reader.ts";
import { pathOf, QUERIES } from "./queries.ts";
import type { BenchToken } from "./token.ts";

/** Bytes: V8's heap with all array buffers; what the isolate counts, and the requests' share of it. */
export type Memory = Record<"heap" | "account" | "requests", number>;

export interface MeteredServer {
  miniflare: Miniflare;
  url: string;
  now(): Promise<Memory>;
  /** The most of each while some work is done. */
  during(work: () => Promise<unknown>): Promise<Memory>;
  close(): Promise<void>;
}

const POLL_MS = 20;

/** Starts the Worker with its inspector, over a state folder. */
export async function meteredServer(persist: string): Promise<MeteredServer> {
  const miniflare = await startWorker("metered.ts", persist, { inspectorPort: 0 });
  const url = (await miniflare.ready).origin;
  const heap = await Heap.open(await miniflare.getInspectorURL());
  const now = async (): Promise<Memory> => {
    const { all, requests } = (await (await fetch(`${url}/account`)).json()) as { all: number; requests: number };
    return { account: all, requests, heap: await heap.bytes() };
  };
  return {
    miniflare,
    url,
    now,
    async during(work) {
      const peak: Memory = { heap: 0, account: 0, requests: 0 };
      let isOver = false;
      const ended = work().finally(() => {
        isOver = true;
      });
      while (!isOver) {
        const memory = await now();
        for (const name of ["heap", "account", "requests"] as const) peak[name] = Math.max(peak[name], memory[name]);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
      await ended;
      return peak;
    },
    async close() {
      heap.close();
      await miniflare.dispose();
    },
  };
}

/** Slow readers, all at once; those whose answers have begun, and the status of the others. */
export async function slowReaders(url: string, count: number) {
  const readers = Array.from({ length: count }, () => new SlowReader(url));
  const heads = await Promise.all(readers.map(({ started }) => started));
  return {
    readers,
    served: readers.filter((_, index) => heads[index]!.status === 200),
    refused: heads.filter(({ status }) => status !== 200),
  };
}

/** Requests of some paths at once, each of the next path; their statuses. */
export function burst(url: string, paths: readonly string[], count: number, headers: Record<string, string> = {}) {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const response = await fetch(url + paths[index % paths.length], { headers });
      await response.arrayBuffer();
      return response.status;
    }),
  );
}

export interface MemoryFigures {
  what: string;
  /** Answers that began, and those refused because there was no room. */
  served: number;
  refused: number;
  /** At most while they were read, and ten seconds after the readers had left and 100 short requests. */
  peak: Memory;
  after: Memory;
}

const SECONDS = 10;
const READERS = [1, 8, 24, 64, 256];
const SELECTORS = ["total", "users", "$0-100", "$10M+", "<1d", "1y-2y"];

const sleep = (seconds: number) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

/** Slow readers of the longest series, and 500 day queries at once, each in a new isolate. */
export async function measureMemory({ persist }: BenchToken): Promise<MemoryFigures[]> {
  const query = (name: string) => QUERIES.find((candidate) => candidate.name === name)!;
  const days = SELECTORS.map((selector) => pathOf({ ...query("day series"), selector }));
  const measure = async (what: string, work: (url: string) => Promise<{ served: number; refused: number }>) => {
    const server = await meteredServer(persist);
    try {
      let counts = { served: 0, refused: 0 };
      const peak = await server.during(async () => {
        counts = await work(server.url);
      });
      await sleep(SECONDS);
      await burst(server.url, days, 100);
      return { what, ...counts, peak, after: await server.now() };
    } finally {
      await server.close();
    }
  };
  const figures: MemoryFigures[] = [];
  for (const count of READERS) {
    const read = async (url: string) => {
      const { readers, served, refused } = await slowReaders(url + pathOf(query("all blocks")), count);
      await sleep(SECONDS);
      for (const reader of readers) reader.leave();
      return { served: served.length, refused: refused.length };
    };
    figures.push(await measure(`${count} slow readers`, read));
  }
  const ask = async (url: string) => {
    const statuses = await burst(url, days, 500, { "x-cold": "" });
    const served = statuses.filter((status) => status === 200).length;
    return { served, refused: statuses.length - served };
  };
  figures.push(await measure("500 day queries at once", ask));
  return figures;
}
