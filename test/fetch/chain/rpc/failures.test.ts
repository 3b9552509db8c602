import { describe, expect, it } from "vitest";
import { classify, type FailureKind, retryAfterMs } from "../../../../builder/fetch/chain/rpc/failures.ts";

/** What providers and nodes say, with status and code. */
const SAID: [FailureKind, number, number | undefined, string][] = [
  ["range", 200, -32005, "range 1000000 exceeds limit of 10000"],
  ["range", 200, -32005, "query returned more than 10000 results. Try with this block range [0x5B8D80, 0x5B8E00]."],
  ["range", 200, -32000, "query block range exceeds server limit"],
  ["range", 200, -32000, "query returns too many logs"],
  ["range", 200, -32000, "requested too many blocks from 0 to 100000, maximum is set to 2048"],
  ["range", 200, -32000, "larger than max block range"],
  ["range", 200, -32000, "block range too high"],
  ["range", 200, -32600, "Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range."],
  ["range", 200, -32602, "Log response size exceeded. this block range should work: [0x0, 0x1]"],
  ["range", 200, -32614, "eth_getLogs is limited to a 10,000 range"],
  ["range", 200, -32602, "exceed maximum block range: 50000"],
  ["range", 200, -32000, "exceeds max results 20000"],
  ["range", 413, undefined, "Request Entity Too Large"],
  ["rate", 200, -32005, "limit exceeded"],
  ["rate", 200, -32005, "project ID request rate exceeded"],
  ["rate", 429, undefined, ""],
  ["rate", 200, -32029, "exceeded its rate"],
  ["rate", 200, -32007, "50/second request limit reached - reduce calls per second"],
  ["rate", 200, 429, "Your app has exceeded its compute units per second capacity."],
  ["rate", 200, -32016, "over rate limit"],
  ["rate", 403, undefined, "Too many requests"],
  ["quota", 200, -32005, "daily request count exceeded, request rate limited"],
  ["quota", 429, undefined, "Monthly capacity limit exceeded. Visit the dashboard to upgrade your scaling policy."],
  ["quota", 402, undefined, "Payment Required"],
  ["quota", 200, -32000, "You have reached your daily request limit"],
  ["pruned", 200, 4444, "pruned history unavailable"],
  ["pruned", 200, -32000, "missing trie node 0123abcd (path ) state 0xabc is not available, not found"],
  ["pruned", 200, -32000, "history has been pruned for this block"],
  ["pruned", 200, -32000, "state at block #123 is pruned"],
  ["pruned", 200, -32801, "historical state 0xab is not available"],
  ["behind", 200, -32000, "header not found"],
  ["behind", 200, -32602, "block range extends beyond current head block"],
  ["behind", 200, -32001, "Unknown block"],
  ["behind", 200, -32000, "requested to block 100 after last accepted block 90"],
  ["unknown-method", 200, -32601, "the method eth_foo does not exist/is not available"],
  ["unknown-method", 200, -32000, "Method eth_foo is not supported"],
  ["authentication", 401, undefined, ""],
  ["authentication", 403, undefined, "Forbidden"],
  ["authentication", 200, -32600, "Must be authenticated!"],
  ["authentication", 200, -32000, "Unauthorized: You must authenticate your request with an API key"],
  ["authentication", 200, -32002, "invalid project id"],
  ["reverted", 200, 3, "execution reverted: Unauthorized"],
  ["reverted", 200, -32000, "execution reverted"],
  ["reverted", 200, -32015, "VM execution error."],
  ["timed-out", 504, undefined, "upstream request timeout"],
  ["timed-out", 200, -32000, "request timed out"],
  ["invalid", 200, -32602, "too many arguments, want at most 2"],
  ["garbled", 404, undefined, "not here"],
  ["refused", 200, -32603, "Internal error"],
  ["refused", 500, undefined, "oops"],
];

describe("what a node says", () => {
  it.each(SAID)("means %s: %i %s %j", (kind, status, code, text) => {
    expect(classify({ status, code, text, hasRetryAfter: false }).kind).toBe(kind);
  });

  it("may mean the size of the page, too", () => {
    const isAmbiguous = (code: number, text: string) =>
      classify({ status: 200, code, text, hasRetryAfter: false }).isAmbiguous;
    expect(isAmbiguous(-32005, "limit exceeded")).toBe(true);
    expect(isAmbiguous(-32016, "over rate limit")).toBe(false);
  });

  it("means too many requests if it says when to come back", () => {
    expect(classify({ status: 503, text: "", hasRetryAfter: true }).kind).toBe("rate");
    expect(classify({ status: 503, text: "", hasRetryAfter: false }).kind).toBe("refused");
  });
});

describe("Retry-After", () => {
  const now = Date.parse("2026-11-22T12:00:00Z");
  it.each([
    ["0", 0],
    ["120", 120_000],
    [" 2 ", 2_000],
    ["Sun, 22 Nov 2026 12:00:30 GMT", 30_000],
    ["Sun, 22 Nov 2026 11:00:00 GMT", 0],
    ["9999999999", 86_400_000],
    ["soon", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("%j is %s milliseconds", (value, ms) => {
    expect(retryAfterMs(value, now)).toBe(ms);
  });
});
