/** The bench's Worker on workerd, by Miniflare directly: through `wrangler dev` a request costs 20 times as much. */

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { workerModules } from "../../builder/serve.ts";
import { PROJECT, workerOptions } from "../../builder/store/local.ts";
import type { BenchToken } from "./token.ts";

export interface BenchServer {
  port: number;
  /** Resident memory of workerd, bytes. */
  memory(): number;
  close(): Promise<void>;
}

export async function benchServer({ persist, keys }: BenchToken): Promise<BenchServer> {
  const before = new Set(children());
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...(await workerOptions(persist)),
      host: "127.0.0.1",
      port: 0,
      modulesRoot: PROJECT,
      modules: await workerModules(join(PROJECT, "bench", "worker", "workerd", "entry.ts")),
      bindings: { KEYS_OF: keys },
      logRequests: false,
    }),
  );
  const { port } = await miniflare.ready;
  const [workerd] = children().filter((id) => !before.has(id));
  return { port: Number(port), memory: () => residentBytes(workerd), close: () => miniflare.dispose() };
}

/** Process ids of this process's children. */
function children(): number[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  return lines
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === process.pid)
    .map(([id]) => id);
}

function residentBytes(id: number): number {
  return 1024 * Number(execFileSync("ps", ["-o", "rss=", "-p", String(id)], { encoding: "utf8" }));
}
