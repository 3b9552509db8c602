/** What can go wrong with one attempt on one node, classified by what the body says, then by the status. */

/**
 * - `authentication`: the node refuses the key; and always will.
 * - `rate`: too many requests; the same request works later.
 * - `quota`: what the plan allows in a day or month is used up.
 * - `range`: too many blocks, logs or contracts for one request.
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
 * - `stale`: the state of another block than the one that was asked for.
 * - `wrong`: something else than most nodes say.
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
  | "unusable"
  | "stale"
  | "wrong";

/** Says nothing about the call: the same one may work later, or on another node. */
export const ABOUT_THE_NODE: ReadonlySet<FailureKind> = new Set<FailureKind>(["rate", "quota", "authentication"]);

/** Nothing was answered: every other call fails for the same reason. */
export const OF_THE_NODE: ReadonlySet<FailureKind> = new Set<FailureKind>([...ABOUT_THE_NODE, "unreachable"]);

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
  /** What is wrong may be over in minutes, as while a node starts again. */
  readonly isPassing: boolean;

  /** @param text for the user, without secrets */
  constructor(
    kind: FailureKind,
    text: string,
    more: {
      code?: number | undefined;
      retryAfterMs?: number | undefined;
      isAmbiguous?: boolean;
      isPassing?: boolean;
    } = {},
  ) {
    super(text);
    this.kind = kind;
    this.code = more.code;
    this.retryAfterMs = more.retryAfterMs;
    this.isAmbiguous = more.isAmbiguous ?? false;
    this.isPassing = more.isPassing ?? kind === "timed-out";
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
  code?: readonly number[];
  text?: readonly RegExp[];
  /** Words that say otherwise. */
  but?: RegExp;
}

/**
 * What the body says. The first rule that matches its code or text decides. Providers reuse codes: -32005 is a rate limit
 * at one and a limit of blocks at another, -32602 is a limit of blocks, a block beyond the head, or a mistake. So texts
 * that are clear go before codes. A wrong guess costs requests, never logs.
 */
