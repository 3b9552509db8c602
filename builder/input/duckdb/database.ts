/** An in-memory DuckDB that reads local files and nothing else. */

import { type DuckDBConnection, type DuckDBDataChunk, DuckDBInstance } from "@duckdb/node-api";

/** Runs `work` with a connection of its own; the database is gone afterwards. */
export async function withDatabase<T>(threads: number, work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
  const instance = await DuckDBInstance.create(":memory:", {
    threads: String(threads),
    // Nothing is fetched from the network: what is not built in is not there.
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    preserve_insertion_order: "true",
  });
  const connection = await instance.connect();
  try {
    await connection.run("SET TimeZone = 'UTC'");
    // Several threads would wait for the reader, all but one, with the default of 1 MB. But nothing is handed out before
    // what is allowed is there, so a thread alone is better off with little.
    await connection.run(`SET streaming_buffer_size = '${threads === 1 ? 1 : 128}MB'`);
    return await work(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/**
 * The result of a query, chunk by chunk (2,048 rows at most). DuckDB works on the next one meanwhile. A chunk is gone when
 * the next one is asked for.
 */
export async function* chunks(connection: DuckDBConnection, sql: string): AsyncGenerator<DuckDBDataChunk> {
  const result = await connection.stream(sql);
  let next = result.fetchChunk();
  try {
    for (let chunk = await next; chunk !== null && chunk.rowCount > 0; chunk = await next) {
      next = result.fetchChunk();
      yield chunk;
      // Garbage collection would come late, and every chunk would take fresh memory from the system.
      chunk.reset();
    }
  } finally {
    // Whoever stops early does not want to know what became of the next one, but must not close its connection.
    await next.catch(() => undefined);
  }
}

/** A SQL string literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A SQL identifier. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
