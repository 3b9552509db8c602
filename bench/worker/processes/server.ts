/** The servers that are measured: the benchmark's Worker, and one over DuckDB. */

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Miniflare } from "miniflare";
import { workerModules } from "../../../builder/serve/bundle.ts";
import { workerOptions } from "../../../builder/store/wrangler.ts";
import { startMiniflare } from "../../../test/store/start-miniflare.ts";
import { childrenNamed } from "../../lib/process-tree.ts";
import type { BenchToken } from "../token.ts";
import type { Measurable } from "./load-process.ts";

export interface BenchServer extends Measurable {
  close(): Promise<void>;
}

/**
 * Starts workerd by Miniflare: with `wrangler dev`, a request would cost 20 times as much.
 *
 * @param entry of the folder workerd/
 */
export async function startWorker(
  entry: string,
  persist: string,
  options: { inspectorPort?: number; bindings?: { KEYS_OF: BenchToken["keys"] } },
): Promise<Miniflare> {
  return startMiniflare({
    ...(await workerOptions(persist)),
    // In a cold state, every request is the first of its key, and all come from one address.
    ratelimits: {},
    host: "127.0.0.1",
    port: 0,
    ...(await workerModules(`bench/worker/workerd/${entry}`)),
    logRequests: false,
    ...options,
  });
}

export async function benchServer({ persist, keys }: BenchToken): Promise<BenchServer> {
  const before = childrenNamed("workerd");
  const miniflare = await startWorker("entry.ts", persist, { bindings: { KEYS_OF: keys } });
  const { port } = await miniflare.ready;
  const pid = childrenNamed("workerd").find((child) => !before.includes(child)) ?? Number.NaN;
  return { port: Number(port), pid, close: () => miniflare.dispose() };
}

/** Starts duckdb-server.ts in a process of its own. */
export async function duckdbServer(token: BenchToken): Promise<Measurable & { close(): void }> {
  const server = fork(fileURLToPath(new URL("duckdb-server.ts", import.meta.url)));
  server.send(token);
  const [port] = await once(server, "message");
  return { port, pid: server.pid!, close: () => server.kill() };
}
