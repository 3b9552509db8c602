/**
 * Requests as bytes: right ones, wrong ones that the Worker has to answer, and *odd* ones, which are not HTTP, or not a
 * URL, and may be answered by what is in front of it.
 */

import fc from "fast-check";
import { ANY_CHARACTER } from "../data-schema/text/characters.ts";

export interface RawRequest {
  method: string;
  target: string;
  version: string;
  headers: (readonly [name: string, value: string])[];
  body: string;
  /** The end of each line. */
  newline: string;
  isOdd: boolean;
}

/** A text of the request. */
interface Piece {
  text: string;
  isOdd?: true;
}

const right = (...texts: string[]): fc.Arbitrary<Piece> => fc.constantFrom(...texts).map((text) => ({ text }));
const odd = (...texts: string[]): fc.Arbitrary<Piece> =>
  fc.constantFrom(...texts).map((text) => ({ text, isOdd: true }));
/** Mostly right ones: of a request with many odd pieces only the first is looked at. */
const mostly = (rights: fc.Arbitrary<Piece>, odds: fc.Arbitrary<Piece>, weight = 30): fc.Arbitrary<Piece> =>
  fc.oneof({ weight, arbitrary: rights }, { weight: 1, arbitrary: odds });

const method = mostly(
  fc.oneof({ weight: 8, arbitrary: right("GET") }, right("HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH")),
  odd("CONNECT", "TRACE", "get", "FETCH", "G E T", "", "GET\0", "PRI", "X".repeat(5_000)),
);

const version = mostly(
  right("HTTP/1.1"),
  odd("HTTP/1.0", "HTTP/2.0", "HTTP/0.9", "HTTP/1.1.1", "http/1.1", "", "HTTP/9"),
);

/** Bytes of a path or query that are no text of a URL: each character is one byte. */
const strayBytes = fc.string({
  unit: fc.integer({ min: 0x80, max: 0xff }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 4,
});
const oddText = fc.oneof(
  fc.constantFrom("<", ">", "%", "%zz", "%0", '"', "\\", "^", "`", "{", "|", "}", "#", " ", "\t", "\0", "\x7f"),
  strayBytes,
);

const SERIES = ["sopr", "volume", "num_transfers", "cex_reserve", "supply", "sc_volume_locked", "inflow_cohort"];
const PATHS = [
  ...SERIES.flatMap((name) => [`/v1/metrics/${name}`, `/v2/metrics/${name}`, `/v1/metrics/${name}/meta`]),
  ...["/v1/metrics", "/v2/metrics", "/v1/assets", "/v2/assets", "/health", "/openapi.json", "/llms.txt"],
  ...["/v3/files/HTTP", "/v3/files/http/", "/v3/files/NONE", "/v3/files/HTTP/day", "/v3/files/HTTP/..%2f..%2fcurrent"],
  ...["/v3/files/HTTP/day/sopr/all.parquet", `/v3/files/HTTP/day/sopr/all.${"0".repeat(32)}.parquet`, "/v3/files"],
  ...["/explorer.json", "/problems/unknown-key", "/problems/none", "/v3/metrics/sopr", "/v1/metrics/SOPR"],
  ...[
    "/v1/metrics/sopr/",
    "/v1//metrics",
    "/v1/metrics/%73opr",
    "/v1/metrics/sopr/../volume",
    "/v1/metrics/constructor",
  ],
  ...[
    "/current/HTTP.json",
    "/series/HTTP/day",
    "/../../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/v1/metrics/..%2f..",
  ],
  ...[
    "/__proto__",
    "/wrangler.toml",
    "/.env",
    "/worker/index.ts",
    "/favicon.ico",
    `/${"a/".repeat(2_000)}`,
    "/problems/",
  ],
];
/** Static files and what resembles them. */
export const PAGES = [
  "/",
  "/embed",
  "/embed.html",
  "/assets",
  "/assets/",
  "/docs",
  "/docs/",
  "/docs.html",
  "/methodology",
  "/methodology/",
  "/index.html",
  "//",
  "//docs",
  "/docs/index.html",
  "/static/none.js",
];

const path = fc.oneof(
  { weight: 12, arbitrary: right(...PATHS) },
  { weight: 2, arbitrary: right(...PAGES) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...PATHS), oddText)
      .map(([text, stray]): Piece => ({ text: text + stray, isOdd: true })),
  },
);

/** A text as a client escapes it. */
const escaped = fc.string({ unit: ANY_CHARACTER, maxLength: 24 }).map((text) => ({ text: encodeURIComponent(text) }));

const value = fc.oneof(
  {
    weight: 8,
    arbitrary: right("HTTP", "http", "total", "users", "%3C1d", "$10M+", "all", "day", "hour", "block", "csv", "json"),
  },
  {
    weight: 4,
    arbitrary: right(
      "2025-11-01",
      "2025-12-01T10:00",
      "1762000000",
      "-1",
      "0",
      "99999999999",
      "2025-02-30",
      "1762000000000",
    ),
  },
  { weight: 2, arbitrary: escaped },
  {
    weight: 1,
    arbitrary: right("", "%00", "%FF", "+", "a=b", "..%2F..%2F", "x".repeat(9_000), "NaN", "1e3", "null", "true"),
  },
  { weight: 1, arbitrary: oddText.map((text): Piece => ({ text, isOdd: true })) },
);
const name = fc.oneof(
  { weight: 10, arbitrary: right("a", "s", "u", "r", "c", "t", "f") },
  { weight: 1, arbitrary: right("api_key", "since", "A", "", "__proto__", "a%5B%5D", "%61") },
  { weight: 1, arbitrary: escaped },
);

