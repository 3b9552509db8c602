/** The client of Soprano's API. It needs nothing but fetch: Node ≥ 20.3, Deno, Bun, browsers and Workers have it. */

import createFetchClient, { type Client as FetchClient } from "openapi-fetch";
import { remembering } from "./etags.ts";
import { parsePoints, parseRows } from "./lines.ts";
import type { paths } from "./openapi.ts";
import { explaining, type Problem } from "./problem.ts";
import type {
  Address,
  Events,
  Format,
  FormulaQuery,
  FormulaSeries,
  Holders,
  HoldersQuery,
  Largest,
  LargestQuery,
  Metric,
  Point,
  PointQuery,
  Row,
  Table,
  TableQuery,
  TimeForm,
  Transfers,
  TransfersQuery,
  V1Metric,
} from "./query.ts";
import { retrying, watched, whole } from "./transport.ts";

export type { Problem } from "./problem.ts";
export type {
  Address,
  Events,
  Format,
  FormulaQuery,
  FormulaSeries,
  Holders,
  HoldersQuery,
  Largest,
  LargestQuery,
  Metric,
  Point,
  PointQuery,
  Resolution,
  Row,
  Selector,
  Series,
  Table,
  TableQuery,
  TimeForm,
  Transfers,
  TransfersQuery,
  V1Metric,
} from "./query.ts";

export interface Options {
  /** Where the API is, such as `https://soprano.example`. */
  url: string;
  /** An API key. The catalog needs none. */
  key?: string | undefined;
  /** How long a call may wait in all before it tries again, after 429, 503 or a dropped connection. Default: 120. */
  patienceSeconds?: number;
  /** A server that sends nothing for so long counts as a dropped connection. Default: 60. */
  silenceSeconds?: number;
  /** Answers to keep with their ETags. Default: 16 MiB; 0 keeps none. */
  cacheBytes?: number;
}

/** Either `data` or `error`. What no server answered, such as a dropped connection, is thrown. */
export type Result<Data> =
  | { data: Data; error?: never; response: Response }
  | { data?: never; error: Problem; response: Response };

export interface Init {
  signal?: AbortSignal | undefined;
}

type Query = Record<string, unknown>;

/** The paths that answer JSON, which is what GET asks for. */
type JsonPaths = {
  [Path in keyof paths as paths[Path] extends JsonPath ? Path : never]: paths[Path] extends JsonPath
    ? { get: JsonOperation<paths[Path]["get"]> }
    : never;
};

interface JsonPath {
  get: Operation;
}

interface Operation {
  parameters: { query?: Query; path?: Query };
  responses: { 200: { content: { "application/json": unknown } } };
}

interface JsonOperation<O extends Operation> {
  parameters: {
    [Place in keyof O["parameters"]]: Place extends "query"
      ? JsonQuery<O["parameters"][Place]>
      : O["parameters"][Place];
  };
  responses: { 200: O["responses"][200]; default: { content: { "application/problem+json": Problem } } };
}

type JsonQuery<Q> = Q extends { f?: unknown } ? ("f" extends keyof Q ? Omit<Q, "f"> & { f?: "json" } : Q) : Q;

export interface Client {
  /**
   * Several assets, metrics and selectors on one time line.
   *
   * ```ts
   * const { data, error } = await soprano.series({ a: "ARIA", m: ["supply", "price"], c: "*", s: "-30d" });
   * if (error) throw new Error(error.detail);
   * for (const { metric, selector, v } of data.series) console.log(metric, selector, v.at(-1));
   * ```
   */
  series<const M extends Metric, T extends TimeForm = "iso">(
    query: TableQuery<M, T>,
    init?: Init,
  ): Promise<Result<Table<T>>>;

  /**
   * Formulas, with or without series. The server computes them over the whole history.
   *
   * ```ts
   * const { data } = await soprano.series({ a: "ARIA", x: "sma(sopr:lth, 7);dd=price/realised_price-1", s: "-30d" });
   * ```
   */
  series<const M extends Metric, T extends TimeForm = "iso">(
    query: FormulaQuery<M, T>,
    init?: Init,
  ): Promise<Result<Table<T, FormulaSeries>>>;

  /** The rows of a table as they arrive: for what does not fit into memory. A connection that drops midway throws. */
  rows<const M extends Metric, T extends TimeForm = "iso">(
    query: TableQuery<M, T> | FormulaQuery<M, T>,
    init?: Init,
  ): Promise<Result<AsyncIterable<Row<T>>>>;

  /** A table in any format, as bytes. */
  bytes<const M extends Metric, T extends TimeForm = "iso">(
    query: (TableQuery<M, T> | FormulaQuery<M, T>) & { f: Format },
    init?: Init,
  ): Promise<Result<ReadableStream<Uint8Array>>>;

