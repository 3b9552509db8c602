/** Fetches from nodes whose logs and headers are whole, but whose states are wrong. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type FakeChain, fakeEconomy, type Row, word } from "./chain/fake-chain.ts";
import { type FakeNodeOptions, startFakeNode } from "./chain/fake-node.ts";
import { FetchFolder } from "./fetching.ts";

/** 10 days of blocks, one every hour; all are final. */
const HOURS = 24 * 10;
const economy = () => fakeEconomy({ blocks: HOURS, transfers: 300, holders: 40, interval: 3600, confirmations: 0 });

type Lies = NonNullable<FakeNodeOptions["lies"]>;

/** Says one unit more than is right to calls of a selector. */
const oneMore = (selector: string): Lies => ({
  call: (_, data, right) => (data.startsWith(selector) ? `0x${word(BigInt(right) + 1n)}` : right),
});

const WRONG: Record<string, FakeNodeOptions> = {
  "all balances": { lies: oneMore("0x70a08231") },
  "the balances of some": {
    lies: { call: (_, data, right) => (/^0x70a08231.*[0-3]$/.test(data) ? `0x${word(7)}` : right) },
  },
  "the supply": { lies: oneMore("0x18160ddd") },
  decimals: { lies: oneMore("0x313ce567") },
  "states of an earlier block": { stoppedAt: HOURS - 24 },
};

async function fetchFrom(chain: FakeChain, options: readonly FakeNodeOptions[]) {
  const nodes = [];
  for (const one of options) nodes.push(await startFakeNode(chain, one));
  const folder = new FetchFolder(chain.token.address);
  const outcome = await folder.fetch(nodes.map(({ url }) => url));
  return { folder, outcome, hosts: nodes.map(({ url }) => new URL(url).host) };
}

/** What is fetched of the chain: all rows, proven, and the right labels. */
async function checkAll(folder: FetchFolder, chain: FakeChain, rows: readonly Row[]) {
  expect(await folder.rows()).toEqual(rows.filter(({ block }) => block < HOURS));
  expect(folder.record.check).toMatchObject({ status: "passed", block: HOURS });
  const labels = readFileSync(join(folder.inputs, "contracts.csv"), "utf8").split("\n").slice(1, -1);
  const moved = new Set(
    rows.filter(({ value, from, to }) => value > 0n && from !== to).flatMap(({ from, to }) => [from, to]),
  );
  const contracts = [...moved].filter((address) => chain.hasCode(address));
  expect(labels.map((line) => line.slice(0, 42)).sort()).toEqual(contracts.sort());
}

const PLACES: Record<string, (wrong: FakeNodeOptions) => FakeNodeOptions[]> = {
  "the first of two": (wrong) => [wrong, {}],
  "the last of two": (wrong) => [{}, wrong],
  "the second of three": (wrong) => [{}, wrong, {}],
};

describe.each(Object.entries(WRONG))("a node with wrong states: %s", (_, wrong) => {
  it("alone, fails the fetch, and no option or other file is blamed for it", async () => {
    const { chain } = economy();
    const { outcome, hosts } = await fetchFrom(chain, [wrong]);
    expect(outcome.status).toBe(1);
    if (wrong.stoppedAt === undefined) return;
    expect(outcome.stderr).toContain(`${hosts[0]} answers for the wrong block: `);
    expect(outcome.stderr).toContain(`block ${HOURS}`);
    expect(outcome.stderr).not.toMatch(/firstBlock|openingBalances/);
  });

  it.each(Object.entries(PLACES))("%s, is left to the others", async (_, place) => {
    const { chain, rows } = economy();
    const { folder, outcome } = await fetchFrom(chain, place(wrong));
    expect([outcome.status, outcome.stderr]).toEqual([0, expect.any(String)]);
    await checkAll(folder, chain, rows);
  });
});

describe("a node with wrong codes", () => {
  const LIES: Lies[] = [{ code: () => "0x60" }, { code: () => "0x" }];

  it.each(LIES)("is left to two others", async (lies) => {
    for (const options of [
      [{ lies }, {}, {}],
      [{}, {}, { lies }],
    ]) {
      const { chain, rows } = economy();
      const { folder, outcome } = await fetchFrom(chain, options);
      expect([outcome.status, outcome.stderr]).toEqual([0, expect.any(String)]);
      await checkAll(folder, chain, rows);
    }
  });

  it.each(LIES)("labels nobody where another one contradicts it", async (lies) => {
    const { chain } = economy();
    const { folder, outcome, hosts } = await fetchFrom(chain, [{ lies }, {}]);
    expect([outcome.status, folder.hasRecord]).toEqual([1, false]);
    expect(outcome.stderr).toMatch(/The nodes contradict each other: the code of 0x[0-9a-f]{40} at block 240 is /);
    for (const host of hosts) expect(outcome.stderr).toContain(host);
  });
});

it("names a node that is left out, what it says, and who says otherwise", async () => {
  const { chain } = economy();
  const { outcome, hosts } = await fetchFrom(chain, [{ lies: oneMore("0x18160ddd") }, {}]);
  const supply = chain.totalSupply(HOURS);
  // The first one may not have been asked.
  if (!outcome.stderr.includes("Continuing")) return;
  expect(outcome.stderr).toContain(
    `Continuing without ${hosts[0]}, which gives wrong states: totalSupply at block ${HOURS} is ${supply + 1n} by it, ` +
      `but ${supply} by ${hosts[1]}, and the transfers.`,
  );
});

it("does not decide between two nodes where the transfers agree with neither", async () => {
  const { chain } = economy();
  const lies: Lies[] = [oneMore("0x70a08231"), { call: oneMore("0x70a08231").call! }];
  lies[1] = { call: (_, data, right) => (data.startsWith("0x70a08231") ? `0x${word(5)}` : right) };
  const { outcome } = await fetchFrom(chain, [{ lies: lies[0]! }, { lies: lies[1]! }]);
  expect(outcome.status).toBe(1);
  expect(outcome.stderr).toContain("The nodes contradict each other: the balance of 0x");
  expect(outcome.stderr).not.toMatch(/firstBlock|openingBalances|rebasing/);
});
