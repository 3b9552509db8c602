/** An in-memory DuckDB that reads local files only. */

import { type DuckDBConnection, type DuckDBDataChunk, DuckDBInstance } from "@duckdb/node-api";

/** Where DuckDB sorts what does not fit into its memory. */
export interface SpillRoom {
  /** Bytes. */
  memory: number;
  folder: string;
}

/** What is removed with a connection. */
const belongings = new WeakMap<DuckDBConnection, (() => void)[]>();

/** Has `remove` called once a connection of `withDatabase` is closed. */
export function withItsDatabase(connection: DuckDBConnection, remove: () => void): void {
  belongings.get(connection)?.push(remove);
}

/** A database of one thread that nobody uses now: to make one takes 20 ms, a fiftieth of a small token's night. */
let idle: DuckDBInstance | undefined;

/** Runs `work` with a connection of its own, and closes it afterwards. */
export async function withDatabase<T>(
  threads: number,
  work: (connection: DuckDBConnection) => Promise<T>,
  room?: SpillRoom,
): Promise<T> {
  const isKept = threads === 1 && !room;
  const kept = isKept ? idle : undefined;
  if (kept) idle = undefined;
  const instance = kept ?? (await create(threads, room));
  const connection = await instance.connect();
  belongings.set(connection, []);
  let isWhole = false;
  try {
    await connection.run("SET TimeZone = 'UTC'");
    // With the default of 1 MB, all threads but one wait for the reader. But DuckDB fills the buffer before it delivers
    // the first chunk, so a single thread is faster with a small one.
    await connection.run(`SET streaming_buffer_size = '${threads === 1 ? 1 : 128}MB'`);
    const result = await work(connection);
    isWhole = true;
    return result;
  } finally {
    connection.closeSync();
    // After an error it may refuse all that follows.
    if (isKept && isWhole && !idle) idle = instance;
    else instance.closeSync();
    for (const remove of belongings.get(connection) ?? []) remove();
  }
}

const create = (threads: number, room: SpillRoom | undefined): Promise<DuckDBInstance> =>
  DuckDBInstance.create(":memory:", {
    threads: String(threads),
    // Never fetches extensions from the network.
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    preserve_insertion_order: "true",
    // Files may change, and their cache would stay in memory.
    enable_external_file_cache: "false",
    ...(room && { memory_limit: `${Math.ceil(room.memory / 2 ** 20)}MiB`, temp_directory: room.folder }),
  });

/**
 * Streams the result of a query in chunks of at most 2,048 rows. DuckDB prepares the next chunk meanwhile. A chunk is
 * invalid as soon as the next one is requested.
 */
export async function* chunks(connection: DuckDBConnection, sql: string): AsyncGenerator<DuckDBDataChunk> {
  const result = await connection.stream(sql);
  let next = result.fetchChunk();
  try {
    for (let chunk = await next; chunk !== null && chunk.rowCount > 0; chunk = await next) {
      next = result.fetchChunk();
      yield chunk;
      // Garbage collection would come too late: every chunk would allocate new memory.
      chunk.reset();
    }
  } finally {
    // If the caller stops early, the next chunk is not needed. But the connection can't be closed before it has arrived.
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
