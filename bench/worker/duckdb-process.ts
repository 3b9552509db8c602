/** Starts and stops the DuckDB server. */

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { BenchToken } from "./token.ts";

export async function duckdbServer(token: BenchToken): Promise<{ port: number; close(): void }> {
  const server = fork(fileURLToPath(new URL("duckdb-server.ts", import.meta.url)));
  server.send(token);
  const [port] = await once(server, "message");
  return { port, close: () => server.kill() };
}
