/** Chains whose last final block is far below the head, as those of the OP stack, by full nodes that keep 128 states. */

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sopranoIn } from "../commands/soprano.ts";
import { scratchFolder } from "../folders.ts";
import { type FakeChain, fakeEconomy } from "./chain/fake-chain.ts";
import { type FakeNode, type FakeNodeOptions, startFakeNode } from "./chain/fake-node.ts";
import { FetchFolder } from "./fetching.ts";

const FINALITY = 600;

/** Two days of blocks every two seconds, and transfers up to the head. */
const economy = (more: Partial<Parameters<typeof fakeEconomy>[0]> = {}) =>
  fakeEconomy({
    blocks: 87_500,
    interval: 2,
    confirmations: FINALITY,
    transfers: 500,
    holders: 40,
    firstBlock: 40_000,
    ...more,
  });

const FULL_NODE: FakeNodeOptions = { states: 128 };

async function setUp(options: FakeNodeOptions = FULL_NODE, more: Partial<Parameters<typeof fakeEconomy>[0]> = {}) {
  const { chain, rows } = economy(more);
  const node = await startFakeNode(chain, options);
  return { chain, rows, node, folder: new FetchFolder(chain.token.address, { firstBlock: 40_000 }) };
}

/** Lets something happen once a state above the last final block has been read. */
function onFirstState(chain: FakeChain, node: FakeNode, happen: () => void): void {
  const answer = node.answer.bind(node);
  let isDone = false;
  node.answer = (body) => {
    const result = answer(body);
    const { method, params } = JSON.parse(body);
    if (method === "eth_call" && Number(params[1]) > chain.finalized && result.includes('"result"') && !isDone) {
      isDone = true;
      happen();
    }
    return result;
  };
}

describe("a chain whose final blocks are older than the states of its nodes", () => {
  it("is fetched, and only final blocks are written", async () => {
    const { chain, rows, node, folder } = await setUp();
    expect(await folder.fetch([node.url])).toMatchObject({ status: 0 });
    const { files, check, asOf } = folder.record;
    const last = files.at(-1)!.to;
    expect(last).toBeLessThanOrEqual(chain.finalized);
    expect(check).toMatchObject({ status: "passed", final: chain.finalized, of: check!.holders });
    expect(chain.head - check!.block).toBeLessThan(128);
    expect(check!.hash).toBe(chain.hashOf(check!.block));
    const written = (await folder.rows()).map(({ block, logIndex }) => [block, logIndex]);
    const expected = rows.filter(({ time }) => time < Date.parse(asOf) / 1000);
    expect(written).toEqual(expected.map(({ block, logIndex }) => [block, logIndex]));

    // The next hour, too, by what has changed since.
    chain.head += 1_800;
    expect(await folder.fetch([node.url], "--hours")).toMatchObject({ status: 0 });
    expect(folder.record.check).toMatchObject({ status: "passed", final: chain.finalized });
  });

  it("gives the files of a node that keeps all states, and the same labels", async () => {
    const { chain, node, folder } = await setUp();
    const archive = await startFakeNode(chain);
    const other = new FetchFolder(chain.token.address, { firstBlock: 40_000 });
    await folder.fetch([node.url]);
    await other.fetch([archive.url]);
    expect(folder.files()).toEqual(other.files());
    expect(folder.record.tables).toEqual(other.record.tables);
    expect(other.record.check).not.toHaveProperty("final");
  });

  it("with --confirmations, where the chain does not say what is final", async () => {
    const stateGone = "Archive, Debug and Trace requests are not available on your current plan.";
    const { node, folder } = await setUp({ ...FULL_NODE, stateGone, finality: false });
    expect(await folder.fetch([node.url], "--confirmations", String(FINALITY))).toMatchObject({ status: 0 });
  });

  it("is compared again if its newest blocks were replaced meanwhile", async () => {
    const { chain, node, folder } = await setUp();
    const [lucky] = [...chain.contracts];
    let isForked = false;
    // The states are those of the fork that is left.
    chain.balance = (owner, block) => (owner === lucky && !isForked && block > chain.finalized ? 5n : undefined);
    onFirstState(chain, node, () => {
      isForked = true;
      chain.forkFrom(chain.finalized + 1);
    });
    expect(await folder.fetch([node.url])).toMatchObject({ status: 0 });
    const { check } = folder.record;
    expect(check!.hash).toBe(chain.hashOf(check!.block));
  });

  it("says what is needed if the newest blocks are replaced each time", async () => {
    const { chain, node, folder } = await setUp();
    const answer = node.answer.bind(node);
    node.answer = (body) => {
      const result = answer(body);
      const { method, params } = JSON.parse(body);
      const isNewest = method === "eth_getBlockByNumber" && Number(params[0]) > chain.finalized;
      if (isNewest)
        chain.forkFrom(chain.forkedFrom < Number.POSITIVE_INFINITY ? Number.POSITIVE_INFINITY : chain.finalized + 1);
      return result;
    };
    expect((await folder.fetch([node.url])).stderr).toMatch(
      /The newest blocks of 127\.0\.0\.1:\d+ were replaced each time .* keeps the states of final blocks\./,
    );
  });

  it("finds a log that was left out", async () => {
    const { chain, rows } = economy();
    const omitted = rows.findIndex(({ block, value }) => block > 50_000 && value > 0n);
    const node = await startFakeNode(chain, { ...FULL_NODE, omits: new Set([omitted]) });
    const folder = new FetchFolder(chain.token.address, { firstBlock: 40_000 });
    expect(await folder.fetch([node.url])).toMatchObject({ status: 1, stderr: expect.stringContaining("differ") });
    const sound = await startFakeNode(chain, FULL_NODE);
    expect(await folder.fetch([node.url, sound.url])).toMatchObject({ status: 0 });
  });

  it("has tokens for init, once the first block is named", async () => {
    const { chain, node } = await setUp();
    const out = scratchFolder();
    const args = ["init", chain.token.address, "--rpc", node.url, "--yes", "--prices", "none", "--out", out];
    expect((await sopranoIn({}, ...args)).stderr).toContain("give it with --first-block N.");
    const { status, stdout } = await sopranoIn({}, ...args, "--first-block", "40000");
    expect({ status, stdout }).toEqual({ status: 0, stdout: `${join(out, "FAKE.json")}\n` });
    expect((await sopranoIn({}, ...args, "--symbol", "B", "--first-block", "87300")).stderr).toContain(
      `Block 87300 is not final yet: the last final one is ${chain.finalized}.`,
    );
  });
});
