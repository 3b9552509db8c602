/** Cloudflare's REST API: one account, with a token. */

import * as v from "valibot";
import { Failure } from "../lib/failure.ts";
import { foreignText } from "../lib/foreign-text.ts";
import { receive } from "../lib/http.ts";

/** Wrangler's variable CLOUDFLARE_API_BASE_URL overrides it. */
const API = "https://api.cloudflare.com/client/v4";

/** No answer takes longer. */
const TIMEOUT_MS = 60_000;
/** Values of KV have up to 25 MiB. */
const MOST_BYTES = 64 * 1024 * 1024;

const errorsSchema = v.object({ errors: v.array(v.object({ message: v.string() })) });

export type Environment = Readonly<Record<string, string | undefined>>;

/** A request below the account's path. */
export interface CloudflareCall {
  method: string;
  path: string;
  body?: string | undefined;
  mediaType?: string;
}

/** What Cloudflare answered, with status 200 or 404. */
export interface ApiAnswer {
  found: boolean;
  text: string;
}

/**
 * The account that the environment names.
 *
 * @param environment CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN
 * @param user what needs them: the beginning of a sentence
 * @param permission what the token must be allowed to do: the end of a sentence
 * @throws {Failure} a variable is missing; later, Cloudflare can't be reached or refuses a request
 */
export function openAccount(
  environment: Environment,
  user: string,
  permission: string,
): (ask: CloudflareCall) => Promise<ApiAnswer> {
  const { CLOUDFLARE_ACCOUNT_ID: account, CLOUDFLARE_API_TOKEN: token, CLOUDFLARE_API_BASE_URL: api } = environment;
  if (!account || !token) {
    throw new Failure(`${user} needs CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN in the environment.`);
  }
  const base = `${api || API}/accounts/${encodeURIComponent(account)}`;
  return async ({ method, path, body, mediaType = "application/json" }) => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": mediaType };
    const request = {
      method,
      headers,
      timeoutMs: TIMEOUT_MS,
      largest: MOST_BYTES,
      ...(body !== undefined && { body }),
    };
    const received = await receive(base + path, request).catch(() => {
      throw new Failure("Cloudflare's API can't be reached: check that this machine is online.");
    });
    const { status } = received;
    const text = new TextDecoder().decode(received.body);
    const found = status >= 200 && status < 300;
    if (found || status === 404) return { found, text };
    throw new Failure(
      `Cloudflare refused (${status}${reasons(text, token)}): check that CLOUDFLARE_API_TOKEN ${permission}.`,
    );
  };
}

/** @throws {Failure} the text is not an answer of Cloudflare's API */
export function answerOf<const T extends v.GenericSchema>(schema: T, text: string): v.InferOutput<T> {
  try {
    return v.parse(schema, JSON.parse(text));
  } catch {
    throw new Failure(
      "The answer is not from Cloudflare's API: check CLOUDFLARE_API_BASE_URL, and any proxy on the way.",
    );
  }
}

/** Errors of an answer that are told. */
const MOST_REASONS = 3;

/** Why Cloudflare refused, as it says: a proxy on the way may repeat the token. */
function reasons(text: string, token: string): string {
  try {
    return v
      .parse(errorsSchema, JSON.parse(text))
      .errors.slice(0, MOST_REASONS)
      .map(({ message }) => `, ${foreignText(message.replaceAll(token, "…"))}`)
      .join("");
  } catch {
    return "";
  }
}
