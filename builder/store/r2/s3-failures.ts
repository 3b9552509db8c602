/** What goes wrong with R2's S3 API: what is worth a retry, and what to tell the user of the rest. */

import { StoreFailure } from "../../lib/failure.ts";
import { foreignText } from "../../lib/foreign-text.ts";
import { elementText, isWhole } from "./s3-xml.ts";

/** Statuses below 500 that say "not now". */
const TRANSIENT_STATUS = new Set([408, 409, 425, 429]);

/** Codes with the status 400 for a request that was damaged or cut short on its way. */
const TRANSIENT_CODES = new Set([
  "BadDigest",
  "ClientDisconnect",
  "IncompleteBody",
  "RequestTimeout",
  "XAmzContentSHA256Mismatch",
]);

const NOT_IMPLEMENTED = 501;

/** A request that was refused. */
export class S3Error extends Error {
  override name = "S3Error";
  readonly status: number;
  /** Such as `NoSuchKey`. */
  readonly code: string;

  constructor(status: number, code: string) {
    super(`${status} ${code}`);
    this.status = status;
    this.code = code;
  }
}

/** An answer that is cut short, or isn't what was stored. */
export class BadAnswer extends Error {
  override name = "BadAnswer";
}

/** What an answer with an error status says. */
export function s3Error(status: number, bytes: Uint8Array): S3Error | BadAnswer {
  const xml = new TextDecoder().decode(bytes);
  const code = isWhole(xml, "Error") ? elementText(xml, "Code") : undefined;
  return code === undefined ? new BadAnswer(`${status} without a reason`) : new S3Error(status, foreignText(code));
}

/** Whether the same request may succeed when it is retried. */
export function isTransient(error: unknown): boolean {
  // Without an answer that can be read, nobody knows whether the request was carried out.
  if (!(error instanceof S3Error)) return true;
  const { status, code } = error;
  if (status >= 500) return status !== NOT_IMPLEMENTED;
  return TRANSIENT_STATUS.has(status) || TRANSIENT_CODES.has(code);
}

/** Whether a range begins behind the end of its object. */
export const isBehindEnd = (error: unknown) => error instanceof S3Error && error.status === 416;

export const isMissingObject = (error: unknown) => error instanceof S3Error && error.code === "NoSuchKey";
export const isConditionFailed = (error: unknown) => error instanceof S3Error && error.status === 412;

/** A write was refused because the object had another ETag, but it has the one that was sent. */
export const mishandledCondition = (key: string, { name, endpoint }: S3Place) =>
  new StoreFailure(
    `${key} in ${name} can't be replaced: ${endpoint.host} refused the write although the object still has the ETag that ` +
      "was sent with If-Match, so it mishandles conditional writes. Builds rely on them: use R2, or an endpoint that supports them.",
  );

/** Where requests go, for messages; holds no secret. */
export interface S3Place {
  /** `r2://bucket`. */
  name: string;
  bucket: string;
  endpoint: URL;
  /** The variable that says where the endpoint is. */
  endpointVariable: string;
}

/** What to do about a code. */
const SENTENCES: Record<string, (place: S3Place) => string> = {
  NoSuchBucket: ({ bucket, endpointVariable }) =>
    `There is no bucket ${bucket} in this account: create it with \`npx wrangler r2 bucket create ${bucket}\`, or check that ` +
    `${endpointVariable} is right.`,
  Unauthorized: ({ name, endpointVariable }) =>
    `${name} does not know this AWS_ACCESS_KEY_ID: check that its token still exists and belongs to the account in ` +
    `${endpointVariable}.`,
  SignatureDoesNotMatch: ({ name }) =>
    `${name} refused the signature: AWS_SECRET_ACCESS_KEY is not the secret of this AWS_ACCESS_KEY_ID. Copy both again, or create a new token.`,
  AccessDenied: ({ name, bucket }) =>
    `${name} refused access: give the token of AWS_ACCESS_KEY_ID the permission "Object Read & Write" for the bucket ${bucket}.`,
  NotEntitled: ({ endpointVariable }) =>
    `R2 is not enabled in this account: enable it in the dashboard, or check that ${endpointVariable} is right.`,
  RequestTimeTooSkewed: ({ name }) => `${name} refused the signature: the clock of this machine is wrong. Set it.`,
};

const SAME_SENTENCE: Record<string, keyof typeof SENTENCES> = {
  InvalidAccessKeyId: "Unauthorized",
  ExpiredRequest: "RequestTimeTooSkewed",
  Forbidden: "AccessDenied",
};

/**
 * @param what what was tried, such as `series/… can't be stored`
 * @returns one clear sentence
 */
export function explain(error: unknown, what: string, place: S3Place): StoreFailure {
  // Without an answer, readable or not.
  if (!(error instanceof S3Error || error instanceof BadAnswer)) {
    const { name, code = name } = error as NodeJS.ErrnoException;
    return new StoreFailure(
      `${place.name} can't be reached at ${place.endpoint.host} (${code}): check that this machine is online, and that ` +
        `${place.endpointVariable} is right.`,
    );
  }
  const sentence = error instanceof S3Error && SENTENCES[SAME_SENTENCE[error.code] ?? error.code];
  if (sentence) return new StoreFailure(sentence(place));
  const todo = isTransient(error)
    ? "run it again later; nothing that was stored is lost"
    : "look this code up in the documentation of R2's S3 API";
  return new StoreFailure(`${what} in ${place.name} (${error.message}): ${todo}.`);
}