const RULES: readonly Rule[] = [
  {
    kind: "reverted",
    code: [3, -32015],
    text: [/\breverted\b|^vm exception|invalid opcode|invalid jump|stack underflow/i],
  },
  { kind: "behind", text: [/(beyond|after|past|ahead of) .{0,20}(head|last accepted|latest|tip)/i] },
  {
    // What is counted by the second is a rate, also where it is a plan's.
    kind: "rate",
    text: [/\brps\b|(requests?|calls?|units?|credits?|capacity|limit|[\d,]+) ?(per|\/|a|each) ?s(ec(ond)?)?\b/i],
  },
  {
    // A plan without old states: the node has the newer ones.
    kind: "pruned",
    text: [
      /archiv(e|al)\b.{0,80}((not|un)[- ]?(available|included|supported|enabled|allowed|permitted|part of)|disabled|requires?|only|upgrade)/is,
      /(upgrade|require|access to|enable|need|without|no) .{0,40}archiv(e|al)\b/is,
      /older than [\d,]+ blocks/i,
    ],
    but: /rate[- ]?limit|block ?range/i,
  },
  {
    kind: "range",
    text: [
      /block ?range|ranges? (over|above|of more)|range should work|blocks? (distance|span)|(larger|more|greater) than (the )?(max(imum)? )?block|range (is )?too|too (large|wide|big) (a )?range|range \d+ (exceeds|is)|(more|greater) than \d+[km]? (results|logs|blocks|events)|(returns?|returned|found) too many|too many (logs|results|blocks|events)|(response|result|payload|message) (is )?(size|too)|(log|query) (response|result|timeout)|exceeds? (the )?(max(imum)? )?(server limit|results|block|range|limit of \d)|max(imum)? (allowed )?(number of )?(block|range|results|logs)|(limited to|up to|at most|maximum of) (a )?[\d,]+[km]? ?-?(block|logs|results)|maximum is set to|eth_getLogs .*limited/i,
    ],
  },
  {
    // A filter that names too many, also where a plan says how many.
    kind: "range",
    text: [
      /too many (addresses|contracts)|(max(imum)?|limit\w*|at most|(more|longer) than|exceed\w*) .{0,40}\b(addresses|contracts)\b|\b(addresses|contracts)\b .{0,40}(limit|max|exceed|too (many|long))/i,
    ],
    but: /\bIPs?\b|requests/i,
  },
  {
    kind: "quota",
    text: [
      /(daily|monthly|per (day|month)|today'?s?|this month).{0,60}(limit|quota|count|capacity|exceed|reached|used|usage|credit|request)/is,
      /(limit|quota|count|capacity|credits?|allowance|usage).{0,60}(daily|monthly|per (day|month)|for (today|the (day|month)))/is,
      /payment required|billing (issue|limit)|subscription (has |is )?(expired|ended|inactive)/i,
    ],
  },
  {
    // A plan's allowance, unless the text is about speed.
    kind: "quota",
    text: [
      /(quota|credits?|allowance|(compute|request) units|[CR]Us?)\b.{0,40}\b(exceeded|exhausted|reached|used|consumed|depleted|spent|ran out|run out|expired|insufficient)\b/is,
      /(out of|no( more)?|insufficient|not enough|exhausted|exceeded|used up|reached|consumed|depleted) .{0,40}\b(credits?|quota|allowance|(compute|request) units|[CR]Us?)\b/is,
      /(plan|usage|account|subscription|tier|package)('s)? .{0,40}(limit|quota|usage|requests).{0,30}(exceeded|reached|consumed|exhausted|used up)/is,
      /(exceeded|reached|hit|used up|consumed) .{0,40}(limit|quota|usage|allowance).{0,30}\b(plan|account|subscription|tier|package)\b/is,
      /usage (limit|cap)|included usage/i,
      /(account|user|prepaid) balance .{0,30}(not enough|insufficient|too low|exhausted|zero|negative)/i,
    ],
    but: /rate[- ]?limit|(request|call) rate|throttl|too many requests|concurren|throughput|traffic|burst/i,
  },
  {
    kind: "rate",
    code: [429, -32029, -32007, -32016, -32097, -32429],
    text: [
      /rate[- ]?limit|too many requests|too many concurrent|requests? (per|\/) ?(second|minute)|\/ ?(second|sec|minute)|per[- ](second|minute)|request (rate|limit)|compute units|throughput|throttl|over capacity|exceeded .{0,30}capacity|call rate|slow down|concurren(t|cy) .{0,20}(limit|exceed)/i,
    ],
  },
  {
    kind: "pruned",
    code: [4444],
    text: [
      /prun(ed|ing)|missing (trie node|state)|no state available|distance to target block exceeds|required historical/i,
      /state .{0,90}(not|un)[- ]?available|\bstate\b.{0,60}(is |was )?(missing|not found|too old)|no (historical |world )?state/i,
      /(unable|could ?n[o']t|cannot|can't|failed) .{0,30}(find|get|load|open|retrieve|read) .{0,30}state/i,
      /(historical|historic|old) (state|data|logs|blocks|receipts).{0,40}(not|un)[- ]?(available|supported|found)/i,
      /archive (node|data|state|request|access|mode)|before (the )?(first|earliest|oldest) (available|kept|stored)/i,
      /(history|receipts?|logs?|blocks?) (is|are|has been|have been)? ?(not kept|expired|no longer available)/i,
      /history (is )?(not|un)[- ]?available/i,
    ],
  },
  {
    kind: "behind",
    text: [
      /header not found|(block|header) for hash not found|block could not be found|not currently canonical|(block|header|resource) ?(number )?(#?(0x)?[\da-f]+ )?(is |was )?not (yet )?(found|available|known|imported)|unknown block|(beyond|above|after|past|exceeds?|ahead of|greater than|higher than).{0,30}(head|latest|last accepted|current block|tip|chain height)|not (yet )?(synced|in sync)|is syncing|future block|unfinalized data|block .{0,20}in the future/i,
    ],
  },
  {
    kind: "unknown-method",
    code: [-32601],
    text: [
      /method .{0,80}(not (found|supported|available|allowed|enabled|whitelisted)|does not exist|is (disabled|unsupported))|unsupported method|unknown method|does not exist\/is not available/i,
    ],
  },
  {
    kind: "authentication",
    text: [
      /unauthori[sz]ed|authentication|must be authenticated|authenticate|(invalid|missing|wrong|unknown|expired|disabled|inactive|no) (api|access|project|app) ?-?(key|token|id)|(api|access) ?-?(key|token) (is )?(invalid|missing|disabled|expired|required|not|unknown)|project id .{0,30}(invalid|required|not)|invalid (token|credentials|jwt)|access denied|forbidden/i,
    ],
  },
  { kind: "rate", code: [-32005] },
  { kind: "timed-out", text: [/time(d)?[- ]?out|deadline exceeded|took too long|took longer/i] },
];

/** What a status says where the body says nothing: providers send 401 and 403 for keys, plans and quotas alike. */
const BY_STATUS: Readonly<Record<number, FailureKind>> = {
  401: "authentication",
  402: "quota",
  403: "authentication",
  404: "garbled",
  405: "garbled",
  408: "timed-out",
  410: "garbled",
  413: "range",
  429: "rate",
  504: "timed-out",
  522: "timed-out",
  524: "timed-out",
};

/** Codes that say little, where the status says nothing. */
const INVALID = [-32602, -32600];

/** A text that a limit of requests and a limit of blocks have in common. */
const AMBIGUOUS = /^[^a-z]*((request|query)s? )?limit(s)? (is |was )?exceed/i;

/** What a refusal means. */
export function classify({ status, code, text, hasRetryAfter }: Refusal): { kind: FailureKind; isAmbiguous: boolean } {
  const rule = RULES.find(
    (entry) =>
      (code !== undefined && entry.code?.includes(code)) ||
      (entry.text?.some((said) => said.test(text)) && !entry.but?.test(text)),
  );
  const isInvalid = code !== undefined && INVALID.includes(code);
  // A server that says when to come back is busy, whatever its status.
  const other = isInvalid ? "invalid" : hasRetryAfter ? "rate" : "refused";
  const kind = rule?.kind ?? BY_STATUS[status] ?? other;
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
  const isPassing = true;
  if (UNREACHED.has(code)) return new NodeError("unreachable", `the connection failed (${code})`, { isPassing });
  const shown = /^[A-Z0-9_]{1,40}$/.test(code) ? code : "no code";
  return new NodeError("garbled", `the connection broke (${shown})`, { isPassing });
}
