/** Nodes that hold a call: by a trickle, by silence, by refusing nine of ten requests. Every wait has an end. */

import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { rpcHeaders } from "../../../builder/commands/options.ts";
import { nodeLogs } from "../../../builder/fetch/chain/logs/node-logs.ts";
import { DEFAULT_PATIENCE } from "../../../builder/fetch/chain/nodes/nodes.ts";
import { openNodes } from "../../../builder/fetch/chain/nodes/open-nodes.ts";
import { Rate } from "../../../builder/fetch/chain/rpc/rate.ts";
import { fakeEconomy } from "./fake-chain.ts";
import { startFakeNode } from "./fake-node.ts";
import { startProxy } from "./proxy.ts";
import { startServer } from "./rpc-server.ts";

const PATIENCE = { ...DEFAULT_PATIENCE, firstPauseMs: 10, longestPauseMs: 100, hopelessAfterMs: 1_500 };
const TIMEOUTS = { idle: 5_000, total: 60_000, slow: { ms: 100, bytes: 100 } };

/** A node that answers by a byte a moment, from the second request on. */
async function trickling(everyMs: number): Promise<string> {
  let asked = 0;
  return startServer(
    () => ({ result: "0x1" }),
    (_, response) => {
      if (asked++ === 0) return false;
      response.writeHead(200, { "content-type": "application/json" });
      const timer = setInterval(() => response.write(" "), everyMs);
      response.on("close", () => clearInterval(timer));
      return true;
    },
  );
}

test("a byte a moment is less than the least rate: the call is tried again, and given up", async () => {
  const nodes = await openNodes([await trickling(20)], { timeouts: TIMEOUTS, patience: PATIENCE });
  onTestFinished(() => nodes.close());
  await expect(nodes.ask("eth_getBlockByNumber", ["0x1", false])).rejects.toThrow("no answer in time");
});

test("pages shrink no longer than the patience lasts", async () => {
  const { chain } = fakeEconomy({ blocks: 1_000, transfers: 300 });
  const node = await startFakeNode(chain);
  const honest = await openNodes([node.url], { patience: PATIENCE });
  onTestFinished(() => honest.close());
  const proxy = await startProxy(node.url, { silentAbove: 0 });
  const nodes = await openNodes([proxy.url], { timeouts: { ...TIMEOUTS, idle: 300 }, patience: PATIENCE });
  onTestFinished(() => nodes.close());
  const began = Date.now();
  const filter = { address: chain.token.address, topics: [] };
  const reading = nodeLogs(nodes).read(
    filter,
    [{ from: 0, to: 900 }],
    (logs) => logs,
    async () => {},
  );
  await expect(reading).rejects.toThrow(/No logs could be read from .* for .*, the last time those of block/);
  // It would take a minute to halve 20 blocks to one and to try that eight times.
  expect(Date.now() - began).toBeGreaterThanOrEqual(PATIENCE.hopelessAfterMs);
}, 30_000);

test("nine of ten requests refused by 429 still make progress", async () => {
  const { chain } = fakeEconomy({ blocks: 400, transfers: 100 });
  const node = await startFakeNode(chain, { maxBlocks: 50 });
  const proxy = await startProxy(node.url, { faults: ["429"], share: 0.9, inARow: 40 });
  const nodes = await openNodes([proxy.url], { patience: { ...PATIENCE, hopelessAfterMs: 60_000 } });
  onTestFinished(() => nodes.close());
  let read = 0;
  const filter = { address: chain.token.address, topics: [] };
  await nodeLogs(nodes).read(
    filter,
    [{ from: 0, to: 300 }],
    (logs) => logs,
    async (_, logs) => {
      read += logs.length;
    },
  );
  const { start, end } = chain.logsOf(0, 300);
  expect(read).toBe(end - start);
}, 60_000);

test("pauses grow with the time without a success, not with the number of refusals", () => {
  const rate = new Rate({ first: 500, longest: 30_000 });
  let now = 1_000_000;
  let requests = 0;
  for (const end = now + 240_000; now < end; requests++) {
    now += rate.reserve(now);
    rate.refused(now, now, undefined);
    now += rate.pause(now);
  }
  // One in ten gets through: hardly ever none of so many.
  expect(requests).toBeGreaterThan(60);
});

test("headers are sent to their host, and never shown", async () => {
  const seen: unknown[] = [];
  const url = await startServer(
    () => ({ error: { code: -32000, message: "no such key: Bearer s3cret-of-mine, s3cret-of-mine" } }),
    (_, __, request) => {
      seen.push(request.headers["x-api-key"]);
      return false;
    },
  );
  const headers = rpcHeaders({
    SOPRANO_RPC_HEADERS: JSON.stringify({ [new URL(url).host]: { "X-Api-Key": "Bearer s3cret-of-mine" } }),
  });
  const failure = await openNodes([url], { headers, patience: PATIENCE }).then(
    () => "",
    ({ message }) => message,
  );
  expect(seen[0]).toBe("Bearer s3cret-of-mine");
  expect(failure).toContain("no such key");
  expect(failure).not.toContain("s3cret");
  for (const wrong of [
    "no-json-s3cret",
    "[]",
    '{"host":"s3cret"}',
    '{"host":{"X":"s3\\ncret"}}',
    '{"host":{"a b":"s3cret"}}',
  ]) {
    const error = (() => {
      try {
        rpcHeaders({ SOPRANO_RPC_HEADERS: wrong });
        return "";
      } catch (thrown) {
        return (thrown as Error).message;
      }
    })();
    expect(error).toContain("SOPRANO_RPC_HEADERS must be JSON such as");
    expect(error).not.toContain("s3cret");
  }
});

afterEach(() => {
  delete process.env.HTTP_PROXY;
});

test("the proxy of the environment is used", async () => {
  const { chain } = fakeEconomy({ blocks: 100, transfers: 10 });
  const node = await startFakeNode(chain);
  const asked: string[] = [];
  const proxy = createServer((incoming, outgoing) => {
    asked.push(incoming.url!);
    const { method, headers } = incoming;
    incoming.pipe(
      forward(node.url, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      }),
    );
  }).listen(0, "127.0.0.1");
  await new Promise((listening) => proxy.once("listening", listening));
  onTestFinished(() => void proxy.close());
  process.env.HTTP_PROXY = `http://user:s3cret@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  // No resolver knows this host.
  const nodes = await openNodes(["http://node.invalid:8545/"]);
  onTestFinished(() => nodes.close());
  expect(nodes.chainId).toBe(1);
  expect(asked[0]).toContain("node.invalid:8545");
});
