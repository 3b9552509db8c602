/** A fetch that begins while its nodes are down, and the report of one that never began. */

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { NodesOptions } from "../../builder/fetch/chain/nodes/nodes.ts";
import { openNodes } from "../../builder/fetch/chain/nodes/open-nodes.ts";
import { sopranoIn } from "../commands/soprano.ts";
import { EAGER } from "./chain/patience.ts";
import { type Interceptor, send, startServer } from "./chain/rpc-server.ts";
import { FetchFolder } from "./fetching.ts";

const refusal = (code: number, message: string) =>
  JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } });

/** What nodes say that start again, or have nothing behind them. */
const DOWN: Record<string, Interceptor> = {
  "503 and a page": (_, response) => send(response, 503, "<html>Service Unavailable</html>"),
  "502 without a word": (_, response) => send(response, 502, ""),
  "500 and an error": (_, response) => send(response, 500, refusal(-32_000, "no backend")),
  "an error of its own": (_, response) => send(response, 200, refusal(-32_000, "starting")),
  "a connection that breaks": (_, response) => {
    response.destroy();
    return true;
  },
  nothing: () => true,
};

/** A node that is down for so many requests. */
function downFor(requests: number, how: Interceptor): Promise<string> {
  let left = requests;
  return startServer(
    () => ({ result: "0x1" }),
    (body, response, request) => left-- > 0 && how(body, response, request),
  );
}

async function open(urls: readonly string[], options: NodesOptions = {}) {
  const timeouts = { idle: 100, total: 200 };
  const nodes = await openNodes(urls, { patience: EAGER, timeouts, waits: true, ...options });
  onTestFinished(() => nodes.close());
  return nodes;
}

it.each(Object.entries(DOWN))("waits for a node that answers with %s", async (_, how) => {
  const notices: string[] = [];
  const url = await downFor(8, how);
  const nodes = await open([url], { onNotice: (text) => notices.push(text) });
  expect(nodes.chainId).toBe(1);
  expect(notices).toEqual([expect.stringMatching(/ Trying for up to 2 seconds\.$/)]);
});

it("waits for a node that nothing listens for yet, and for the first of two", async () => {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const url = `http://127.0.0.1:${port}`;
  const late = createServer((request, response) => {
    request.on("data", (body) => {
      response.end(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(`${body}`).id, result: "0x1" }));
    });
  });
  onTestFinished(() => void late.close());
  setTimeout(() => late.listen(port, "127.0.0.1"), 300);
  const nodes = await open([url, "http://127.0.0.1:1"]);
  expect([nodes.chainId, nodes.active]).toEqual([1, [0]]);
});

it("does not wait for what stays wrong, nor beside a node that answers, and ends", async () => {
  let asked = 0;
  const count = (how: Interceptor) =>
    downFor(1e9, (body, response, request) => {
      asked++;
      return how(body, response, request);
    });
  for (const [status, body] of [
    [404, "<html>"],
    [401, "bad key"],
    [301, ""],
  ] as const) {
    asked = 0;
    await expect(open([await count((_, response) => send(response, status, body))])).rejects.toThrow(
      `status ${status}`,
    );
    expect(asked).toBeLessThanOrEqual(4);
  }
  asked = 0;
  const nodes = await open([await count(DOWN["503 and a page"]!), await downFor(0, () => false)]);
  expect([nodes.active, asked <= 4]).toEqual([[1], true]);
  const patience = { ...EAGER, hopelessAfterMs: 100 };
  const never = await count(DOWN["503 and a page"]!);
  await expect(open([never], { patience })).rejects.toThrow(/does not answer eth_chainId: .*\(status 503\)/);
  asked = 0;
  await expect(open([never], { waits: false })).rejects.toThrow("status 503");
  expect(asked).toBe(3);
});

it("writes a report of every asset where no node can be used, or the command is refused", async () => {
  const url = await downFor(1e9, (_, response) => send(response, 401, "bad key"));
  const [one, two] = [0, 1].map((i) => new FetchFolder(`0x${"01".repeat(20)}`, {}, { symbol: `T${i}` }));
  const report = join(one!.path, "fetched.json");
  const summary = join(one!.path, "summary.md");
  const assets = [one!.asset, two!.asset];
  const fetch = (args: string[], urls = url) =>
    sopranoIn({ SOPRANO_RPC_URL: urls, GITHUB_STEP_SUMMARY: summary }, "fetch", ...args, "--report", report);
  const errors = () => {
    const { assets, counts } = JSON.parse(readFileSync(report, "utf8"));
    expect(counts).toMatchObject({ failed: assets.length });
    return assets.map(({ file, error }: { file: string; error: string }) => [file, error]);
  };
  expect((await fetch(assets)).status).toBe(1);
  const sentence = expect.stringContaining("refuses the key or the request: bad key");
  expect(errors()).toEqual(assets.map((file) => [file, sentence]));
  expect(readFileSync(summary, "utf8")).toContain("2 failed");
  expect((await fetch([one!.asset])).stderr).toContain("refuses the key");
  expect(errors()).toEqual([[one!.asset, sentence]]);
  await fetch(assets, "");
  expect(errors().map(([, error]: [string, string]) => error)).toEqual(Array(2).fill(expect.stringContaining("--rpc")));
  expect((await fetch([one!.asset, one!.asset])).stderr).toContain("is named twice");
  expect(errors()).toEqual([one!.asset, one!.asset].map((file) => [file, expect.stringContaining("is named twice")]));
  await fetch([one!.asset, "--until", "2020-01-01T05"]);
  expect(errors()).toEqual([[one!.asset, expect.stringContaining("names an hour")]]);
  await fetch([one!.asset, "https://node.example.com/KEY"]);
  expect(errors()).toEqual([[one!.asset, expect.stringContaining("--rpc")]]);
});

it("goes on as soon as its node does", async () => {
  const url = await downFor(5, DOWN["503 and a page"]!);
  const folder = new FetchFolder(`0x${"01".repeat(20)}`, { chainId: 7 });
  // It has connected, and found another chain.
  expect((await folder.fetch([url])).stderr).toContain('"chainId" is 7');
});
