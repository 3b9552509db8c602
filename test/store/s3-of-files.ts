/** What R2's S3 API answers, of a store of files. Signatures are not compared: Miniflare's endpoint does that. */

import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { elementsOf, elementText, escapeXml } from "../../builder/store/r2/s3-xml.ts";
import type { ObjectStore } from "../../builder/store/store.ts";

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

const METADATA = "x-amz-meta-";

const xml = (status: number, root: string, inner: string): Answer => ({
  status,
  headers: { "content-type": "application/xml" },
  body: Buffer.from(`<?xml version="1.0" encoding="UTF-8"?><${root}>${inner}</${root}>`),
});

export const refusal = (status: number, code: string): Answer =>
  xml(status, "Error", `<Code>${code}</Code><Message>Not now.</Message>`);

/** @throws {Error} the request was cut off, or is none that R2 knows */
export async function answerOf(store: ObjectStore, request: IncomingMessage, body: Buffer): Promise<Answer> {
  const { method, headers } = request;
  if (body.length !== Number(headers["content-length"] ?? 0)) throw new Error("The request is cut off.");
  const { pathname, searchParams } = new URL(request.url!, "http://localhost");
  // After /cdn-cgi/local/r2/s3/BUCKET.
  const key = decodeURIComponent(pathname.split("/").slice(6).join("/"));
  if (method === "PUT" && key) return put(store, key, request, body);
  if (method === "GET" && key) return get(store, key, headers.range);
  if (method === "GET" && searchParams.get("list-type") === "2") return list(store, searchParams);
  if (method === "POST" && searchParams.has("delete")) {
    await store.delete(elementsOf(body.toString(), "Object").map((object) => elementText(object, "Key")!));
    return xml(200, "DeleteResult", "");
  }
  throw new Error(`Nobody asks ${method} ${request.url} of a bucket.`);
}

async function put(store: ObjectStore, key: string, { headers }: IncomingMessage, body: Buffer): Promise<Answer> {
  const md5 = hash("md5", body, "buffer");
  if (headers["content-md5"] !== md5.toString("base64")) return refusal(400, "BadDigest");
  const sha256 = hash("sha256", body);
  if (headers["x-amz-content-sha256"] !== sha256) return refusal(400, "XAmzContentSHA256Mismatch");
  const { "if-match": ifMatch, "if-none-match": ifNoneMatch } = headers;
  const replaces = ifNoneMatch === "*" ? null : ifMatch?.replaceAll('"', "");
  const metadata = Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith(METADATA))
      .map(([name, value]) => [name.slice(METADATA.length), String(value)]),
  );
  const isWritten = await store.put(key, body, {
    contentType: headers["content-type"]!,
    sha256,
    metadata,
    ...(replaces !== undefined && { replaces }),
  });
  if (!isWritten) return refusal(412, "PreconditionFailed");
  return { status: 200, headers: { etag: `"${md5.toString("hex")}"` }, body: Buffer.alloc(0) };
}

async function get(store: ObjectStore, key: string, range?: string): Promise<Answer> {
  const [, first, last] = range?.match(/^bytes=(\d+)-(\d+)$/) ?? [];
  const offset = Number(first);
  const object = await (first === undefined
    ? store.get(key)
    : store.get(key, { offset, length: Number(last) - offset + 1 }));
  if (object === undefined) return refusal(404, "NoSuchKey");
  const { bytes, etag, metadata } = object;
  return {
    status: first === undefined ? 200 : 206,
    headers: {
      etag: `"${etag}"`,
      ...(first !== undefined && { "content-range": `bytes ${offset}-${offset + bytes.length - 1}/*` }),
      ...Object.fromEntries(Object.entries(metadata).map(([name, value]) => [`${METADATA}${name}`, value])),
    },
    body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  };
}

/** A page of a listing, whose token is its last key. */
async function list(store: ObjectStore, query: URLSearchParams): Promise<Answer> {
  const after = query.get("continuation-token");
  const found = [...(await store.list(query.get("prefix") ?? ""))]
    .filter(([key]) => after === null || Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0)
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const page = found.slice(0, Number(query.get("max-keys")));
  const isTruncated = page.length < found.length;
  const contents = page.map(
    ([key, { size, md5, uploaded }]) =>
      `<Contents><Key>${escapeXml(key)}</Key><Size>${size}</Size><ETag>"${md5}"</ETag><LastModified>${uploaded.toISOString()}</LastModified></Contents>`,
  );
  return xml(
    200,
    "ListBucketResult",
    `<KeyCount>${page.length}</KeyCount><IsTruncated>${isTruncated}</IsTruncated>${contents.join("")}${
      isTruncated ? `<NextContinuationToken>${escapeXml(page.at(-1)![0])}</NextContinuationToken>` : ""
    }`,
  );
}
