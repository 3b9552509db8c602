/** JSON-RPC 2.0: what an HTTP answer says about the calls that were made. Source: https://www.jsonrpc.org/specification */

import { BEGINNING_BYTES, beginningOf } from "../../../lib/foreign-text.ts";
import type { HttpAnswer } from "./exchange.ts";
import { classify, NodeError, retryAfterMs } from "./failures.ts";

export interface Call {
  method: string;
  params: readonly unknown[];
}

type Members = Record<string, unknown>;

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The body as JSON; undefined if it is not JSON. */
function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** How deep an error is looked for within errors. */
const DEEPEST = 5;

/** The beginnings of texts of an error in the places where providers put them. */
function textOf(error: unknown, depth = 0): string {
  if (typeof error === "string") return beginningOf(error);
  if (!isObject(error) || depth > DEEPEST) return "";
  const { message, error: inner, errors, detail, details, reason, description, msg, data } = error;
  const places = [message, msg, detail, description, reason, [errors].flat()[0], inner, details];
  const text = places.map((part) => textOf(part, depth + 1)).find(Boolean) ?? "";
  const more = typeof data === "string" && !data.startsWith("0x") ? beginningOf(data) : "";
  return text.includes(more) ? text : `${text} ${more}`.trim();
}

interface Context {
  status: number;
  retryAfter: number | undefined;
  redact(text: string): string;
}

/** @param error member `error` of an answer */
function refusal(error: unknown, { status, retryAfter, redact }: Context): NodeError {
  const code = isObject(error) && Number.isInteger(Number(error.code ?? Number.NaN)) ? Number(error.code) : undefined;
  const text = textOf(error);
  const { kind, isAmbiguous } = classify({ status, code, text, hasRetryAfter: retryAfter !== undefined });
  const shown = [redact(text) || "it gives no reason", code ?? (status === 200 ? undefined : `status ${status}`)];
  const sentence = shown[1] === undefined ? `${shown[0]}` : `${shown[0]} (${shown[1]})`;
  const isPassing = kind === "refused" || kind === "behind" || kind === "timed-out";
  return new NodeError(kind, sentence, { code, retryAfterMs: retryAfter, isAmbiguous, isPassing });
}

/** An answer that isn't the JSON-RPC that was asked for. */
function noJsonRpc(answer: HttpAnswer, json: unknown, context: Context): NodeError {
  const { status, redact, retryAfter } = context;
  const excerpt = answer.body.subarray(0, BEGINNING_BYTES).toString("utf8").trim();
  const isPage = excerpt.startsWith("<");
  if (status >= 400) {
    // Pages are full of words that mean nothing here.
    const text = isPage ? "" : textOf(json) || (json === undefined ? excerpt : "");
    const { kind, isAmbiguous } = classify({ status, text, hasRetryAfter: retryAfter !== undefined });
    const what = isPage ? "it answers with a web page" : redact(text) || "it gives no reason";
    // A server that fails between node and client says nothing about the request.
    const isOutage = kind === "refused" && status >= 500;
    return new NodeError(isOutage ? "garbled" : kind, `${what} (status ${status})`, {
      retryAfterMs: retryAfter,
      isAmbiguous,
      isPassing: isOutage || kind === "timed-out",
    });
  }
  if (status >= 300) return new NodeError("refused", `it redirects elsewhere (status ${status})`);
  if (isPage) return new NodeError("garbled", "it answers with a web page");
  if (excerpt === "") return new NodeError("garbled", "its answer is empty");
  return new NodeError(
    "garbled",
    json === undefined ? "its answer is cut short or not JSON" : "its answer is not JSON-RPC",
  );
}

function contextOf(answer: HttpAnswer, redact: (text: string) => string): Context {
  const retryAfter = retryAfterMs(answer.headers["retry-after"], Date.now());
  return { status: answer.status, retryAfter, redact };
}

/** What says most: gateways write the status in words into `error`, and why into other members. */
const errorOf = (entry: Members): unknown => (typeof entry.error === "string" ? entry : entry.error);

/** The outcome of one call; undefined if the entry holds neither a result nor an error. */
function outcome(entry: Members, context: Context): { value: unknown } | NodeError | undefined {
  if (entry.error !== undefined && entry.error !== null) return refusal(errorOf(entry), context);
  return entry.result === undefined ? undefined : { value: entry.result };
}

const isOf = (entry: Members, id: number) => entry.id === id || entry.id === String(id);

/**
 * The result of a single call.
 *
 * @throws {NodeError}
 */
export function readAnswer(answer: HttpAnswer, id: number, redact: (text: string) => string): unknown {
  const context = contextOf(answer, redact);
  const json = parse(answer.body);
  if (!isObject(json)) throw noJsonRpc(answer, json, context);
  // An error about a request that could not be read has no id.
  const found = isOf(json, id) || (json.error && (json.id ?? null) === null) ? outcome(json, context) : undefined;
  if (found instanceof NodeError) throw found;
  if (found && answer.status < 300) return found.value;
  if (answer.status < 300 && "id" in json && !isOf(json, id))
    throw new NodeError("garbled", "it answers another request");
  throw noJsonRpc(answer, json, context);
}

/**
 * The results of a batch, in the order of its calls, whose ids count up from `firstId`.
 *
 * @throws {NodeError} the batch as a whole was refused
 */
export function readBatchAnswer(
  answer: HttpAnswer,
  firstId: number,
  count: number,
  redact: (text: string) => string,
): ({ value: unknown } | NodeError)[] {
  const context = contextOf(answer, redact);
  const json = parse(answer.body);
  if (isObject(json) && json.error !== undefined && json.error !== null) throw refusal(errorOf(json), context);
  if (!Array.isArray(json)) throw noJsonRpc(answer, json, context);
  const results: ({ value: unknown } | NodeError | undefined)[] = new Array(count);
  for (const entry of json) {
    if (!isObject(entry)) continue;
    const index = Number(entry.id ?? Number.NaN) - firstId;
    if (Number.isInteger(index) && index >= 0 && index < count) results[index] = outcome(entry, context);
  }
  // Some servers answer a batch that is too large with a list of one error.
  const [only] = json;
  if (json.length === 1 && count > 1 && isObject(only) && only.error) throw refusal(errorOf(only), context);
  return Array.from(results, (result) => result ?? new NodeError("garbled", "a call of a batch has no answer"));
}
