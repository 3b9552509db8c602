/**
 * Where the records of a JSON file are, and which columns they make. APIs put their records into an envelope; members of
 * members become columns joined by a point, such as `from.hash`. Nothing is read here.
 */

import * as v from "valibot";
import { literal } from "./database.ts";

/** How a file is written: a list of records, a record a line, or a value after the other, in several lines each. */
export type JsonLayout = "array" | "newline_delimited" | "unstructured";

/** The layout, by the beginning of a file; undefined if it is not JSON. */
export function layoutOf(head: string): JsonLayout | undefined {
  const text = head.replace(/^\uFEFF/, "").trimStart();
  if (text.startsWith("[")) return "array";
  if (!text.startsWith("{")) return undefined;
  const line = text.split("\n", 1)[0]!;
  return isJson(line) || (line.length === text.length && !text.includes("\n")) ? "newline_delimited" : "unstructured";
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export interface Envelope {
  /** The JSON path of the list of records; with `*`, of several lists, of which a file may have one. */
  path: string;
  /** Lists that are read side by side, a column each, relative to `path`. */
  columns?: Readonly<Record<string, string>>;
}

/**
 * The envelopes of APIs; the first that fits counts: JSON-RPC, Etherscan; Dune; Covalent, Blockscout, subgraphs; CoinGecko,
 * CoinMarketCap, GeckoTerminal, DefiLlama, Yahoo.
 */
const ENVELOPES: readonly Envelope[] = [
  { path: "$.result.rows" },
  { path: "$.result" },
  { path: "$.data.items" },
  { path: "$.items" },
  { path: "$.data.quotes" },
  { path: "$.data.*.quotes" },
  { path: "$.data.attributes.ohlcv_list" },
  { path: "$.prices" },
  { path: "$.coins.*.prices" },
  {
    path: "$.chart.result[0]",
    columns: { timestamp: "timestamp", close: "indicators.quote[0].close" },
  },
  { path: "$.data.transfers" },
  { path: "$.data.*" },
  { path: "$.data" },
  { path: "$.rows" },
  { path: "$.transfers" },
  { path: "$.logs" },
];

const isList = (value: unknown) => Array.isArray(value);
const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !isList(value) ? (value as Record<string, unknown>) : {};

/** What a path leads to: with `*`, of each member. */
function follow(value: unknown, path: string): unknown[] {
  const steps = path.replace(/^\$\.?/, "").match(/[^.[\]]+/g) ?? [];
  return steps.reduce<unknown[]>(
    (found, step) =>
      found.flatMap((one): unknown[] =>
        step === "*"
          ? Object.values(membersOf(one))
          : isList(one)
            ? [(one as unknown[])[Number(step)]]
            : [membersOf(one)[step]],
      ),
    [value],
  );
}

/** How many lists of records a value has at the path of an envelope. */
export const listsAt = (value: unknown, { path, columns }: Envelope): number =>
  follow(value, path).filter((found) =>
    columns ? Object.values(columns).every((column) => follow(found, column).some(isList)) : isList(found),
  ).length;

/** The number that stands in an outline for the list of records (see json-lists.ts); undefined if it has none, or several. */
export function listAt(outline: unknown, { path }: Envelope): number | undefined {
  const [list, ...others] = follow(outline, path).filter(isList);
  return others.length === 0 ? (list as [number] | undefined)?.[0] : undefined;
}

/** The envelope of a file's first value; undefined if the value is a record itself. */
export const envelopeOf = (first: unknown): Envelope | undefined =>
  ENVELOPES.find((envelope) => listsAt(first, envelope) > 0);

const failed = v.object({ status: v.optional(v.unknown()), message: v.optional(v.string()), result: v.string() });
const refused = v.object({ error: v.union([v.string(), v.object({ message: v.string() })]) });

/** What an API says instead of records; undefined if the value is no such answer. */
export function apiError(value: unknown): string | undefined {
  if (v.is(failed, value) && Object.keys(value).length <= 4) return value.result;
  if (!v.is(refused, value)) return undefined;
  const { error } = value;
  return typeof error === "string" ? error : error.message;
}

/** SQL condition: a value has its list where the envelope has it. */
export const hasListSql = (json: string, { path, columns }: Envelope): string =>
  path.includes("*")
    ? `len(json_extract(${json}, ${literal(path)})) = 1`
    : Object.values(columns ?? { "": "" })
        .map((column) => `json_type(${json}, ${literal(column === "" ? path : `${path}.${column}`)}) = 'ARRAY'`)
        .join(" AND ");

/** SQL for the records of a value, a row each, as `j`. */
export function recordsSql(json: string, { path, columns }: Envelope): string {
  if (!columns) return `unnest(json_extract(${json}, ${literal(`${path}[*]`)})) AS j`;
  // A record a place: items of lists that lie side by side become the members of one object.
  const members = Object.entries(columns).map(
    ([name, list]) => `${literal(name)}, json_extract(${json}, ${literal(`${path}.${list}[`)} || i || ']')`,
  );
  const length = `json_array_length(${json}, ${literal(`${path}.${Object.values(columns)[0]}`)})`;
  return `unnest(list_transform(range(${length}::BIGINT), lambda i: json_object(${members}))) AS j`;
}

export interface JsonColumn {
  /** `from.hash`; of records that are lists, the place of the item. */
  name: string;
  /** JSON path within a record. */
  path: string;
  /** Whether some cells are numbers with a fraction, or of more digits than a double has. */
  isInexact: boolean;
}

/** Members of members that become columns, at most so deep. */
const MOST_DEPTH = 4;

/**
 * The columns of records.
 *
 * @param structure what DuckDB's `json_group_structure` says of all records
 * @param items of records that are lists: how many items they have
 */
export function jsonColumns(structure: unknown, items: number): JsonColumn[] {
  if (isList(structure)) {
    return Array.from({ length: items }, (_, at) => ({ name: String(at), path: `$[${at}]`, isInexact: false }));
  }
  const walk = (node: unknown, names: readonly string[], path: string): JsonColumn[] =>
    Object.entries(membersOf(node)).flatMap(([name, inner]): JsonColumn[] => {
      // A path can't quote these.
      if (/["\\]/.test(name)) return [];
      const here = { names: [...names, name], path: `${path}."${name}"` };
      const isObject = Object.keys(membersOf(inner)).length > 0 && here.names.length < MOST_DEPTH;
      if (isObject) return walk(inner, here.names, here.path);
      return [{ name: here.names.join("."), path: here.path, isInexact: inner === "DOUBLE" || inner === "JSON" }];
    });
  return walk(structure, [], "$");
}
