/** What goes wrong with R2's S3 API: what passes, and what to tell the user of the rest. */

import { S3ServiceException } from "@aws-sdk/client-s3";
import { StoreFailure } from "../failure.ts";

/** Statuses below 500 that say "not now". */
const PASSING_STATUS = new Set([408, 409, 425, 429]);

/** Codes with the status 400 that say "it was not all there": the bytes were damaged or cut short on their way. */
const PASSING_CODES = new Set([
  "BadDigest",
  "ClientDisconnect",
  "IncompleteBody",
  "RequestTimeout",
  "XAmzContentSHA256Mismatch",
]);

const NOT_IMPLEMENTED = 501;

/** An answer that is not what was stored: cut short, or other bytes. */
export class BadAnswer extends Error {
  override name = "BadAnswer";
}

/** What an error says of itself: `SlowDown`, `ECONNRESET`. */
function codeOf(error: unknown): string {
  const { name, code } = error as { name?: string; code?: unknown };
  return typeof code === "string" ? code : (name ?? "unknown");
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}

/** Whether there was an answer at all, good or bad. */
export function answered(error: unknown): boolean {
  return error instanceof S3ServiceException || error instanceof BadAnswer || statusOf(error) !== undefined;
}

/** Whether the same request may succeed when it is made again. */
export function isPassing(error: unknown): boolean {
  const status = statusOf(error);
  // No answer, or one that can't be read.
  if (status === undefined || status < 400) return true;
  if (status >= 500) return status !== NOT_IMPLEMENTED;
  return PASSING_STATUS.has(status) || PASSING_CODES.has(codeOf(error));
}

export const isMissingObject = (error: unknown) => codeOf(error) === "NoSuchKey";
export const isConditionFailed = (error: unknown) => statusOf(error) === 412;

/** Where requests go to, for messages; holds no secret. */
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
    `There is no bucket ${bucket} in this account: make it with \`npx wrangler r2 bucket create ${bucket}\`, or see whether ` +
    `${endpointVariable} is the right one.`,
  Unauthorized: ({ name, endpointVariable }) =>
    `${name} does not know this AWS_ACCESS_KEY_ID: see whether its token still exists, and whether it is of the account ` +
    `in ${endpointVariable}.`,
  SignatureDoesNotMatch: ({ name }) =>
    `${name} refused the signature: AWS_SECRET_ACCESS_KEY is not the secret of this AWS_ACCESS_KEY_ID; copy both again, or make a new token.`,
  AccessDenied: ({ name, bucket }) =>
    `${name} refused access: give the token of AWS_ACCESS_KEY_ID the permission "Object Read & Write" for the bucket ${bucket}.`,
  NotEntitled: ({ endpointVariable }) =>
    `R2 is not switched on in this account: switch it on in the dashboard, or see whether ${endpointVariable} is the right one.`,
  RequestTimeTooSkewed: ({ name }) => `${name} refused: the clock of this machine is wrong; set it.`,
};

const SAME_SENTENCE: Record<string, keyof typeof SENTENCES> = {
  InvalidAccessKeyId: "Unauthorized",
  ExpiredRequest: "RequestTimeTooSkewed",
  Forbidden: "AccessDenied",
};

/**
 * @param work what was tried, such as `series/… can't be stored in r2://bucket`
 * @returns one clear sentence
 */
export function explain(error: unknown, work: string, place: S3Place): StoreFailure {
  const code = codeOf(error);
  const sentence = SENTENCES[SAME_SENTENCE[code] ?? code];
  if (sentence) return new StoreFailure(sentence(place));
  if (!answered(error)) {
    return new StoreFailure(
      `${place.name} can't be reached at ${place.endpoint.host} (${code}): see whether this machine is online, and whether ` +
        `${place.endpointVariable} is right.`,
    );
  }
  const status = statusOf(error);
  const reason = status === undefined || status < 400 ? (error as Error).message.split("\n")[0] : `${status} ${code}`;
  const todo = isPassing(error)
    ? "run it again later; nothing that was stored is lost"
    : "see what R2 says of this code";
  return new StoreFailure(`${work} (${reason}): ${todo}.`);
}
