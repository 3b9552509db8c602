/** `soprano probe`: checks a deployed Worker from outside, one result after the other. */

import { Failure } from "../lib/failure.ts";
import { foreignText } from "../lib/foreign-text.ts";
import { type RetryPolicy, retry } from "../lib/retry.ts";
import { ask, type Site } from "./ask.ts";
import { CHECKS } from "./checks.ts";

export interface Result {
  name: string;
  outcome: "ok" | "failed" | "skipped";
  /** What was found, or what is wrong; never the key. */
  detail: string;
}

/** How long a probe waits. */
export interface ProbePatience {
  /** For the first answer: a new deployment takes some seconds to be everywhere. */
  firstAnswer: RetryPolicy;
  /** How long each answer may take. */
  requestMs: number;
  /** How long the probe may take in all, whatever the other side does. */
  totalMs: number;
}

const PATIENCE: ProbePatience = {
  firstAnswer: { attempts: 5, firstMs: 1000, longestMs: 8000 },
  requestMs: 10_000,
  totalMs: 180_000,
};

/**
 * @param origin as `originOf` gives it
 * @param key an API key; without one, the checks that need it are skipped
 * @throws {Failure} nothing answers there
 */
export async function* probe(
  origin: string,
  key: string | undefined,
  { firstAnswer, requestMs, totalMs }: ProbePatience = PATIENCE,
): AsyncGenerator<Result> {
  const site: Site = { origin, key, requestMs, signal: AbortSignal.timeout(totalMs) };
  // Whatever the answer is: the checks judge it.
  await retry(
    () => ask(site, "/health"),
    () => true,
    firstAnswer,
  );
  for (const { name, needsKey, run } of CHECKS) {
    if (needsKey && key === undefined) {
      yield { name, outcome: "skipped", detail: "needs a key: give --key, or set SOPRANO_KEY" };
      continue;
    }
    try {
      yield { name, outcome: "ok", detail: withoutKey(await run(site), key) };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      yield { name, outcome: "failed", detail: withoutKey(error.message, key) };
    }
  }
}

/** A server may repeat what it was sent. */
function withoutKey(text: string, key: string | undefined): string {
  return foreignText(key === undefined ? text : text.replaceAll(new RegExp(key, "gi"), "…"));
}

/**
 * The origin of a Worker's address.
 *
 * @throws {Failure} it has more than a host and a port, or would send the key in the clear; the message does not repeat
 *   it, since a query may hold a key
 */
export function originOf(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new Failure("The address must be that of a Worker and nothing more, such as https://metrics.example.com.");
  }
  if (url.protocol === "http:" && !/^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)) {
    throw new Failure("The address must begin with https://; only a Worker on this machine may be asked by http://.");
  }
  return url.origin;
}
