import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { nodeLogs } from "../../../../builder/fetch/chain/logs/node-logs.ts";
import type { NodesOptions } from "../../../../builder/fetch/chain/nodes/nodes.ts";
import { openNodes } from "../../../../builder/fetch/chain/nodes/open-nodes.ts";
import { EAGER } from "../patience.ts";
import { type Interceptor, type Responder, send, startServer } from "../rpc-server.ts";

/** Answers eth_chainId with 1, and everything else with the method's name. */
const echo: Responder = ({ method }) => ({ result: method === "eth_chainId" ? "0x1" : method });

/** Connects, and closes when the test ends by itself: the nodes hold no process. */
const open = (urls: readonly string[], options: NodesOptions = {}) =>
  openNodes(urls, { patience: EAGER, timeouts: { idle: 500, total: 2_000 }, ...options });

/** Leaves eth_chainId alone. */
const exceptChainId =
  (intercept: Interceptor): Interceptor =>
  (body, response, request) =>
    (Array.isArray(body) || body.method !== "eth_chainId") && intercept(body, response, request);

const HOST = String.raw`127\.0\.0\.1:\d+`;

describe("connecting", () => {
  const server = (intercept: Interceptor) => startServer(echo, intercept);

  it("ends with a sentence where there is no node", async () => {
    const cases: [string | Promise<string>, RegExp][] = [
      [
        "http://127.0.0.1:1/",
        /^127\.0\.0\.1:1 can't be reached: the connection failed \(ECONNREFUSED\)\. Check its URL/,
      ],
      ["http://nowhere.invalid/", /^nowhere\.invalid can't be reached: .*\((ENOTFOUND|EAI_AGAIN)\)\. Check its URL/],
      [
        server((_, response) => send(response, 404, "<html>")),
        new RegExp(
          `^${HOST} does not answer eth_chainId: it answers with a web page \\(status 404\\)\\. Check the path`,
        ),
      ],
      [server((_, response) => send(response, 200, "<html>")), /answers with a web page\. Check the path/],
      [server((_, response) => send(response, 200, "")), /its answer is empty\. Check the path/],
      [
        server((_, response) => send(response, 401, "bad key")),
        new RegExp(`^${HOST} refuses the key or the request: bad key \\(status 401\\)\\. Check the key in its URL\\.$`),
      ],
      [
        server((_, response) => send(response, 403, "")),
        /refuses the key or the request: it gives no reason \(status 403\)/,
      ],
      [server(() => true), /does not answer eth_chainId: no answer in time/],
      [
        server((_, response) => send(response, 301, "", { location: "https://x/KEY" })),
        /it redirects elsewhere \(status 301\)/,
      ],
      [startServer(() => ({ result: "mainnet" })), /does not answer eth_chainId: its answer can't be right/],
    ];
    await Promise.all(
      cases.map(async ([url, sentence]) => {
        await expect(open([await url])).rejects.toThrow(sentence);
      }),
    );
    const plain = (await startServer(echo)).replace("http:", "https:");
    await expect(open([plain])).rejects.toThrow(
      /can't be reached: (it does not speak TLS|its certificate is not accepted)/,
    );
  });

  it("refuses nodes of different chains, and continues without one that can't be used", async () => {
    const [one, other] = [await startServer(echo), await startServer(() => ({ result: "0x89" }))];
    await expect(open([one, other])).rejects.toThrow(
      new RegExp(
        `^The nodes are on different chains: ${HOST} on chain 1, ${HOST} on chain 137\\. Name nodes of one chain\\.$`,
      ),
    );
    const notices: string[] = [];
    const nodes = await open([one, "http://127.0.0.1:1/KEY"], { onNotice: (text) => notices.push(text) });
    expect(nodes.chainId).toBe(1);
    expect(nodes.active).toEqual([0]);
    expect(notices).toEqual([expect.stringMatching(/^Continuing without 127\.0\.0\.1:1\. .*ECONNREFUSED/)]);
    expect(await nodes.ask("eth_x", [])).toBe("eth_x");
    nodes.close();
    await expect(open(["http://127.0.0.1:1/", "http://127.0.0.1:2/"])).rejects.toThrow(
      /^No node is left to ask\. 127\.0\.0\.1:1 .*127\.0\.0\.1:2 /,
    );
    await expect(open([])).rejects.toThrow(/set SOPRANO_RPC_URL/);
    await expect(open([one, "nonsense"])).rejects.toThrow(/^URL 2 of the 2 nodes is not valid/);
  });
});

describe("a rate limit", () => {
  it("is waited for as long as the node says, in seconds or until a date", async () => {
    for (const after of [() => "1", () => new Date(Date.now() + 1_500).toUTCString()]) {
      const asked: number[] = [];
      let allowed = 0;
      const url = await startServer(
        echo,
        exceptChainId((_, response) => {
          asked.push(Date.now());
          if (asked.length > 1) return false;
          const header = after();
          allowed = /^\d+$/.test(header) ? Date.now() + Number(header) * 1000 : Date.parse(header);
          return send(response, 429, "", { "retry-after": header });
        }),
      );
      const nodes = await open([url]);
      expect(await Promise.all([nodes.ask("eth_a", []), nodes.ask("eth_b", [])])).toEqual(["eth_a", "eth_b"]);
      // Timers may be early by a millisecond.
      const early = asked.slice(2).filter((time) => time < allowed - 2);
      expect(early).toEqual([]);
      nodes.close();
    }
  });

  it("of one node leaves the work to the others", async () => {
    const limited = await startServer(
      echo,
      exceptChainId((_, response) => send(response, 429, "", { "retry-after": "7200" })),
    );
    const nodes = await open([limited, await startServer(echo)]);
    expect(await Promise.all(Array.from({ length: 20 }, (_, index) => nodes.ask(`eth_${index}`, [])))).toHaveLength(20);
    nodes.close();
  });

  it("ends the reading of logs too when another call is told of a long pause", async () => {
    const told = Promise.withResolvers<void>();
    const limited = await startServer(
      async ({ method }) => {
        // The head is known only once the node wants to be left alone.
        if (method === "eth_blockNumber") await told.promise;
        return { result: method === "eth_chainId" ? "0x1" : "0xffff" };
      },
      (body, response) =>
        !Array.isArray(body) && body.method === "eth_call" && send(response, 429, "", { "retry-after": "7200" }),
    );
    const nodes = await open([limited]);
    const read = nodeLogs(nodes).read(
      { address: `0x${"ab".repeat(20)}`, topics: [] },
      [{ from: 0, to: 9 }],
      (logs) => logs,
      async () => {},
    );
    const outcome = expect(read).rejects.toThrow(new RegExp(`^${HOST} takes no more requests for 1\\d\\d minutes`));
    await expect(nodes.ask("eth_call", [])).rejects.toThrow("takes no more requests");
    told.resolve();
    await outcome;
    nodes.close();
  });

  it("is given up at once where the pause is long, and after a while without success", async () => {
    const long = await startServer(
      echo,
      exceptChainId((_, response) => send(response, 429, "busy", { "retry-after": "7200" })),
    );
    const nodes = await open([long]);
    for (const call of [
      () => nodes.ask("eth_a", []),
      () =>
        nodes.askAll([
          { method: "eth_b", params: [] },
          { method: "eth_c", params: [] },
        ]),
    ]) {
      await expect(call).rejects.toThrow(
        new RegExp(
          `^${HOST} takes no more requests for 1\\d\\d minutes: busy \\(status 429\\)\\. Run this again later`,
        ),
      );
    }
    nodes.close();
    const busy = await startServer(
      echo,
      exceptChainId((_, response) => send(response, 429, "busy")),
    );
    const hopeless = await open([busy], { patience: { ...EAGER, hopelessAfterMs: 200 } });
    await expect(hopeless.ask("eth_a", [])).rejects.toThrow(
      new RegExp(`^${HOST} has refused every request of the last 1 second because there were too many`),
    );
    hopeless.close();
  });

  it("for the day ends the work, or leaves it to the others", async () => {
    const used: Responder = ({ method }) =>
      method === "eth_chainId"
        ? { result: "0x1" }
        : { error: { code: -32005, message: "daily request count exceeded, request rate limited" } };
    const nodes = await open([await startServer(used)]);
    await expect(nodes.ask("eth_a", [])).rejects.toThrow(
      new RegExp(
        `^${HOST} says that the quota of its plan is used up: daily request count exceeded, request rate limited \\(-32005\\)\\. Run this again when`,
      ),
    );
    nodes.close();
    const notices: string[] = [];
    const two = await open([await startServer(used), await startServer(echo)], {
      onNotice: (text) => notices.push(text),
    });
    expect(await two.askAll(Array.from({ length: 300 }, () => ({ method: "eth_a", params: [] })))).toHaveLength(300);
    expect(notices).toEqual([
      expect.stringMatching(/^Continuing without .*, which says that the quota of its plan is used up/),
    ]);
    two.close();
  });

  it("is found: requests slow down to what the node takes", async () => {
    // Takes 40 requests a second: a bucket of 8 that fills up.
    let [tokens, filledAt, refused, asked] = [8, performance.now(), 0, 0];
    const url = await startServer(
      echo,
      exceptChainId((_, response) => {
        const now = performance.now();
        tokens = Math.min(8, tokens + ((now - filledAt) * 40) / 1000);
        filledAt = now;
        asked++;
        if (tokens >= 1) {
          tokens--;
          return false;
        }
        refused++;
        return send(response, 429, "");
      }),
    );
    const nodes = await open([url]);
    const queue = Array.from({ length: 100 }, (_, index) => index);
    const work = async () => {
      while (queue.shift() !== undefined) await nodes.ask("eth_a", []);
    };
    await Promise.all([work(), work(), work(), work()]);
    expect(asked).toBe(100 + refused);
    // Without a rate that is found, most requests would be refused.
    expect(refused).toBeLessThan(40);
    nodes.close();
  });

  it("can be forced, and counts the calls of batches", async () => {
    const times: number[] = [];
    const url = await startServer(echo, (body) => {
      times.push(...[body].flat().map(() => performance.now()));
      return false;
    });
    const nodes = await open([url], { requestsPerSecond: 50 });
    await nodes.askAll(Array.from({ length: 60 }, () => ({ method: "eth_a", params: [] })));
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(900);
    nodes.close();
  });
});

describe("calls", () => {
  it("go on with another node, or later", async () => {
    const broken = await startServer(
      echo,
      exceptChainId((_, response) => send(response, 500, "")),
    );
    const nodes = await open([broken, await startServer(echo)]);
    for (let index = 0; index < 10; index++) expect(await nodes.ask(`eth_${index}`, [])).toBe(`eth_${index}`);
    expect(await nodes.ask("eth_a", [], { node: 1 })).toBe("eth_a");
    await expect(nodes.ask("eth_a", [], { node: 0, attempts: 2 })).rejects.toMatchObject({ kind: "garbled" });
    nodes.close();
  });

  it("tell what is wrong by a kind, without retries where they are useless", async () => {
    const asked: Record<string, number> = {};
    const url = await startServer(({ method }) => {
      asked[method] = (asked[method] ?? 0) + 1;
      const errors: Record<string, object> = {
        eth_reverts: { code: 3, message: "execution reverted", data: "0x08c379a0" },
        eth_unknown: { code: -32601, message: "method not found" },
        eth_pruned: { code: -32000, message: "missing trie node" },
        eth_invalid: { code: -32602, message: "too many arguments, want at most 2" },
        eth_strange: { code: -32000, message: "strange" },
      };
      return errors[method] ? { error: errors[method] } : { result: method === "eth_chainId" ? "0x1" : null };
    });
    const nodes = await open([url]);
    const kinds = {
      eth_reverts: "reverted",
      eth_unknown: "unknown-method",
      eth_pruned: "pruned",
      eth_invalid: "invalid",
      eth_strange: "refused",
    };
    for (const [method, kind] of Object.entries(kinds)) {
      await expect(nodes.ask(method, [])).rejects.toMatchObject({ name: "NodeFailure", kind });
      expect(asked[method]).toBe(kind === "refused" ? 4 : 1);
      await expect(
        nodes.askAll([
          { method, params: [] },
          { method, params: [] },
        ]),
      ).rejects.toMatchObject({ kind });
    }
    await expect(nodes.ask("eth_null", [], { accept: (result) => result !== null })).rejects.toThrow(
      /does not answer eth_null: it does not have it/,
    );
    expect(asked.eth_null).toBe(8);
    nodes.close();
  });

  it("in batches come back in order, whatever the server does with batches", async () => {
    const calls = Array.from({ length: 500 }, (_, index) => ({ method: `eth_${index}`, params: [index] }));
    const wanted = calls.map(({ method }) => method);
    const limit =
      (most: number): Interceptor =>
      (body, response) =>
        Array.isArray(body) &&
        body.length > most &&
        send(response, 200, JSON.stringify({ id: null, error: { code: -32600, message: "batch too large" } }));
    let fails = 30;
    const servers: [Responder, Interceptor?][] = [
      [echo],
      [echo, limit(0)],
      [echo, limit(7)],
      [echo, (body, response) => Array.isArray(body) && send(response, 400, "no batches")],
      [echo, (body, response) => Array.isArray(body) && body.length > 10 && send(response, 413, "")],
      // A list of one error instead of the answers.
      [
        echo,
        (body, response) =>
          Array.isArray(body) &&
          body.length > 20 &&
          send(response, 200, '[{"id":null,"error":{"code":-32600,"message":"too large"}}]'),
      ],
      // In another order.
      [
        echo,
        (body, response) =>
          Array.isArray(body) &&
          body.length > 1 &&
          send(response, 200, JSON.stringify(body.map(({ id, method }) => ({ id, result: method })).toReversed())),
      ],
      // Some calls fail once.
      [
        ({ method }) =>
          method !== "eth_chainId" && fails-- > 0
            ? { error: { code: -32603, message: "internal" } }
            : echo({ id: 0, method, params: [] }, undefined as never),
      ],
      // Some calls are one too many.
      [
        ({ method }) =>
          method !== "eth_chainId" && fails++ % 10 === 5
            ? { error: { code: 429, message: "too many requests" } }
            : echo({ id: 0, method, params: [] }, undefined as never),
      ],
    ];
    for (const [respond, intercept] of servers) {
      const nodes = await open([await startServer(respond, intercept)], { requestsPerSecond: 100_000 });
      expect(await nodes.askAll(calls)).toEqual(wanted);
      nodes.close();
    }
  });

  it("end when they are aborted, also in a pause", async () => {
    const url = await startServer(
      echo,
      exceptChainId((_, response) => send(response, 429, "", { "retry-after": "2" })),
    );
    const stop = new AbortController();
    const nodes = await open([url], { signal: stop.signal });
    const call = nodes.ask("eth_a", []);
    const failed = expect(call).rejects.toThrow("stopped by the user");
    await sleep(50);
    stop.abort(new Error("stopped by the user"));
    await failed;
    nodes.close();
  });

  it("of logs end, too, while the only node pauses", async () => {
    const url = await startServer(
      ({ method }) => ({ result: method === "eth_chainId" ? "0x1" : "0x64" }),
      (body, response) =>
        !Array.isArray(body) && body.method === "eth_getLogs" && send(response, 429, "", { "retry-after": "2" }),
    );
    const stop = new AbortController();
    const nodes = await open([url], { signal: stop.signal });
    const reading = nodeLogs(nodes).read(
      { address: "0x00", topics: [] },
      [{ from: 0, to: 99 }],
      (logs) => logs,
      async () => {},
    );
    const failed = expect(reading).rejects.toThrow("stopped by the user");
    await sleep(300);
    stop.abort(new Error("stopped by the user"));
    await failed;
    // Not only after the pause.
    expect(nodes.pauseOf(0)).toBeGreaterThan(0);
    nodes.close();
  });

  it("survive connections that the server closes between them", async () => {
    const url = await startServer(echo, (_, response) => {
      // Right after the answer, so that the next request finds the connection closed, or not yet.
      response.on("finish", () => setTimeout(() => response.socket?.destroy(), 1));
      return false;
    });
    const nodes = await open([url]);
    for (let index = 0; index < 30; index++) {
      expect(await nodes.ask("eth_a", [], { attempts: 1 })).toBe("eth_a");
      await sleep(index % 3);
    }
    nodes.close();
  });
});
