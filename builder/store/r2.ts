/**
 * R2 on Cloudflare, through its S3 API. Requests are made again with growing pauses until they succeed; what arrives
 * is checked against its MD5, by R2 on upload and by us on reading.
 */

import { createHash } from "node:crypto";
import { addAbortSignal, type Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { SHA256_METADATA } from "../../data-schema/objects.ts";
import { Failure } from "../failure.ts";
import type { Environment } from "./remote.ts";
import { PATIENCE, type Patience, retry } from "./retry.ts";
import {
  answered,
  BadAnswer,
  explain,
  isConditionFailed,
  isMissingObject,
  isPassing,
  type S3Place,
} from "./s3-failures.ts";
import type { ListedObject, ObjectStore } from "./store.ts";

export interface R2Options {
  patience?: Patience;
  times?: Times;
}

/** How long a request may take, in milliseconds. */
interface Times {
  connect: number;
  /** Without a byte in either direction. */
  idle: number;
  /** As a whole: an answer that trickles is given up, too. */
  whole: number;
}

const TIMES: Times = { connect: 10_000, idle: 30_000, whole: 300_000 };

/** Attempts to reach an endpoint that has never answered: most likely its name is wrong. */
const ATTEMPTS_UNREACHED = 3;

/** What S3 removes at once, at most. */
const MOST_DELETED = 1000;

/** An ETag that is the MD5 of the content: all of objects written in one piece. */
const MD5_ETAG = /^[0-9a-f]{32}$/;

/**
 * @param environment AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, and CLOUDFLARE_ACCOUNT_ID or AWS_ENDPOINT_URL_S3 or
 *   AWS_ENDPOINT_URL; AWS_SESSION_TOKEN with temporary credentials
 * @throws {Failure} a variable is missing or wrong; later, what the endpoint answers
 */
export function openR2(
  bucket: string,
  environment: Environment,
  { patience = PATIENCE, times = TIMES }: R2Options = {},
): ObjectStore {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  const name = `r2://${bucket}`;
  if (!accessKeyId || !secretAccessKey) {
    throw new Failure(
      `${name} needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment: make an R2 API token in the ` +
        "dashboard, and set them to its access key.",
    );
  }
  const place: S3Place = { name, bucket, ...endpointOf(name, environment) };
  const sessionToken = environment.AWS_SESSION_TOKEN;
  const client = new S3Client({
    region: "auto",
    endpoint: place.endpoint.href,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) },
    // `send` does it, answers that are cut short included.
    maxAttempts: 1,
    // R2 documents Content-MD5 and the signed SHA-256, not S3's newer checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    // Waits for leave to send, on a connection of its own for each object.
    expectContinueHeader: false,
    requestHandler: { connectionTimeout: times.connect, socketTimeout: times.idle },
  });
  const closed = new AbortController();
  let reached = false;

  /**
   * Makes a request until it succeeds, or fails for good.
   *
   * @param work what is tried, for the message
   * @throws {StoreFailure}
   */
  async function send<T>(work: string, request: (signal: AbortSignal, attempt: number) => Promise<T>): Promise<T> {
    const once = async (attempt: number) => {
      const result = await request(AbortSignal.any([closed.signal, AbortSignal.timeout(times.whole)]), attempt);
      reached = true;
      return result;
    };
    const again = (error: unknown, attempt: number) => {
      reached ||= answered(error);
      return isPassing(error) && (reached || attempt < ATTEMPTS_UNREACHED);
    };
    try {
      return await retry(once, again, patience, closed.signal);
    } catch (error) {
      throw explain(error, work, place);
    }
  }

  const get = (key: string) =>
    send(`${key} can't be read from ${name}`, async (signal) => {
      const answer = await client
        .send(new GetObjectCommand({ Bucket: bucket, Key: key }), { abortSignal: signal })
        .catch((error) => {
          if (isMissingObject(error)) return undefined;
          throw error;
        });
      if (answer === undefined) return undefined;
      const bytes = new Uint8Array(await buffer(addAbortSignal(signal, answer.Body as Readable)));
      const etag = bareEtag(answer.ETag);
      if (answer.ContentLength !== bytes.length)
        throw new BadAnswer(`${bytes.length} of ${answer.ContentLength} bytes came`);
      if (MD5_ETAG.test(etag) && etag !== md5(bytes, "hex")) throw new BadAnswer("its MD5 is not its ETag");
      return { bytes, etag };
    });

  return {
    name,
    get,
    async put(key, bytes, { contentType, sha256, md5: known, metadata, replaces }) {
      const command = new PutObjectCommand({
        Bucket: bucket,
        Key: key,
        Body: bytes,
        ContentType: contentType,
        ContentMD5: known === undefined ? md5(bytes, "base64") : Buffer.from(known, "hex").toString("base64"),
        Metadata: asciiMetadata({ ...metadata, [SHA256_METADATA]: sha256 }),
        ...(replaces === undefined ? {} : replaces === null ? { IfNoneMatch: "*" } : { IfMatch: `"${replaces}"` }),
      });
      // Part of the signature: R2 refuses other bytes. Without this the client would compute it once more.
      command.middlewareStack.add(
        (next) => (args) => {
          (args.request as { headers: Record<string, string> }).headers["x-amz-content-sha256"] = sha256;
          return next(args);
        },
        { step: "build" },
      );
      let attempts = 0;
      const written = await send(`${key} can't be stored in ${name}`, async (signal, attempt) => {
        attempts = attempt;
        try {
          await client.send(command, { abortSignal: signal });
          return true;
        } catch (error) {
          if (isConditionFailed(error)) return false;
          throw error;
        }
      });
      // The answer to an earlier attempt may have been lost: then it is our own object that is in the way.
      if (!written && attempts > 1) return (await get(key))?.etag === md5(bytes, "hex");
      return written;
    },
    async list(prefix) {
      const found = new Map<string, ListedObject>();
      for (let token: string | undefined; ; ) {
        const page = await send(`${prefix} can't be listed in ${name}`, async (signal) => {
          const input = { Bucket: bucket, Prefix: prefix, ...(token ? { ContinuationToken: token } : {}) };
          return checkedPage(await client.send(new ListObjectsV2Command(input), { abortSignal: signal }));
        });
        for (const [key, object] of page.objects) found.set(key, object);
        if (page.next === undefined) return found;
        token = page.next;
      }
    },
    async delete(keys) {
      for (let i = 0; i < keys.length; i += MOST_DELETED) {
        const Objects = keys.slice(i, i + MOST_DELETED).map((Key) => ({ Key }));
        await send(`${keys[i]} can't be removed from ${name}`, async (signal) => {
          const command = new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } });
          const { Errors = [] } = await client.send(command, { abortSignal: signal });
          if (Errors.length > 0) throw new BadAnswer(`${Errors.length} objects stayed: ${Errors[0].Code}`);
        });
      }
    },
    async close() {
      closed.abort();
      client.destroy();
    },
  };
}