  /**
   * Addresses of an asset, in an order.
   *
   * ```ts
   * const { data } = await soprano.holders({ a: "ARIA", sort: "unrealised_profit", order: "asc", limit: 10 });
   * ```
   */
  holders(query: HoldersQuery, init?: Init): Promise<Result<Holders>>;

  /** The largest at a day's close, with the changes of their balances: `{ a: "ARIA", at: "2025-03-01" }`. */
  holders(query: LargestQuery, init?: Init): Promise<Result<Largest>>;

  /** What an address has of each asset that it has ever held; of all assets, unless some are named. */
  address(address: string, query?: { a?: string | readonly string[] }, init?: Init): Promise<Result<Address>>;

  /** The 20 largest transfers of each day, by dollars: of the last day, unless the query says otherwise. */
  largestTransfers(query: TransfersQuery, init?: Init): Promise<Result<Transfers>>;

  /** The calendar of an asset. */
  events(asset: string, init?: Init): Promise<Result<Events>>;

  /** The points of one metric of version 1, as they arrive. */
  points<const M extends V1Metric>(metric: M, query: PointQuery<M>, init?: Init): Promise<Result<AsyncIterable<Point>>>;

  /** The bytes of a published Parquet file; `GET("/v3/files/{asset}")` lists the paths. */
  file(asset: string, path: string, init?: Init): Promise<Result<ReadableStream<Uint8Array>>>;

  /**
   * Any path that answers JSON: the catalog, and the series of versions 1 and 2.
   *
   * ```ts
   * const { data } = await soprano.GET("/v1/metrics/sopr", { params: { query: { a: "ARIA", c: "users" } } });
   * ```
   */
  GET: FetchClient<JsonPaths, "application/json" | "application/problem+json">["GET"];
}

/** A client of one server. */
export function createClient({
  url,
  key,
  patienceSeconds = 120,
  silenceSeconds = 60,
  cacheBytes = 16 * 2 ** 20,
}: Options): Client {
  // Called as a function of its own: browsers refuse it as a method.
  const once = watched((request) => fetch(request), silenceSeconds);
  const kept = explaining(remembering(retrying(whole(once), patienceSeconds), cacheBytes));
  const streamed = explaining(retrying(once, patienceSeconds));

  const api = createFetchClient<JsonPaths, "application/json" | "application/problem+json">({
    baseUrl: url,
    fetch: kept,
    querySerializer: { array: { style: "form", explode: false } },
    // Not X-Api-Key: fetch would repeat that after a redirect to another host.
    ...(key !== undefined && { headers: { Authorization: `Bearer ${key}` } }),
  });
  // The types of this file are more precise than those of the document.
  const get = api.GET as unknown as (path: string, init: Query) => Promise<Result<unknown>>;

  async function stream<Data>(
    path: string,
    query: Query,
    init: Init | undefined,
    parse: (body: ReadableStream<Uint8Array>) => Data,
  ): Promise<Result<Data>> {
    const result = await get(path, { ...init, params: { query }, parseAs: "stream", fetch: streamed });
    if (result.error) return result;
    return { data: parse(result.data as ReadableStream<Uint8Array>), response: result.response };
  }

  return {
    GET: api.GET,
    series: <T extends TimeForm>(query: TableQuery<Metric, T> | FormulaQuery<Metric, T>, init?: Init) =>
      get("/v3/series", { ...init, params: { query } }) as Promise<Result<Table<T>>>,
    rows: <T extends TimeForm>(query: TableQuery<Metric, T> | FormulaQuery<Metric, T>, init?: Init) =>
      stream("/v3/series", { ...query, f: "ndjson" }, init, parseRows<T>),
    // The query says which of the two it is.
    holders: (query: HoldersQuery | LargestQuery, init?: Init) =>
      get("/v3/holders", { ...init, params: { query } }) as Promise<Result<never>>,
    address: (address, query = {}, init) =>
      get(`/v3/holders/${encodeURIComponent(address)}`, { ...init, params: { query } }) as Promise<Result<Address>>,
    largestTransfers: (query, init) =>
      get("/v3/transfers/largest", { ...init, params: { query } }) as Promise<Result<Transfers>>,
    events: (asset, init) =>
      get(`/v3/assets/${encodeURIComponent(asset)}/events`, { ...init }) as Promise<Result<Events>>,
    bytes: (query, init) => stream("/v3/series", { ...query }, init, (body) => body),
    file: (asset, path, init) => stream(`/v3/files/${encodeURIComponent(asset)}/${path}`, {}, init, (body) => body),
    points: (metric, query, init) => stream(`/v1/metrics/${metric}`, { ...query, f: "csv" }, init, parsePoints),
  };
}
