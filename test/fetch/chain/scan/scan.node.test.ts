/** Balances and codes of many addresses against a real node, in all ways. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Nodes } from "../../../../builder/fetch/chain/nodes/nodes.ts";
import { openNodes } from "../../../../builder/fetch/chain/nodes/open-nodes.ts";
import { readBalances, readCodes, StateUnavailable } from "../../../../builder/fetch/chain/scan/scan.ts";
import { callView } from "../../../../builder/fetch/chain/scan/views.ts";
import { type Anvil, hasAnvil, openAnvil, rpc } from "../anvil.ts";
import { creation, encode } from "../contracts.ts";
import { EAGER } from "../patience.ts";
import { startProxy } from "../proxy.ts";

const HIGHEST = 2n ** 256n - 1n;
const address = (number: number) => `0x${(0xabc0_0000_0000 + number).toString(16).padStart(40, "0")}`;
const bytesOf = (addresses: readonly string[]) => Buffer.from(addresses.map((one) => one.slice(2)).join(""), "hex");

const HOLDERS = 12_345;

describe.runIf(hasAnvil)("scan", () => {
  let anvil: Anvil;
  let token: string;
  let reverting: string;
  let block: number;

  beforeAll(async () => {
    anvil = await openAnvil({ hardfork: "prague" });
    token = await anvil.deploy(creation("Token", "Token", "TKN", 18));
    reverting = await anvil.deploy(creation("RevertingToken"));
    await anvil.mine();
    await anvil.send({ to: token, data: encode("Token", "mint", address(0), HIGHEST) });
    await anvil.mine();
    await anvil.send({ from: address(0), to: token, data: encode("Token", "burn", HIGHEST - 2n ** 200n) });
    for (let n = 1; n < 60; n++) {
      await anvil.send({ from: address(0), to: token, data: encode("Token", "transfer", address(n), BigInt(n) ** 9n) });
    }
    await anvil.send({ to: reverting, data: encode("RevertingToken", "mint", address(1), 7n) });
    await anvil.send({ to: reverting, data: encode("RevertingToken", "block_", address(2)) });
    block = await anvil.mine();
  });
  afterAll(() => anvil.stop());

  /** A node that has no state overrides, and one that has not even batches: calls that break a rule are refused. */
  async function limited(refuse: (call: { method: string; params: unknown[] }, body: string) => boolean) {
    const seen: string[] = [];
    const server = createServer(async (request, response) => {
      const body = await text(request);
      const calls = [JSON.parse(body)].flat() as { id: number; method: string; params: unknown[] }[];
      seen.push(...calls.map(({ method }) => method));
      if (calls.some((call) => refuse(call, body))) {
        const error = { code: -32000, message: "execution aborted" };
        response.end(JSON.stringify({ jsonrpc: "2.0", id: calls[0]!.id, error }));
        return;
      }
      const headers = { "content-type": "application/json" };
      const answer = await fetch(anvil.url, { method: "POST", headers, body });
      response.end(await answer.text());
    }).listen(0, "127.0.0.1");
    await new Promise((listening) => server.once("listening", listening));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
  }

  async function open(...urls: string[]): Promise<Nodes> {
    const nodes = await openNodes(urls, { patience: EAGER });
    onTestFinished(() => nodes.close());
    return nodes;
  }

  /** The same, one by one. */
  const balanceOf = async (contract: string, holder: string) =>
    BigInt(await anvil.call(contract, encode("Token", "balanceOf", holder), block));

  const isScan = ({ method, params }: { method: string; params: unknown[] }) =>
    method === "eth_call" && (params.length > 2 || !("to" in (params[0] as object)));

  const WAYS: [name: string, refuse: (call: { method: string; params: unknown[] }) => boolean][] = [
    ["a state override", () => false],
    ["a contract's creation", ({ method, params }) => method === "eth_call" && params.length > 2],
    ["batches, by hash", (call) => isScan(call)],
    ["batches, by number", (call) => isScan(call) || typeof call.params[1] === "object"],
  ];

  it.each(WAYS)("reads balances up to 2^256 - 1 by %s, and tells failures from 0", async (name, refuse) => {
    const at = await anvil.head();
    const { url, seen } = await limited(refuse);
    const nodes = await open(url);
    const holders = Array.from({ length: 80 }, (_, n) => address(n));
    const balances = await readBalances(nodes, token, bytesOf(holders), at);
    expect(balances).toEqual(await Promise.all(holders.map((holder) => balanceOf(token, holder))));
    expect(balances.filter((balance) => balance !== 0n)).toHaveLength(60);
    expect(await readBalances(nodes, token, bytesOf([address(0)]), 2)).toEqual([HIGHEST]);
    const odd = [address(1), address(2), address(3)];
    expect(await readBalances(nodes, reverting, bytesOf(odd), at)).toEqual([7n, undefined, 0n]);
    // Nobody's contract: 32 bytes are never returned.
    expect(await readBalances(nodes, address(5), bytesOf(odd), at)).toEqual([undefined, undefined, undefined]);
    // Several tokens at once. Anvil's batches fail with one that takes all the gas that it gets.
    const burner = name.startsWith("batches") ? address(5) : address(110);
    await anvil.setCode(address(110), "0xfe");
    const asked = [token, reverting, address(5), burner];
    const together = asked.map((contract) => readBalances(nodes, contract, bytesOf(odd), at));
    const nothing = [undefined, undefined, undefined];
    expect(await Promise.all(together)).toEqual([balances.slice(1, 4), [7n, undefined, 0n], nothing, nothing]);
    if (!name.startsWith("batches")) expect(seen.length).toBeLessThan(30);
  });

  it("finds how many balances a node reads in one call", async () => {
    const { url, seen } = await limited((_, body) => body.length > 20_000);
    const nodes = await open(url);
    const holders = Array.from({ length: HOLDERS }, (_, n) => address(n % 60));
    let done = 0;
    const onProgress = (count: number) => {
      done = count;
    };
    const balances = await readBalances(nodes, token, bytesOf(holders), block, { onProgress });
    const expected = await Promise.all(holders.slice(0, 60).map((holder) => balanceOf(token, holder)));
    expect(balances.every((balance, i) => balance === expected[i % 60])).toBe(true);
    expect(done).toBe(HOLDERS);
    expect(seen.length).toBeLessThan(100);
  });

  it("reads thousands of balances in a few calls, from several nodes at once", async () => {
    const [one, other] = await Promise.all([limited(() => false), limited(() => false)]);
    const nodes = await open(one.url, other.url);
    const holders = Array.from({ length: HOLDERS * 2 }, (_, n) => address(n % 61));
    const balances = await readBalances(nodes, token, bytesOf(holders), block);
    expect(new Set(balances).size).toBe(61);
    const calls = () => [...one.seen, ...other.seen].filter((method) => method === "eth_call").length;
    expect(calls()).toBe(5);
    // Three tokens at once, in one call.
    const few = holders.slice(0, 1_000);
    const three = await Promise.all([1, 2, 3].map(() => readBalances(nodes, token, bytesOf(few), block)));
    expect(three).toEqual(Array(3).fill(balances.slice(0, 1_000)));
    expect(calls()).toBe(6);
    expect(one.seen).toContain("eth_call");
    expect(other.seen).toContain("eth_call");
  });

  it.each(WAYS)("tells contracts from users by %s", async (_, refuse) => {
    const delegated = address(100);
    await anvil.setCode(delegated, `0xef0100${"12".repeat(20)}`);
    const short = address(101);
    await anvil.setCode(short, `0x${"60".repeat(23)}`);
    const tiny = address(102);
    await anvil.setCode(tiny, "0x00");
    const at = await anvil.mine();
    const { url } = await limited(refuse);
    const nodes = await open(url);
    const asked = [token, delegated, address(1), short, tiny, delegated, reverting];
    expect(await readCodes(nodes, bytesOf(asked), at)).toEqual([
      "contract",
      "none",
      "none",
      "contract",
      "contract",
      "none",
      "contract",
    ]);
    const many = Array.from({ length: 11_000 }, (_, n) => (n % 3 === 0 ? token : delegated));
    const codes = await readCodes(nodes, bytesOf(many), at);
    expect(codes.every((code, n) => code === (n % 3 === 0 ? "contract" : "none"))).toBe(true);
    // Before it was created.
    expect(await readCodes(nodes, bytesOf([token]), 0)).toEqual(["none"]);
  });

  it.each<[string, (call: { method: string; params: unknown[] }) => boolean, most: number]>([
    ["by a state override", () => false, 4],
    ["by a contract's creation", WAYS[1]![1], 12],
    ["one by one, by hash", WAYS[2]![1], 210],
    ["one by one, by number", WAYS[3]![1], 210],
  ])("calls many views %s", async (_, refuse, most) => {
    const { url, seen } = await limited(refuse);
    const nodes = await open(url);
    // Numbers, a text, what reverts, and what is no contract.
    const calls = [
      ...Array.from({ length: 150 }, (_, n) => ({ to: token, data: encode("Token", "balanceOf", address(n)) })),
      ...["decimals", "name", "totalSupply"].map((view) => ({ to: token, data: encode("Token", view) })),
      { to: reverting, data: encode("Token", "balanceOf", address(2)) },
      { to: token, data: "0x12345678" },
      { to: address(5), data: encode("Token", "decimals") },
    ];
    const answers = await Promise.all(calls.map((call) => callView(nodes, call, block)));
    const alone = calls.map(({ to, data }) => anvil.call(to, data, block).catch(() => "0x"));
    expect(answers).toEqual(await Promise.all(alone));
    expect(answers.slice(-3)).toEqual(["0x", "0x", "0x"]);
    expect(answers[151]).toContain(Buffer.from("Token").toString("hex"));
    expect(seen.filter((method) => method === "eth_call").length).toBeLessThanOrEqual(most);
  });

  it("calls the views of each block at that block", async () => {
    const nodes = await open((await limited(() => false)).url);
    const call = { to: token, data: encode("Token", "balanceOf", address(1)) };
    const answers = await Promise.all([2, 2, block, block].map((number) => callView(nodes, call, number)));
    expect(answers.map(BigInt)).toEqual([0n, 0n, 1n, 1n]);
  });

  it("takes no state of another block, whichever way it is read", async () => {
    for (const overrides of [true, false]) {
      const { url } = await startProxy(anvil.url, { stoppedAt: block - 1, overrides });
      const stopped = await open(url);
      const call = { to: token, data: encode("Token", "totalSupply") };
      const wrong = /answers for the wrong block: its state is of .*, but block \d+ is of /;
      await expect(readBalances(stopped, token, bytesOf([address(1)]), block)).rejects.toThrow(wrong);
      await expect(readCodes(stopped, bytesOf([token]), block)).rejects.toThrow(wrong);
      await expect(callView(stopped, call, block)).rejects.toThrow(wrong);
      expect(await readBalances(await open(url, anvil.url), token, bytesOf([address(1)]), block)).toEqual([1n]);
    }
  });

  it("says when no node has the state", async () => {
    const gone = (call: { method: string; params: unknown[] }) =>
      ["eth_call", "eth_getCode"].includes(call.method) && call.params[1] === `0x${block.toString(16)}`;
    const { url } = await limited(gone);
    const nodes = await open(url);
    await expect(readBalances(nodes, token, bytesOf([address(1)]), block)).rejects.toThrow(StateUnavailable);
    await expect(readCodes(nodes, bytesOf([address(1)]), block)).rejects.toThrow(StateUnavailable);
    const call = { to: token, data: encode("Token", "decimals") };
    const views = await Promise.allSettled([callView(nodes, call, block), callView(nodes, call, block)]);
    expect(views.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    // One of two is enough.
    const both = await open(url, anvil.url);
    expect(await readBalances(both, token, bytesOf([address(1)]), block)).toEqual([1n]);
    expect(await rpc(anvil.url, "eth_chainId")).toBe("0x1");
  });
});