/** A page of a listing: an answer that is not whole is none. */
function checkedPage({
  Contents = [],
  KeyCount,
  IsTruncated,
  NextContinuationToken: next,
}: ListObjectsV2CommandOutput) {
  if (KeyCount !== Contents.length || IsTruncated === undefined || (IsTruncated && !next)) {
    throw new BadAnswer("the list is not whole");
  }
  const objects = Contents.map(({ Key, Size, ETag, LastModified }): [string, ListedObject] => {
    if (Key === undefined || Size === undefined || LastModified === undefined)
      throw new BadAnswer("the list is not whole");
    return [Key, { size: Size, md5: bareEtag(ETag), uploaded: LastModified }];
  });
  return { objects, next: IsTruncated ? next : undefined };
}

/** @throws {Failure} no variable says where it is, or it is no such thing */
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
      `${name} needs CLOUDFLARE_ACCOUNT_ID in the environment: the dashboard shows it, and so does \`npx wrangler whoami\`.`,
    );
  }
  if (!/^[0-9a-f]{32}$/.test(account)) {
    throw new Failure(
      "CLOUDFLARE_ACCOUNT_ID is not the id of an account, 32 hex digits: `npx wrangler whoami` shows it.",
    );
  }
  const endpoint = new URL(`https://${account}.r2.cloudflarestorage.com`);
  return { endpoint, endpointVariable: "CLOUDFLARE_ACCOUNT_ID" };
}

const md5 = (bytes: Uint8Array, encoding: "hex" | "base64") => createHash("md5").update(bytes).digest(encoding);

/** `W/"abc"` → `abc`. */
const bareEtag = (etag = "") => etag.replace(/^W\//, "").replaceAll('"', "");

/**
 * Headers are ASCII, and R2 would decode what looks like `=?utf-8?…?=`. Values are JSON, which can do with escapes, or
 * hex digits: what reads them sees no difference.
 */
function asciiMetadata(metadata: Record<string, string>): Record<string, string> {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const entries = Object.entries(metadata);
  return Object.fromEntries(entries.map(([key, value]) => [key, value.replace(/[^ -<>-~]/g, escaped)]));
}
