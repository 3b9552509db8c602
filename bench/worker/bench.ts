/** What all measurements share: token, servers and load. */

import { LoadProcess, type Measured } from "./processes/load-process.ts";
import { type BenchServer, benchServer, duckdbServer } from "./processes/server.ts";
import { type BenchQuery, pathOf } from "./queries.ts";
import { type BenchToken, benchToken } from "./token.ts";

/** What answers: the Worker in one of its states, or an alternative. */
export type Contender = State | (typeof PEERS)[number] | "rendered" | "constant" | "first";

/** Points come from R2, from the location's cache, or from memory. */
export const STATES = ["cold", "colo", "warm"] as const;
type State = (typeof STATES)[number];
export const PEERS = ["straightforward", "hyparquet", "duckdb"] as const;

/** The extent of a run. It ends after `seconds`, but not before every connection has had an answer. */
export interface Effort {
  connections: number;
  seconds: number;
  requests?: number;
  /** Added to every read of the bucket, in milliseconds. */
  delay?: number;
}

export interface Bench {
  token: BenchToken;
  server: BenchServer;
  load: LoadProcess;
  run(contender: Contender, query: BenchQuery, effort: Effort): Promise<Measured>;
  /** Any request to the Worker. */
  runPath(state: State, path: string, effort: Effort): Promise<Measured>;
  /** The answer, without a measurement. */
  text(contender: Contender, query: BenchQuery): Promise<string>;
  close(): Promise<void>;
}

export async function openBench(): Promise<Bench> {
  const token = await benchToken();
  const server = await benchServer(token);
  const duckdb = await duckdbServer(token);
  const load = new LoadProcess();
  const serverOf = (contender: Contender) => (contender === "duckdb" ? duckdb : server);
  const headersOf = (contender: Contender, { name }: BenchQuery) => ({ "x-contender": contender, "x-query": name });
  const request = (contender: Contender, path: string, headers: Record<string, string>, effort: Effort) => {
    const { delay = 0, requests = Number.MAX_SAFE_INTEGER, ...extent } = effort;
    const { port, pid } = serverOf(contender);
    const delayed = { ...headers, "x-delay": String(delay) };
    return load.run({ ...extent, requests, port, pid, path, headers: delayed });
  };
  return {
    token,
    server,
    load,
    run: (contender, query, effort) => request(contender, pathOf(query), headersOf(contender, query), effort),
    runPath: (state, path, effort) => request(state, path, { "x-contender": state }, effort),
    async text(contender, query) {
      const url = `http://127.0.0.1:${serverOf(contender).port}${pathOf(query)}`;
      const response = await fetch(url, { headers: { ...headersOf(contender, query), "Accept-Encoding": "identity" } });
      if (!response.ok) throw new Error(`${contender}, ${query.name}: ${await response.text()}`);
      return response.text();
    },
    async close() {
      load.close();
      duckdb.close();
      await server.close();
    },
  };
}
