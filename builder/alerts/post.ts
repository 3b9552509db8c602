/** Posts one body, and tells what became of it. No message repeats a URL: it may hold a secret. */

import { createHmac } from "node:crypto";
import * as v from "valibot";
import { type HttpFailure, type HttpOptions, pauseAsked, receive } from "../lib/http.ts";
import { Refused, type RetryPolicy, retry } from "../lib/retry.ts";
import type { Format } from "./receivers.ts";

/** Attempts of one run, with pauses of some seconds. */
const POLICY: RetryPolicy = { attempts: 3, firstMs: 1_000, longestMs: 4_000 };
/** A receiver that asks for a longer pause is asked again by the next run. */
const LONGEST_PAUSE_MS = 30_000;
const TIMEOUT_MS = 10_000;

/** Why a body was not taken: a clause. */
export class NotTaken extends Error {}

/** The receiver refused this body; it may take others. */
export class BodyRefused extends NotTaken {}

/** How long things take, for tests. */
export interface PostTimes {
  timeoutMs: number;
  policy: RetryPolicy;
}

/** What is wrong with a URL, before anything is posted: a clause that repeats nothing of it. */
export function targetProblem(url: string, format: Format): string | undefined {
  const target = URL.parse(url);
  if (!target || !/^https?:$/.test(target.protocol)) return "holds no URL";
  const lacksChat = format === "telegram" && !target.searchParams.has("chat_id");
  return lacksChat ? "has no chat_id in its query" : undefined;
}

/**
 * Posts a body until it is taken.
 *
 * @throws {NotTaken} it was not, this time; BodyRefused it will not be
 */
export async function post(
  {
    url,
    body,
    key,
    format,
    secret,
  }: { url: string; body: string; key: string; format: Format; secret: string | undefined },
  { timeoutMs, policy }: PostTimes = { timeoutMs: TIMEOUT_MS, policy: POLICY },
): Promise<void> {
  const problem = targetProblem(url, format);
  if (problem !== undefined) throw new NotTaken(problem);
  const target = new URL(url);
  const sent = format === "telegram" ? withChat(target, body) : body;
  const headers: Record<string, string> = {
    "Content-Type": "application/json",
    "Idempotency-Key": key,
    "User-Agent": "soprano-alerts",
  };
  if (secret) headers["X-Soprano-Signature"] = `sha256=${createHmac("sha256", secret).update(sent).digest("hex")}`;
  await retry(
    () => attempt(target, { method: "POST", headers, body: sent, redirect: "manual", timeoutMs }),
    (error) => error instanceof Refused && (error.pauseMs ?? 0) <= LONGEST_PAUSE_MS,
    { ...policy, longestMs: Math.max(policy.longestMs, LONGEST_PAUSE_MS) },
  ).catch((error: unknown) => {
    throw error instanceof Refused ? new NotTaken(error.message) : error;
  });
}

/** @throws {Refused} it may be taken at once; NotTaken it will not */
async function attempt(target: URL, request: HttpOptions): Promise<void> {
  const { status, headers } = await receive(target, request).catch((error: HttpFailure) => {
    const isLate = error.kind === "late";
    throw new Refused(
      isLate ? `did not answer within ${request.timeoutMs / 1000} seconds` : `can't be reached (${error.code})`,
    );
  });
  if (status >= 200 && status < 300) return;
  if (status === 429 || status >= 500) throw new Refused(`answered ${status}`, pauseAsked(headers));
  if (status >= 400) throw new BodyRefused(`answered ${status}`);
  throw new NotTaken(`answered ${status}, a redirect, which is not followed`);
}

const bodySchema = v.record(v.string(), v.unknown());

/** Telegram takes the chat beside the text. */
function withChat(target: URL, body: string): string {
  const chat = target.searchParams.get("chat_id");
  target.searchParams.delete("chat_id");
  return JSON.stringify({ chat_id: chat, ...v.parse(bodySchema, JSON.parse(body)) });
}
