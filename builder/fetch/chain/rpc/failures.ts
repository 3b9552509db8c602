/** What can go wrong with one attempt on one node, classified by status, code and text. */

/**
 * - `authentication`: the node refuses the key; and always will.
 * - `rate`: too many requests; the same request works later.
 * - `quota`: what the plan allows in a day or month is used up.
 * - `range`: too many blocks or logs for one request.
 * - `oversized`: the answer was left, because it is larger than the asker wanted.
 * - `pruned`: the node does not keep what is asked for.
 * - `behind`: the node does not have the block yet.
 * - `unknown-method`: the node does not offer the method.
 * - `reverted`: the contract reverted the call; every node says the same.
 * - `invalid`: the node does not take these parameters.
 * - `refused`: any other error that the node reports.
 * - `unreachable`: the request did not reach the node.
 * - `timed-out`: no answer in time.
 * - `garbled`: the answer is cut short, too long, or not JSON-RPC.
 * - `unusable`: a whole answer that can't be right, such as null for a block that exists.
 */
export type FailureKind =
  | "authentication"
  | "rate"
  | "quota"
  | "range"
  | "oversized"
  | "pruned"
  | "behind"
  | "unknown-method"
  | "reverted"
  | "invalid"
  | "refused"
  | "unreachable"
  | "timed-out"
  | "garbled"
  | "unusable";

/** Says nothing about the call: the same one may work later, or on another node. */
export const ABOUT_THE_NODE: ReadonlySet<FailureKind> = new Set<FailureKind>(["rate", "quota", "authentication"]);

/** Why an attempt failed. Holds no part of a URL but the host. */
export class NodeError extends Error {
  override name = "NodeError";
  readonly kind: FailureKind;
  /** The code of the JSON-RPC error. */
  readonly code: number | undefined;
  /** When the node wants to be asked again, in milliseconds from now. */
  readonly retryAfterMs: number | undefined;
  /** The text may also mean that the page is too large. */
  readonly isAmbiguous: boolean;

  /** @param text for the user, without secrets */
  constructor(
    kind: FailureKind,
    text: string,
    more: { code?: number | undefined; retryAfterMs?: number | undefined; isAmbiguous?: boolean } = {},
  ) {
    super(text);
    this.kind = kind;
    this.code = more.code;
    this.retryAfterMs = more.retryAfterMs;
    this.isAmbiguous = more.isAmbiguous ?? false;
  }
}

/** What a node said when it refused. */
export interface Refusal {
  status: number;
  /** The code of the JSON-RPC error; absent if the answer is not one. */
  code?: number | undefined;
  text: string;
  hasRetryAfter: boolean;
}

interface Rule {
  kind: FailureKind;
  status?: readonly number[];
  code?: readonly number[];
  text?: RegExp;
}

/**
 * The first rule that matches status, code or text decides. Providers reuse codes: -32005 is a rate limit at one and a
 * limit of blocks at another, -32602 is a limit of blocks, a block beyond the head, or a mistake. So texts that are
 * clear go before codes. A wrong guess costs requests, never logs.
 */
