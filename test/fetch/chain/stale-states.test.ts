/** States that are not of the block that was asked for. The headers of these nodes are healthy. */

import { describe, expect, it, onTestFinished } from "vitest";
import type { Nodes } from "../../../builder/fetch/chain/nodes/nodes.ts";
import { openNodes } from "../../../builder/fetch/chain/nodes/open-nodes.ts";
import { codeAt } from "../../../builder/fetch/chain/scan/creation.ts";
import { readBalances, readCodes } from "../../../builder/fetch/chain/scan/scan.ts";
import { callView } from "../../../builder/fetch/chain/scan/views.ts";
import { SELECTORS } from "../../../builder/fetch/chain/selectors.ts";
import { type FakeChain, fakeEconomy } from "./fake-chain.ts";
import { type FakeNodeOptions, startFakeNode } from "./fake-node.ts";
import { EAGER } from "./patience.ts";

const BLOCK = 700;
const STOPPED_AT = 500;

const economy = (options: { interval?: number } = {}) => fakeEconomy({ blocks: 1_000, transfers: 400, ...options });

async function open(chain: FakeChain, ...options: FakeNodeOptions[]): Promise<Nodes> {
  const started = await Promise.all(options.map((one) => startFakeNode(chain, one)));
  const nodes = await openNodes(
    started.map(({ url }) => url),
    { patience: EAGER },
  );
  onTestFinished(() => nodes.close());
  return nodes;
}

const holdersOf = (rows: readonly { to: string }[]) => [...new Set(rows.map(({ to }) => to))];
const bytesOf = (addresses: readonly string[]) => Buffer.from(addresses.map((one) => one.slice(2)).join(""), "hex");

/** All that is read of a state. */
const READS: Record<string, (nodes: Nodes, chain: FakeChain, holders: readonly string[]) => Promise<unknown>> = {
  balances: (nodes, { token }, holders) => readBalances(nodes, token.address, bytesOf(holders), BLOCK),
  "codes of many": (nodes, _, holders) => readCodes(nodes, bytesOf(holders), BLOCK),
  "the code of one": (nodes, { token }) => codeAt(nodes, token.address, BLOCK),
  "a view": (nodes, { token }) => callView(nodes, { to: token.address, data: SELECTORS["totalSupply()"] }, BLOCK),
};

/** What a node takes, from the best way on. */
const WAYS: Record<string, FakeNodeOptions> = {
  "with overrides": {},
  "without overrides": { overrides: false },
  "with hashes of blocks alone": { overrides: false, creations: false },
};

describe.each(Object.entries(WAYS))("a node %s", (_, way) => {
  it.each(Object.entries(READS))("that has stopped fails for %s, and says so", async (_, read) => {
    const { chain, rows } = economy();
    const holders = holdersOf(rows);
    const nodes = await open(chain, { ...way, stoppedAt: STOPPED_AT });
    const failure = await read(nodes, chain, holders).catch((error: Error) => error);
    expect(failure).toBeInstanceOf(Error);
    expect((failure as Error).message).toContain(nodes.hosts[0]);
    expect((failure as Error).message).toContain("answers for the wrong block");
    expect((failure as Error).message).toContain(`block ${BLOCK}`);
  });

  it.each(Object.entries(READS))("that has stopped is left to the others for %s", async (_, read) => {
    const { chain, rows } = economy();
    const holders = holdersOf(rows);
    const right = await read(await open(chain, way), chain, holders);
    const stopped = { ...way, stoppedAt: STOPPED_AT };
    expect(await read(await open(chain, stopped, way), chain, holders)).toEqual(right);
    expect(await read(await open(chain, way, stopped), chain, holders)).toEqual(right);
  });
});

const SEALED = Object.entries(WAYS).slice(0, 2);
const balancesOf = (nodes: Nodes, chain: FakeChain, rows: readonly { to: string }[]) =>
  READS.balances!(nodes, chain, holdersOf(rows));

it("names the time of the block that a node has answered for", async () => {
  const { chain, rows } = economy();
  const nodes = await open(chain, { stoppedAt: STOPPED_AT });
  const at = (block: number) => new Date(1000 * chain.timeOf(block)).toISOString().replace(".000Z", "Z");
  await expect(balancesOf(nodes, chain, rows)).rejects.toThrow(
    `${nodes.hosts[0]} answers for the wrong block: its state is of ${at(STOPPED_AT)}, but block ${BLOCK} is of ${at(BLOCK)}. `,
  );
});

describe.each(SEALED)("a node %s, of a chain with several blocks a second,", (_, way) => {
  it("shows by their numbers that it has stopped in the same second", async () => {
    const { chain, rows } = economy({ interval: 0.25 });
    const nodes = await open(chain, { ...way, stoppedAt: BLOCK - 1 });
    await expect(balancesOf(nodes, chain, rows)).rejects.toThrow(`block ${BLOCK} is of`);
    const within = await open(chain, { ...way, stoppedAt: BLOCK + 1 });
    const read = readBalances(within, chain.token.address, bytesOf(holdersOf(rows)), BLOCK + 2);
    await expect(read).rejects.toThrow(
      `its state is of block ${BLOCK + 1}, and not of block ${BLOCK + 2} of the same second`,
    );
  });
});

describe.each<[string, FakeNodeOptions]>([
  ["counts the blocks of another chain in NUMBER", { numberOf: (block) => 12 + (block >> 2) }],
  ["counts blocks that this chain does not have yet in NUMBER", { numberOf: (block) => 21_000_000 + block }],
  ["has no hashes of blocks in its calls", { parentHash: `0x${"0".repeat(64)}` }],
  ["has other hashes in its calls", { parentHash: `0x${"7".repeat(64)}` }],
])("a chain that %s", (_, options) => {
  it("is read, and the time tells blocks apart", async () => {
    const { chain, rows } = economy();
    const nodes = await open(chain, options);
    expect(await balancesOf(nodes, chain, rows)).toEqual(await balancesOf(await open(chain, {}), chain, rows));
    const stopped = await open(chain, { ...options, stoppedAt: STOPPED_AT });
    await expect(balancesOf(stopped, chain, rows)).rejects.toThrow("answers for the wrong block");
  });
});

it("finds a node on another fork by the hash before", async () => {
  const { chain, rows } = economy();
  const nodes = await open(chain, {}, { parentHash: `0x${"7".repeat(64)}` });
  const holders = bytesOf(holdersOf(rows));
  await readBalances(nodes, chain.token.address, holders, BLOCK, { node: 0 });
  const other = readBalances(nodes, chain.token.address, holders, BLOCK, { node: 1 });
  await expect(other).rejects.toThrow(`${nodes.hosts[1]} answers for the wrong block: it is on another fork`);
});