/** API keys as a request may give them. */
export interface Keys {
  good: string;
  others: readonly string[];
}

type Pair = { name: Piece; value: Piece };
const pair: fc.Arbitrary<Pair> = fc.record({ name, value });
const asset: fc.Arbitrary<Pair> = fc.constant({ name: { text: "a" }, value: { text: "HTTP" } });

const header = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(fc.constant("If-None-Match"), right("*", '"a"', 'W/"b", "c"', '"', "", '"'.repeat(3_000))),
  },
  {
    weight: 6,
    arbitrary: fc.tuple(
      fc.constant("Accept-Encoding"),
      right("gzip", "identity", "gzip;q=0", "br, gzip;q=0.5", "*", ""),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constant("Accept-Encoding"),
      odd("*;q=0", "identity;q=0", "zip", "gzip;q=x", ";;,", "gzip;q=2", "deflate"),
    ),
  },
  { weight: 2, arbitrary: fc.tuple(fc.constant("Range"), right("bytes=0-3", "bytes=-1", "bytes=-0", "lines=1")) },
  { weight: 2, arbitrary: fc.tuple(fc.constant("Origin"), right("https://example.org", "null", "x")) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constant("CF-Ray"), right("0123456789abcdef", "0123456789abcdef-AMS", "x", "<b>")),
  },
  { weight: 2, arbitrary: fc.tuple(fc.constant("X-Forwarded-Host"), right("example.org", "a b", "../..")) },
  { weight: 1, arbitrary: fc.tuple(fc.constant("Cookie"), right("a=b", "x".repeat(6_000))) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom("Bad Name", "X:Y", "\0", ""), odd("x")) },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constantFrom("Transfer-Encoding", "Content-Length", "Expect", "Upgrade"),
      odd("x", "-1", "chunked, x", "100-continue", "h2c"),
    ),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constant("X-Long"), odd("y".repeat(200_000), "a\r\n b", "a\0b")) },
);

const host = mostly(
  right("127.0.0.1", "localhost:80", "metrics.example.com"),
  odd("", "a b", "[::1", "a:b:c", "%", "é", "x".repeat(9_000), "a/b"),
);

/** The first form is of nearly all requests; the others are allowed, but for an asterisk with anything but OPTIONS. */
const form = mostly(right("origin"), odd("absolute", "asterisk", "authority", "foreign"));

const newline = fc.oneof({ weight: 40, arbitrary: right("\r\n") }, odd("\n", "\r", "\r\n\r\n"));

const FORMS: Record<string, (target: string) => string> = {
  origin: (target) => target,
  absolute: (target) => `http://127.0.0.1${target}`,
  asterisk: () => "*",
  authority: () => "127.0.0.1:80",
  foreign: (target) => `ftp://user:password@example.org${target}`,
};

/** How a request gives its key: in the query or in a header, the right one, another, or none. */
const keyPlace = fc.constantFrom("query", "X-Api-Key", "Authorization", "none");

export function rawRequest({ good, others }: Keys): fc.Arbitrary<RawRequest> {
  const key = fc.oneof({ weight: 6, arbitrary: fc.constant(good) }, fc.constantFrom(...others));
  const keys = fc.array(fc.record({ key, place: keyPlace }), { minLength: 1, maxLength: 2, size: "-1" });
  const parts = {
    method,
    path,
    version,
    host,
    form,
    newline,
    keys,
    pairs: fc.tuple(fc.option(asset, { freq: 6 }), fc.array(pair, { maxLength: 4 })),
    headers: fc.array(header, { maxLength: 3 }),
    body: fc.oneof({ weight: 9, arbitrary: fc.constant("") }, fc.string({ unit: "binary-ascii", maxLength: 50 })),
    // Every request is of another address: what one may send in a minute is not the matter here.
    address: fc.ipV6(),
  };
  return fc.record(parts).map(({ method, path, version, host, form, newline, keys, pairs, headers, body, address }) => {
    const [asset, others] = pairs;
    const query = [...(asset ? [asset] : []), ...others].map(({ name, value }) => `${name.text}=${value.text}`);
    const sent = keys.flatMap(({ key, place }): [string, string][] => {
      if (place === "query") query.push(`api_key=${key}`);
      if (place === "Authorization") return [[place, `Bearer ${key}`]];
      return place === "X-Api-Key" ? [[place, key]] : [];
    });
    const pieces = [
      method,
      path,
      version,
      host,
      form,
      newline,
      ...pairs.flat().flatMap((pair) => (pair ? [pair.name, pair.value] : [])),
      ...headers.map(([, value]) => value),
    ];
    const target = path.text + (query.length > 0 ? `?${query.join("&")}` : "");
    return {
      method: method.text,
      target: FORMS[form.text]!(target),
      version: version.text,
      headers: [
        ["Host", host.text],
        ["CF-Connecting-IP", address],
        ...sent,
        ...headers.map(([name, { text }]) => [name, text] as const),
        ...(body === "" ? [] : [["Content-Length", String(body.length)] as const]),
      ],
      body,
      newline: newline.text,
      isOdd: pieces.some(({ isOdd }) => isOdd),
    };
  });
}

/** The bytes of a request, each character one byte. */
export function bytesOf(request: RawRequest, isLast: boolean): Buffer {
  const { method, target, version, headers, body, newline } = request;
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  if (isLast) lines.push("Connection: close");
  const head = [`${method} ${target} ${version}`, ...lines, "", ""].join(newline);
  return Buffer.from(head + body, "latin1");
}
