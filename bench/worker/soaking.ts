/** 100,000 requests, 32 at a time, a thousand of them aborted midway: what stays in memory. */

import type { Bench } from "./bench.ts";
import type { Soaked } from "./processes/load-process.ts";
import { pathOf, QUERIES } from "./queries.ts";

/** Bytes of WASM memory, and what the isolate counts: its caches and the requests in progress. */
export type IsolateMemory = Record<"wasm" | "account", number>;

export interface SoakFigures extends Soaked {
  before: IsolateMemory;
  after: IsolateMemory;
}

const SELECTORS = ["total", "users", "$0-100", "$10M+", "<1d", "1y-2y"];

export async function measureSoak({ load, server }: Bench): Promise<SoakFigures> {
  const short = QUERIES.filter(({ name }) => name !== "all hours" && name !== "all blocks");
  const paths = short.flatMap((query) => SELECTORS.map((selector) => pathOf({ ...query, selector })));
  // One in twenty is long.
  const mixed = [...paths, pathOf(QUERIES.find(({ name }) => name === "all hours")!)];
  const job = { port: server.port, paths: mixed, connections: 32 };
  await load.soak({ ...job, requests: 2_000, aborted: 20 });
  const before = await memory(server.port);
  const soaked = await load.soak({ ...job, requests: 100_000, aborted: 1_000 });
  return { ...soaked, before, after: await memory(server.port) };
}

async function memory(port: number): Promise<IsolateMemory> {
  const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { "x-contender": "memory" } });
  return (await response.json()) as IsolateMemory;
}
