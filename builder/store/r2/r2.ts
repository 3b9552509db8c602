/** R2 on Cloudflare, through its S3 API. MD5s are checked both ways: by R2 on upload, and here on reading. */

import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { SHA256_METADATA } from "../../../data-schema/stored.ts";
import { Failure } from "../../lib/failure.ts";
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from "../../lib/retry.ts";
import type { Environment } from "../cloudflare.ts";
import {
  type ByteRange,
  MD5_ETAG,
  type ObjectStore,
  type PutOptions,
  type StoredKey,
  type StoredObject,
} from "../store.ts";
import { type S3Answer, type S3Client, type S3Credentials, type StoreTimeouts, s3Client } from "./s3-client.ts";
import {
  BadAnswer,
  isBehindEnd,
  isConditionFailed,
  isMissingObject,
  mishandledCondition,
  S3Error,
  type S3Place,
} from "./s3-failures.ts";
import { elementsOf, elementText, escapeXml, isWhole } from "./s3-xml.ts";

export interface R2Options {
  retryPolicy?: RetryPolicy;
  timeouts?: StoreTimeouts;
  /** Objects listed or removed in one request, at most 1,000. */
  pageSize?: number;
  /** How long a conditional write that nobody has answered may still be carried out, in milliseconds. */
  lateMs?: number;
}

const LATE_MS = 15_000;

const TIMEOUTS: StoreTimeouts = { idle: 30_000, total: 300_000 };

/**
 * @param environment AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, and CLOUDFLARE_ACCOUNT_ID or AWS_ENDPOINT_URL_S3 or
 *   AWS_ENDPOINT_URL; AWS_SESSION_TOKEN with temporary credentials
 * @throws {Failure} a variable is missing or wrong; later, what the endpoint answers
 */
export function openR2(
  bucket: string,
  environment: Environment,
  { retryPolicy = DEFAULT_RETRY_POLICY, timeouts = TIMEOUTS, pageSize = 1000, lateMs = LATE_MS }: R2Options = {},
): ObjectStore {
  const name = `r2://${bucket}`;
  const credentials = credentialsOf(name, environment);
  const place = { name, bucket, ...endpointOf(name, environment) };
  const client = s3Client(place, credentials, retryPolicy, timeouts);
  return {
    name,
    get: (key, range) => get(client, key, range),
    put: (key, content, options) => put(client, key, content, options, lateMs),
    list: (prefix) => list(client, prefix, pageSize),
    delete: (keys) => remove(client, keys, pageSize),
    close: async () => client.close(),
  };
}

