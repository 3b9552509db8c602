/** Fetches that are stopped, and go on. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { run } from "../../builder/command-line.ts";
import { fakeEconomy } from "./chain/fake-chain.ts";
import { FakeNode } from "./chain/fake-node.ts";
import { FetchFolder } from "./fetching.ts";

it("stops at Ctrl+C after any request, keeps what it has, and ends with the same files", async () => {
  const { chain } = fakeEconomy({ blocks: 24 * 40, transfers: 500, interval: 3600, confirmations: 0 });
  const node = await new FakeNode(chain, { maxBlocks: 50 }).start();
  onTestFinished(() => node.stop());
  const whole = new FetchFolder(chain.token.address);
  expect(await whole.fetch([node.url])).toMatchObject({ status: 0 });
  const requests = node.requests;
  const folder = new FetchFolder(chain.token.address);
  const stderr: string[] = [];

  /** Presses Ctrl+C once the node has been asked so often. */
  async function fetchUntil(requests: number): Promise<number> {
    const { promise: interrupted, resolve: press } = Promise.withResolvers<void>();
    const before = node.requests;
    const watch = setInterval(() => {
      if (node.requests - before >= requests) press();
    }, 1);
    const sink = (into: string[]) =>
      new Writable({
        write(chunk, _, done) {
          into.push(`${chunk}`);
          done();
        },
      });
    try {
      const io = {
        stdout: sink([]),
        stderr: sink(stderr),
        env: { SOPRANO_RPC_URL: node.url },
        interrupted: () => interrupted,
      };
      return await run(["fetch", folder.asset], io);
    } finally {
      clearInterval(watch);
    }
  }

  let stops = 0;
  for (let asked = 2; (await fetchUntil(asked)) !== 0; asked += 4) {
    stops++;
    expect(stderr.at(-1)).toBe(
      "soprano: Stopped. Run the same command again: it continues from what it has fetched.\n",
    );
    expect(readdirSync(join(folder.inputs, ".part"))).not.toContain("lock");
    expect(folder.hasRecord).toBe(false);
  }
  expect(stops).toBeGreaterThan(2);
  expect(stops).toBeLessThan(requests);
  expect(folder.files()).toEqual(whole.files());
  expect(folder.record.files).toEqual(whole.record.files);
});

it("fetches no page twice after a stop but those that were in flight", async () => {
  const { chain } = fakeEconomy({ blocks: 24 * 40, transfers: 500, interval: 3600, confirmations: 0 });
  const node = await new FakeNode(chain, { maxBlocks: 50 }).start();
  onTestFinished(() => node.stop());
  const folder = new FetchFolder(chain.token.address);
  // The node loses its history after ten pages.
  let asked = 0;
  const prunedBefore = { get: () => (++asked > 10 ? 1e6 : 0), configurable: true };
  Object.defineProperty(node.options, "prunedBefore", prunedBefore);
  expect((await folder.fetch([node.url], "--check", "none")).status).toBe(1);
  const pages = readdirSync(join(folder.inputs, ".part", "transfers")).map((name) => name.match(/\d+/g)!.map(Number));
  expect(pages.length).toBeGreaterThan(0);
  delete node.options.prunedBefore;
  const again = node.ranges.length;
  expect((await folder.fetch([node.url], "--check", "none")).status).toBe(0);
  for (const { from, to } of node.ranges.slice(again)) {
    expect(pages.filter(([first, last]) => from <= last! && to >= first!)).toEqual([]);
  }
});
