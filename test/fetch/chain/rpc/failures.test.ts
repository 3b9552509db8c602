import { describe, expect, it } from "vitest";
import { readAnswer } from "../../../../builder/fetch/chain/rpc/answer.ts";
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
  ["range", 200, -32602, "too many addresses in the filter"],
  ["range", 200, -32600, "Your plan is limited to 5 contract addresses; upgrade your subscription for a higher limit"],
  ["rate", 200, -32000, "limit exceeded: too many requests from your IP addresses"],
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
  // Plans without old states: the node still has the newer ones.
  ["pruned", 403, -32002, "Archive, Debug and Trace requests are not available on your current plan. Upgrade it."],
  [
    "pruned",
    403,
    undefined,
    "Archive requests require a personal token. Get one at https://www.allnodes.com/publicnode",
  ],
  ["pruned", 402, -32002, "project ID does not have access to archive state"],
  ["pruned", 401, undefined, "Archive data is only available on paid plans"],
  ["pruned", 429, -32005, "Archival state is not included in the free tier, please upgrade"],
  ["pruned", 404, undefined, "Your plan is limited to 128 blocks: upgrade to an archive plan"],
  ["pruned", 200, -32612, "this request needs an archive node"],
  ["pruned", 200, -32000, "requested data is older than 128 blocks"],
  ["pruned", 200, -32000, "required historical state unavailable (reexec=128)"],
  ["pruned", 200, -32002, "No state available for block 0x123 (0xabc)"],
  ["pruned", 200, -32000, "World state unavailable"],
  ["pruned", 200, -32603, "distance to target block exceeds maximum proof window"],
  ["pruned", 200, -32000, "old data not available due to pruning"],
  ["pruned", 200, -32000, "state root 0x12 not found"],
  ["pruned", 200, -32000, "unable to find the state of block 17"],
  ["quota", 403, undefined, "Credits exhausted"],
  ["quota", 403, -32000, "You have run out of credits"],
  [
    "quota",
    401,
    undefined,
    "Your plan: free-plan-daily total included usage has been consumed, please upgrade your plan",
  ],
  ["quota", 403, undefined, "You've reached the usage limit for your current plan"],
  ["quota", 429, -32004, "quota limit reached"],
  ["quota", 404, undefined, "Your subscription has expired"],
  ["quota", 503, undefined, "Insufficient compute units"],
  ["quota", 200, -32001, "Exceeded the quota usage, please upgrade your plan"],
  ["quota", 200, -32016, "RU has been used up"],
  ["quota", 200, -32003, "daily request limit reached - upgrade your account to continue"],
  ["quota", 200, 403, "user balance is not enough"],
  ["rate", 429, -32005, "You've exceeded the RPS limit available on the current plan."],
  ["rate", 403, undefined, "Your plan allows 25 requests per second"],
  ["rate", 200, -32005, "archive request rate limit exceeded"],
  ["rate", 429, undefined, "Archive requests are limited to 10 per second, upgrade your plan"],
  ["rate", 429, -32005, "Archive request rate limit exceeded. Upgrade your plan"],
  ["rate", 200, -32005, "Your account has exceeded its rate limit"],
  ["rate", 200, -32005, "Request failed: cu limit exceeded; The current RPC traffic is too high"],
  ["rate", 200, 429, "Your app has exceeded its concurrent requests capacity"],
  ["range", 200, 35, "ranges over 10000 blocks are not supported on freetier"],
  ["range", 403, -32600, "eth_getLogs block range is limited on your plan"],
  ["timed-out", 408, 30, "Request timeout on the free tier, please upgrade your tier to the paid one"],
  ["unknown-method", 403, 35, "method eth_foo is not available on freetier, please upgrade to paid tier"],
  ["authentication", 403, undefined, "ETH_SEPOLIA is not enabled for this app. Visit this page to enable the network"],
  ["authentication", 403, -32002, "rejected due to project ID settings"],
  ["authentication", 200, -32051, "API key is not allowed to access blockchain"],
  ["authentication", 403, undefined, "App is inactive"],
  ["reverted", 200, 3, "execution reverted: quota exceeded"],
  ["behind", 200, -32000, "header not found"],
  ["behind", 200, -32602, "block range extends beyond current head block"],
  ["behind", 200, -32001, "Unknown block"],
  ["behind", 200, -32000, "block 0x12 is not available"],
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

describe("the answer of a gateway", () => {
  const failure = (status: number, body: unknown) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    try {
      readAnswer({ status, headers: {}, body: Buffer.from(text) }, 1, (said) => said);
    } catch (error) {
      return error;
    }
    return undefined;
  };

  it.each<[FailureKind, number, unknown, string]>([
    [
      "quota",
      403,
      { statusCode: 403, message: "Credits exhausted", error: "Forbidden" },
      "Credits exhausted (status 403)",
    ],
    ["quota", 401, { error: "Unauthorized", detail: "Monthly quota reached" }, "Monthly quota reached (status 401)"],
    [
      "pruned",
      403,
      { errors: [{ message: "Archive is not part of your plan" }] },
      "Archive is not part of your plan (status 403)",
    ],
    [
      "pruned",
      403,
      {
        jsonrpc: "2.0",
        id: 1,
        error: { code: -32002, message: "Archive, Debug and Trace requests are not available on your current plan" },
      },
      "Archive, Debug and Trace requests are not available on your current plan (-32002)",
    ],
    ["authentication", 403, { error: "Forbidden" }, "Forbidden (status 403)"],
    ["authentication", 403, "<html>daily limit</html>", "it answers with a web page (status 403)"],
    ["quota", 402, "", "it gives no reason (status 402)"],
  ])("means %s: %i %j", (kind, status, body, message) => {
    expect(failure(status, body)).toMatchObject({ kind, message });
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