const RULES: readonly Rule[] = [
  { kind: "authentication", status: [401] },
  {
    kind: "reverted",
    code: [3, -32015],
    text: /\breverted\b|^vm exception|invalid opcode|invalid jump|stack underflow/i,
  },
  { kind: "behind", text: /(beyond|after|past|ahead of) .{0,20}(head|last accepted|latest|tip)/i },
  {
    kind: "range",
    text: /block ?range|range should work|blocks? (distance|span)|(larger|more|greater) than (the )?(max(imum)? )?block|range (is )?too|too (large|wide|big) (a )?range|range \d+ (exceeds|is)|(more|greater) than \d+[km]? (results|logs|blocks|events)|(returns?|returned|found) too many|too many (logs|results|blocks|events)|(response|result|payload|message) (is )?(size|too)|(log|query) (response|result|timeout)|exceeds? (the )?(max(imum)? )?(server limit|results|block|range|limit of \d)|max(imum)? (allowed )?(number of )?(block|range|results|logs)|(limited to|up to|at most|maximum of) (a )?[\d,]+[km]? ?-?(block|logs|results)|maximum is set to|eth_getLogs .*limited/i,
  },
  {
    kind: "quota",
    status: [402],
    text: /(daily|monthly|per (day|month)|today'?s?|this month).{0,60}(limit|quota|count|capacity|exceed|reached|used|credit|request)|(limit|quota|count|capacity|credits?|allowance).{0,60}(daily|monthly|per (day|month)|for (today|the (day|month)))|quota (is |has been )?(exceeded|exhausted|reached|used)|(out of|no|insufficient|not enough) (credits?|compute units)|(plan|usage|account) (limit|quota) (is )?(exceeded|reached)|exceeded .{0,20}quota|payment required/i,
  },
  {
    kind: "rate",
    status: [429],
    code: [429, -32029, -32007, -32016, -32097, -32429],
    text: /rate[- ]?limit|too many requests|too many concurrent|requests? (per|\/) ?(second|minute)|\/ ?(second|sec|minute)|per[- ](second|minute)|request (rate|limit)|compute units|throughput|throttl|over capacity|exceeded .{0,30}capacity|call rate|slow down|concurren(t|cy) .{0,20}(limit|exceed)/i,
  },
  {
    kind: "pruned",
    code: [4444],
    text: /prun(ed|ing)|missing trie node|state .{0,90}(not|un)[- ]?available|(historical|historic|old) (state|data|logs|blocks|receipts).{0,40}(not|un)[- ]?(available|supported|found)|archive (node|data|state|request|access|mode)|before (the )?(first|earliest|oldest) (available|kept|stored)|(history|receipts?|logs?|blocks?) (is|are|has been|have been)? ?(not kept|expired|no longer available)|no state available|distance to target block exceeds|required historical/i,
  },
  {
    kind: "behind",
    text: /header not found|(block|header|resource) ?(number )?(#?(0x)?[\da-f]+ )?(is |was )?not (yet )?(found|available|known|imported)|unknown block|(beyond|above|after|past|exceeds?|ahead of|greater than|higher than).{0,30}(head|latest|last accepted|current block|tip|chain height)|not (yet )?(synced|in sync)|is syncing|future block|unfinalized data|block .{0,20}in the future/i,
  },
  {
    kind: "unknown-method",
    code: [-32601],
    text: /method .{0,80}(not (found|supported|available|allowed|enabled|whitelisted)|does not exist|is (disabled|unsupported))|unsupported method|unknown method|does not exist\/is not available/i,
  },
  {
    kind: "authentication",
    text: /unauthori[sz]ed|authentication|must be authenticated|authenticate|(invalid|missing|wrong|unknown|expired|disabled|inactive|no) (api|access|project|app) ?-?(key|token|id)|(api|access) ?-?(key|token) (is )?(invalid|missing|disabled|expired|required|not|unknown)|project id .{0,30}(invalid|required|not)|invalid (token|credentials|jwt)|access denied|forbidden/i,
  },
  { kind: "authentication", status: [403] },
  { kind: "rate", code: [-32005] },
  {
    kind: "timed-out",
    status: [408, 504, 522, 524],
    text: /time(d)?[- ]?out|deadline exceeded|took too long|took longer/i,
  },
  { kind: "range", status: [413] },
  { kind: "garbled", status: [404, 405, 410] },
  { kind: "invalid", code: [-32602, -32600] },
];

/** A text that a limit of requests and a limit of blocks have in common. */
const AMBIGUOUS = /^[^a-z]*((request|query)s? )?limit(s)? (is |was )?exceed/i;

/** What a refusal means. */
export function classify({ status, code, text, hasRetryAfter }: Refusal): { kind: FailureKind; isAmbiguous: boolean } {
  const rule = RULES.find(
    (entry) =>
      entry.status?.includes(status) || (code !== undefined && entry.code?.includes(code)) || entry.text?.test(text),
  );
  // A server that says when to come back is busy, whatever its status.
  const kind = rule?.kind ?? (hasRetryAfter ? "rate" : "refused");
  const isAmbiguous = kind === "rate" && status !== 429 && (code === -32005 || AMBIGUOUS.test(text));
  return { kind, isAmbiguous };
}

/** No wait that is asked for is longer than a day. */
const LONGEST_RETRY_AFTER_MS = 86_400_000;

/** @param value of the header Retry-After: seconds or a date (RFC 9110, section 10.2.3); undefined if it is neither */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS);
}

/** Codes of Node.js for a request that never got to the node. */
const UNREACHED = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "ENETDOWN",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EAI_FAIL",
  "EADDRNOTAVAIL",
  "EPROTO",
]);

const isOfTls = (code: string) => /CERT|^ERR_(TLS|SSL)|^UNABLE_TO|SELF_SIGNED|ALTNAME/.test(code);

/** An error of Node's http, https, net, tls or dns. Its own message is dropped: only the code is known to be harmless. */
export function transportError(error: unknown): NodeError {
  if (error instanceof NodeError) return error;
  const code = String((error as NodeJS.ErrnoException | undefined)?.code ?? "no code");
  if (code === "ETIMEDOUT" || code === "ESOCKETTIMEDOUT") return new NodeError("timed-out", "no answer in time");
  if (code === "ENOTFOUND") return new NodeError("unreachable", "no host has this name (ENOTFOUND)");
  if (isOfTls(code)) return new NodeError("unreachable", `its certificate is not accepted (${code})`);
  if (code === "EPROTO") return new NodeError("unreachable", "it does not speak TLS (EPROTO)");
  if (code.startsWith("Z_") || code.startsWith("ERR_BROTLI") || code.startsWith("ERR__ERROR")) {
    return new NodeError("garbled", "its answer can't be decompressed");
  }
  if (UNREACHED.has(code)) return new NodeError("unreachable", `the connection failed (${code})`);
  return new NodeError("garbled", `the connection broke (${/^[A-Z0-9_]{1,40}$/.test(code) ? code : "no code"})`);
}
