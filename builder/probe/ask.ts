/** One request of a probe: it follows no redirect, so the key goes nowhere else, and it always ends. */

import { LIMIT_SECONDS } from "../../data-schema/access.ts";
import { Failure } from "../lib/failure.ts";
import { HttpFailure, receive } from "../lib/http.ts";

/** A deployed Worker. */
export interface Site {
  /** Such as `https://metrics.example.com`. */
  origin: string;
  key?: string | undefined;
  /** The longest wait for a complete answer. */
  requestMs: number;
  /** Ends the probe. */
  signal: AbortSignal;
}

export interface Answer {
  path: string;
  status: number;
  headers: Headers;
  text: string;
}

/** Far more than any document that a probe asks for. */
const MOST_BYTES = 8_000_000;

/**
 * Sends a GET.
 *
 * @param path with the query
 * @throws {Failure} no answer, or one without an end
 */
export async function ask(site: Site, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const { origin, requestMs: timeoutMs, signal } = site;
  try {
    const options = { headers, redirect: "manual", timeoutMs, largest: MOST_BYTES, signal } as const;
    const { status, headers: received, body } = await receive(origin + path, options);
    return { path, status, headers: received, text: new TextDecoder().decode(body) };
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw new Failure("The probe took too long, and was ended.");
    throw new Failure(
      {
        late: `${path} had no complete answer within ${timeoutMs / 1000} seconds.`,
        long: `${path} is longer than any answer of Soprano.`,
        unreachable: `${origin} can't be reached (${error.code}): check the address, and that this machine is online.`,
      }[error.kind],
    );
  }
}

/** Asks as `ask` does, and sends the key. */
export function askWithKey(site: Site, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return ask(site, path, { ...headers, "X-Api-Key": site.key ?? "" });
}

/** @throws {Failure} the condition does not hold */
export function demand(condition: unknown, sentence: string): asserts condition {
  if (!condition) throw new Failure(sentence);
}

/** @throws {Failure} the answer has another status */
export function demandStatus({ path, status }: Answer, expected: number): void {
  const why =
    status === 429 ? `: this address has sent too many requests; probe again in ${LIMIT_SECONDS} seconds` : "";
  demand(status === expected, `${path} answered ${status} instead of ${expected}${why}.`);
}

/** @throws {Failure} the header is missing, or does not match */
export function demandHeader({ path, status, headers }: Answer, name: string, expected: RegExp): string {
  const value = headers.get(name);
  demand(value !== null, `${path} answered ${status} without ${name}.`);
  demand(expected.test(value), `${path} answered ${status} with ${name}: ${value.slice(0, 200)}.`);
  return value;
}

/** @throws {Failure} the body is not JSON */
export function jsonOf({ path, text }: Answer): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure(`${path} is not JSON, so this may not be Soprano: check the address.`);
  }
}
