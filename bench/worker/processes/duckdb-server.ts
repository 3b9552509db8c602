/** An HTTP server in Node over DuckDB, on the same Parquet files: its own process, which receives the token as a message. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { type BenchQuery, QUERIES } from "../queries.ts";
import type { BenchToken } from "../token.ts";

const instance = await DuckDBInstance.create(":memory:");
const idle: Awaited<ReturnType<typeof instance.connect>>[] = [];

process.once("message", (token: BenchToken) => {
  const server = createServer(async (request, response) => {
    const query = QUERIES.find(({ name }) => name === request.headers["x-query"])!;
    response.setHeader("Content-Type", "application/json");
    response.end(await answer(query, token));
  });
  server.listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port));
});

async function answer(query: BenchQuery, token: BenchToken): Promise<string> {
  const connection = idle.pop() ?? (await instance.connect());
  try {
    const reader = await connection.runAndReadAll(sql(query, token));
    const [times, values] = reader.getColumnsJS() as [number[], number[]];
    const points = times.map((t, row) => ({ t: new Date(t).toISOString().slice(0, 19), v: values[row] }));
    return JSON.stringify(points);
  } finally {
    idle.push(connection);
  }
}

function sql({ name, selector, range }: BenchQuery, { files, keys }: BenchToken): string {
  const paths = keys[name]!.map((key) => `'${join(files, key)}'`).join(", ");
  const times = range ? `AND epoch(t) >= ${range.since} AND epoch(t) < ${range.until}` : "";
  return `SELECT epoch_ms(t)::DOUBLE, v FROM read_parquet([${paths}]) WHERE cohort = '${selector}' ${times} ORDER BY t`;
}