function get(client: S3Client, key: string, range?: ByteRange): Promise<StoredObject | undefined> {
  const headers = range && { range: `bytes=${range.offset}-${range.offset + range.length - 1}` };
  return client.attempt(`${key} can't be read`, async () => {
    const answer = await client
      .request({ method: "GET", key, ...(headers && { headers }) })
      .catch((error): undefined => {
        if (!isMissingObject(error) && !isBehindEnd(error)) throw error;
      });
    if (answer === undefined) return undefined;
    const etag = bareEtag(answer.headers.etag);
    const { bytes } = answer;
    const [, first, last] = answer.headers["content-range"]?.match(/^bytes (\d+)-(\d+)\//) ?? [];
    if (first !== undefined && bytes.length !== Number(last) - Number(first) + 1)
      throw new BadAnswer("it is not the range that it names");
    if (!range && MD5_ETAG.test(etag) && etag !== md5(bytes).toString("hex"))
      throw new BadAnswer("its MD5 is not its ETag");
    return { bytes, etag, metadata: metadataOf(answer.headers) };
  });
}

async function put(
  client: S3Client,
  key: string,
  body: Uint8Array | Blob,
  { contentType, sha256, md5: known, metadata, replaces }: PutOptions,
  lateMs: number,
): Promise<boolean> {
  const digest = known === undefined ? md5(body as Uint8Array) : Buffer.from(known, "hex");
  const tagNow = async () => (await get(client, key))?.etag;
  const isOurs = async () => (await tagNow()) === digest.toString("hex");
  const headers = {
    "content-type": contentType,
    "content-md5": digest.toString("base64"),
    // Part of the signature: R2 refuses other bytes.
    "x-amz-content-sha256": sha256,
    ...metadataHeaders({ ...metadata, [SHA256_METADATA]: sha256 }),
    ...(replaces === undefined ? {} : replaces === null ? { "if-none-match": "*" } : { "if-match": `"${replaces}"` }),
  };
  let attempts = 0;
  /** Whether the last attempt had no answer: it may yet be carried out. */
  let isOpen = false;
  const written = await client
    .attempt(`${key} can't be stored`, async (attempt) => {
      attempts = attempt;
      try {
        await client.request({ method: "PUT", key, headers, body });
        return true;
      } catch (error) {
        if (isConditionFailed(error)) return false;
        isOpen = !(error instanceof S3Error);
        throw error;
      }
    })
    .catch(async (failure) => {
      if (replaces !== undefined && isOpen && (await becomes(isOurs, lateMs))) return true;
      throw failure;
    });
  if (written) return true;
  const tag = await tagNow();
  // The answer to an earlier attempt may have been lost: then the object in the way is our own.
  if (attempts > 1 && tag === digest.toString("hex")) return true;
  if (replaces && tag === replaces) throw mishandledCondition(key, client.place);
  return false;
}

/** Asks until something is so, for a time. */
async function becomes(isSo: () => Promise<boolean>, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  for (;;) {
    // Asked in vain, as while the store is out of reach, it will not become so.
    const answer = await isSo().catch(() => undefined);
    if (answer !== false || performance.now() > end) return answer ?? false;
    await sleep(Math.min(1000, ms / 10));
  }
}

async function list(client: S3Client, prefix: string, pageSize: number): Promise<Map<string, StoredKey>> {
  const found = new Map<string, StoredKey>();
  for (let token: string | undefined; ; ) {
    const query = {
      "list-type": "2",
      "max-keys": String(pageSize),
      prefix,
      ...(token !== undefined && { "continuation-token": token }),
    };
    const page = await client.attempt(`${prefix} can't be listed`, async () =>
      pageOf(await client.request({ method: "GET", query })),
    );
    for (const [key, object] of page.objects) found.set(key, object);
    if (page.next === undefined) return found;
    token = page.next;
  }
}

/**
 * A page of a listing, and the token of the next.
 *
 * @throws {BadAnswer} it isn't whole
 */
function pageOf({ bytes }: S3Answer): { objects: [string, StoredKey][]; next: string | undefined } {
  const xml = new TextDecoder().decode(bytes);
  const contents = elementsOf(xml, "Contents");
  const [truncated, next] = [elementText(xml, "IsTruncated"), elementText(xml, "NextContinuationToken")];
  const objects = contents.map((object): [string, StoredKey] => {
    const [key, size, etag, modified] = ["Key", "Size", "ETag", "LastModified"].map((field) =>
      elementText(object, field),
    );
    if (!key || !size || !modified) throw new BadAnswer("the list is not whole");
    return [key, { size: Number(size), md5: bareEtag(etag), uploaded: new Date(modified) }];
  });
  const isPage = isWhole(xml, "ListBucketResult") && elementText(xml, "KeyCount") === String(contents.length);
  if (!isPage || !(truncated === "false" || (truncated === "true" && next)))
    throw new BadAnswer("the list is not whole");
  return { objects, next: truncated === "true" ? next : undefined };
}

async function remove(client: S3Client, keys: readonly string[], pageSize: number): Promise<void> {
  for (let i = 0; i < keys.length; i += pageSize) {
    const objects = keys.slice(i, i + pageSize).map((key) => `<Object><Key>${escapeXml(key)}</Key></Object>`);
    const body = Buffer.from(`<Delete>${objects.join("")}<Quiet>true</Quiet></Delete>`);
    const headers = { "content-md5": md5(body).toString("base64") };
    await client.attempt(`${keys[i]} can't be removed`, async () => {
      const { bytes } = await client.request({ method: "POST", query: { delete: "" }, headers, body });
      const xml = new TextDecoder().decode(bytes);
      if (!isWhole(xml, "DeleteResult")) throw new BadAnswer("the answer is not whole");
      const errors = elementsOf(xml, "Error");
      if (errors.length > 0) throw new BadAnswer(`${errors.length} objects stayed: ${elementText(xml, "Code")}`);
    });
  }
}

/** @throws {Failure} a variable is missing */
function credentialsOf(name: string, environment: Environment): S3Credentials {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  if (!accessKeyId || !secretAccessKey) {
    throw new Failure(
      `${name} needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment: create an R2 API token in the ` +
        "dashboard, and set them to its access key.",
    );
  }
  const sessionToken = environment.AWS_SESSION_TOKEN;
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}

/** @throws {Failure} no variable names the endpoint, or its value is not a URL or an account id */
function endpointOf(name: string, environment: Environment): Pick<S3Place, "endpoint" | "endpointVariable"> {
  for (const endpointVariable of ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"]) {
    const text = environment[endpointVariable];
    if (!text) continue;
    const endpoint = URL.parse(text);
    if (!endpoint || !/^https?:$/.test(endpoint.protocol)) {
      throw new Failure(`${endpointVariable} is not a URL such as https://<account>.r2.cloudflarestorage.com.`);
    }
    return { endpoint, endpointVariable };
  }
  const account = environment.CLOUDFLARE_ACCOUNT_ID;
  if (!account) {
    throw new Failure(
      `${name} needs CLOUDFLARE_ACCOUNT_ID in the environment: the dashboard and \`npx wrangler whoami\` show it.`,
    );
  }
  if (!/^[0-9a-f]{32}$/.test(account)) {
    throw new Failure(
      "CLOUDFLARE_ACCOUNT_ID is not the id of an account (32 hex digits): `npx wrangler whoami` shows it.",
    );
  }
  const endpoint = new URL(`https://${account}.r2.cloudflarestorage.com`);
  return { endpoint, endpointVariable: "CLOUDFLARE_ACCOUNT_ID" };
}

const md5 = (bytes: Uint8Array) => hash("md5", bytes, "buffer");

/** `W/"abc"` → `abc`. */
const bareEtag = (etag = "") => etag.replace(/^W\//, "").replaceAll('"', "");

const METADATA_HEADER = "x-amz-meta-";

/** What an object carries beside its bytes. */
function metadataOf(headers: S3Answer["headers"]): Record<string, string> {
  const named = Object.entries(headers).filter(([name]) => name.startsWith(METADATA_HEADER));
  return Object.fromEntries(named.map(([name, value]) => [name.slice(METADATA_HEADER.length), String(value)]));
}

/**
 * Headers are ASCII, and R2 would decode what looks like `=?utf-8?…?=`. The values are JSON or hex digits: escaped, JSON
 * means the same.
 */
function metadataHeaders(metadata: Record<string, string>): Record<string, string> {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const entries = Object.entries(metadata);
  return Object.fromEntries(
    entries.map(([key, value]) => [`${METADATA_HEADER}${key}`, value.replace(/[^ -<>-~]/g, escaped)]),
  );
}
