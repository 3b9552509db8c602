/** The check against made-up chains, whose nodes leave logs out or forget states. */

import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { BlockRange } from "../../../builder/fetch/chain/logs/pages.ts";
import { DEFAULT_PATIENCE } from "../../../builder/fetch/chain/nodes/nodes.ts";
import { openNodes } from "../../../builder/fetch/chain/nodes/open-nodes.ts";
import { readTransferLogs, rowsOf } from "../../../builder/fetch/check/causes/subject.ts";
import { checkFiles } from "../../../builder/fetch/check/compare-with-contract.ts";
import { checkEarly } from "../../../builder/fetch/check/early.ts";
import { checkAndMend, type MendOptions } from "../../../builder/fetch/check/mend.ts";
import type { TransferColumns } from "../../../builder/fetch/transfers/fetched-columns.ts";
import type { EventKind } from "../../../builder/input/asset/source.ts";
import type { FetchedFile } from "../../../builder/input/fetched/fetched.ts";
import { Failure } from "../../../builder/lib/failure.ts";
import { silentProgress } from "../../../builder/lib/terminal/progress.ts";
import { tries } from "../../effort.ts";
import { type FakeChain, fakeEconomy } from "../chain/fake-chain.ts";
import { type FakeNode, type FakeNodeOptions, startFakeNode } from "../chain/fake-node.ts";
import { columnsOf, ZERO } from "./transfers.ts";

/** Blocks of the chain, and the last one of the files. */
const HEAD = 3_000;
const LAST = 2_800;
const FIRST = 100;
/** Blocks of what stands for a page or a file. */
const PART = 300;

interface Fetched {
  nodes: FakeNode[];
  options: MendOptions;
  /** Ranges that were fetched again, and the nodes that were asked. */
  replaced: { what: string; nodes: readonly number[] }[];
}

/** Fetches from the first of some nodes what a check then looks at. */
async function fetchFrom(
  chain: FakeChain,
  nodeOptions: FakeNodeOptions[],
  more: Partial<MendOptions> = {},
  events: EventKind = "erc20",
): Promise<Fetched> {
  const nodes: FakeNode[] = [];
  for (const options of nodeOptions) nodes.push(await startFakeNode(chain, options));
  const opened = await openNodes(
    nodes.map(({ url }) => url),
    {
      requestsPerSecond: 10_000,
      patience: { ...DEFAULT_PATIENCE, firstPauseMs: 1 },
    },
  );
  onTestFinished(() => opened.close());
  const subject = { nodes: opened, source: { contract: chain.token.address, events } };
  const parts: { range: BlockRange; columns: TransferColumns[] }[] = [];
  const fetchPart = (range: BlockRange, of: readonly number[]) => readTransferLogs(subject, [range], { of });
  for (let from = FIRST; from <= LAST; from += PART) {
    const range = { from, to: Math.min(from + PART - 1, LAST) };
    parts.push({ range, columns: await fetchPart(range, [0]) });
  }
  const replaced: Fetched["replaced"] = [];
  const replace = async ({ from, to }: BlockRange, nodes: readonly number[]) => {
    for (const part of parts.filter(({ range }) => range.from <= to && range.to >= from)) {
      part.columns = await fetchPart(part.range, nodes);
    }
  };
  const replaceExactly = async (ranges: readonly BlockRange[], nodes: readonly number[]) => {
    for (const { from, to } of ranges) {
      const fresh = (await fetchPart({ from, to }, nodes)).flatMap((columns) => [...rowsOf(columns)]);
      for (const part of parts.filter(({ range }) => range.from <= to && range.to >= from)) {
        const kept = part.columns.flatMap((columns) => [...rowsOf(columns)]);
        const rows = [...kept.filter(({ block }) => block < from || block > to), ...fresh];
        part.columns = [columnsOf(rows.sort((a, b) => a.block - b.block || a.logIndex - b.logIndex))];
      }
    }
  };
  const options: MendOptions = {
    ...subject,
    range: { from: FIRST, to: LAST },
    async *transfers() {
      for (const { columns } of parts) yield* columns;
    },
    limit: 1_000_000,
    newFrom: FIRST,
    files: [],
    repair: false,
    progress: silentProgress(),
    async replacePages(ranges, nodes, isExact) {
      if (isExact) {
        await replaceExactly(ranges, nodes);
        return;
      }
      const touched = parts.filter(({ range }) => ranges.some(({ from, to }) => range.from <= to && range.to >= from));
      for (const { range } of touched) await replace(range, nodes);
      replaced.push(...ranges.map(({ from }) => ({ what: `${from}`, nodes })));
    },
    async replaceFile(file, nodes) {
      await replace(file, nodes);
      replaced.push({ what: file.file, nodes });
    },
    ...more,
  };
  return { nodes, options, replaced };
}

const economy = (more: Partial<Parameters<typeof fakeEconomy>[0]> = {}) =>
  fakeEconomy({ seed: 5, blocks: HEAD, firstBlock: FIRST, transfers: 2_000, holders: 150, ...more });

/** The index of a log that moves something, at or after a block. */
function logAfter(rows: ReturnType<typeof fakeEconomy>["rows"], block: number): number {
  return rows.findIndex(
    (row) => row.block >= block && row.value > 0n && row.from !== row.to && row.from !== ZERO && row.to !== ZERO,
  );
}

/** Keeps the states of final blocks and some before, or all. */
const MEMORY = [
  ["that has all states", {}],
  ["that forgets states", { states: 128 }],
] as const;

describe("checkFiles", () => {
  it("passes what is right, and counts the holders", async () => {
    const { chain } = economy();
    const { options } = await fetchFrom(chain, [{}]);
    const { check, notices, wrong } = await checkFiles(options);
    const owners = new Set<string>();
    for (let index = 0; index < 2_000; index++) owners.add(`0x${chain.log(index).topics[2]!.slice(26)}`);
    const holders = [...owners].filter((owner) => chain.balanceOf(owner, chain.finalized) > 0n);
    expect(check).toMatchObject({ status: "passed", block: chain.finalized, hash: chain.hashOf(chain.finalized) });
    expect([check.holders, check.of]).toEqual([holders.length, holders.length]);
    expect(check.supply).toBe(`${chain.totalSupply(chain.finalized)}`);
    expect(check.problems).toBeUndefined();
    expect([notices, wrong]).toEqual([[], []]);
  });

  it("compares a stated sample of more holders than the limit", async () => {
    const { options } = await fetchFrom(economy().chain, [{}], { limit: 20 });
    const { check, notices } = await checkFiles(options);
    expect(check.status).toBe("passed");
    expect(check.holders).toBe(20);
    expect(check.of).toBeGreaterThan(100);
    expect(notices).toEqual([
      expect.stringMatching(
        /a sample of 20 of 1\d\d holders is checked: the 10 largest and 10 drawn at random\. --check N/,
      ),
    ]);
  });

  it("continues at a new block when a state is gone, and asks again only what moved", async () => {
    // Blocks 2,936 (final) and later: two more final blocks each time.
    const { chain } = economy({ holders: 7_000, transfers: 20_000 });
    chain.head = 2_990;
    const { options, nodes } = await fetchFrom(chain, [{ states: 65 }]);
    const [node] = nodes as [FakeNode];
    const answer = node.answer.bind(node);
    const asked = new Map<number, string[]>();
    node.answer = (body) => {
      const call = JSON.parse(body);
      if (call.method !== "eth_call" || call.params.length < 3) return answer(body);
      const result = answer(body);
      if (!result.includes('"result"')) return result;
      const block = Number(call.params[1]);
      const [, ...owners] = call.params[0].data.slice(2).match(/.{40}/g) as string[];
      asked.set(block, [...(asked.get(block) ?? []), ...owners]);
      // The chain goes on after the first call that worked.
      chain.head = 2_995;
      return result;
    };
    const { check } = await checkFiles(options);
    expect(check.problems).toBeUndefined();
    expect(check).toMatchObject({ status: "passed", block: 2_931 });
    expect([...asked.keys()]).toEqual([2_926, 2_931]);
    const [all, owners] = [[...asked.values()].flat(), new Set([...asked.values()].flat())];
    // Whichever of the two calls came first: that of 5,000 addresses, or of the rest, which a few joined in 5 blocks.
    const first = asked.get(2_926)!.length;
    const rest = owners.size - 5_000;
    expect(first === 5_000 || (first <= rest && first > rest - 100)).toBe(true);
    expect(owners.size).toBeGreaterThan(6_000);
    // 5 blocks have some 35 transfers.
    expect(all.length - owners.size).toBeGreaterThan(0);
    expect(all.length - owners.size).toBeLessThan(100);
  });

  it("says when no node keeps states for long enough", async () => {
    const { options } = await fetchFrom(economy().chain, [{ states: 10 }]);
    await expect(checkFiles(options)).rejects.toThrow(
      /^No node \(127\.0\.0\.1:\d+\) keeps the state of block 2936 for long enough to check the balances\./,
    );
  });
});

describe("a log that a node left out", () => {
  it.each(MEMORY)("is found, named and mended from another node, by one %s", async (_, memory) => {
    const { chain, rows } = economy();
    const omitted = logAfter(rows, 1_500);
    const { block } = rows[omitted]!;
    const fetched = await fetchFrom(chain, [{ ...memory, omits: new Set([omitted]) }, memory]);
    const [host] = fetched.options.nodes.hosts;
    const { check, notices } = await checkAndMend(fetched.options);
    expect(check.problems).toBeUndefined();
    expect(check.status).toBe("passed");
    expect(fetched.replaced).toEqual([{ what: `${block}`, nodes: [1] }]);
    expect(notices).toEqual([
      `Block ${block}: ${host} left out 1 transfer. Fetched again from ${fetched.options.nodes.hosts[1]}.`,
    ]);
  });

  it.each(MEMORY)("is found also if there are many, by nodes %s", async (_, memory) => {
    const { chain, rows } = economy();
    const omits = new Set([300, 800, 801, 802, 1_300, 1_700].map((index) => logAfter(rows, rows[index]!.block)));
    const fetched = await fetchFrom(chain, [{ ...memory, omits }, memory]);
    const { check } = await checkAndMend(fetched.options);
    expect(check.problems).toBeUndefined();
    expect(fetched.replaced.every(({ nodes }) => nodes.join() === "1")).toBe(true);
  });

  it.each(MEMORY)(
    "is found if it is the only one of its receiver, so that only the supply differs, by one %s",
    async (_, memory) => {
      // More holders than transfers: many receive once.
      const { chain, rows } = economy({ holders: 5_000 });
      const counts = new Map<string, number>();
      for (const { from, to } of rows) for (const owner of [from, to]) counts.set(owner, (counts.get(owner) ?? 0) + 1);
      const omitted = rows.findIndex(({ block, from, to }) => block > 1_000 && from === ZERO && counts.get(to) === 1);
      const fetched = await fetchFrom(chain, [{ ...memory, omits: new Set([omitted]) }, memory]);
      const { check } = await checkAndMend(fetched.options);
      expect(check.problems).toBeUndefined();
      expect(fetched.replaced).toEqual([{ what: `${rows[omitted]!.block}`, nodes: [1] }]);

      const alone = await fetchFrom(chain, [{ ...memory, omits: new Set([omitted]) }]);
      const { problems } = (await checkAndMend(alone.options)).check;
      expect(problems!.at(-1)).toMatch(/^The supply is \d+ by the transfers, but totalSupply is \d+\.$/);
    },
  );

  it.each(MEMORY)(
    "is one of very many: in the end all is fetched from the other node, by nodes %s",
    async (_, memory) => {
      const { chain, rows } = economy();
      const omits = new Set(rows.flatMap(({ value }, index) => (value > 0n && index % 7 === 3 ? [index] : [])));
      const fetched = await fetchFrom(chain, [{ ...memory, omits }, memory]);
      const { check } = await checkAndMend(fetched.options);
      expect(check.problems).toBeUndefined();
      const all: number[] = [];
      for await (const { rows: count } of fetched.options.transfers()) all.push(count);
      expect(all.reduce((sum, count) => sum + count, 0)).toBe(rows.filter(({ block }) => block <= LAST).length);
    },
  );

  it("fails the check with one node, and says what differs", async () => {
    const { chain, rows } = economy();
    const omitted = logAfter(rows, 1_500);
    const { from, to } = rows[omitted]!;
    const fetched = await fetchFrom(chain, [{ states: 128, omits: new Set([omitted]) }]);
    const { check } = await checkAndMend(fetched.options);
    expect(check.status).toBe("failed");
    const [first, ...others] = check.problems!;
    expect(first).toMatch(
      /^The balances differ from the chain's: 127\.0\.0\.1:\d+ has left out logs, or .* Add an --rpc URL/,
    );
    for (const owner of [from, to]) {
      expect(others.join("\n")).toContain(`${owner}: `);
      expect(others.join("\n")).toContain(
        ` by its transfers, ${chain.balanceOf(owner, chain.finalized)} on the chain.`,
      );
    }
    expect(fetched.replaced).toEqual([]);
  });

  it("is found whatever nodes leave out, as long as each log is at one of them", async () => {
    const moving = (rows: ReturnType<typeof economy>["rows"]) =>
      rows.flatMap(({ block, value, from, to }, index) => (value > 0n && from !== to && block <= LAST ? [index] : []));
    const size = { transfers: 300, holders: 60 };
    const indexes = moving(economy(size).rows);
    const place = fc.record({ at: fc.nat(indexes.length - 1), node: fc.nat(1) });
    await fc.assert(
      fc.asyncProperty(fc.array(place, { minLength: 1, maxLength: 6 }), fc.boolean(), async (places, forgets) => {
        const { chain, rows } = economy(size);
        const owner = new Map(places.map(({ at, node }) => [indexes[at]!, node]));
        const memory = forgets ? { states: 128 } : {};
        const omits = (node: number) => new Set([...owner].filter(([, one]) => one === node).map(([index]) => index));
        const fetched = await fetchFrom(
          chain,
          [0, 1].map((node) => ({ ...memory, omits: omits(node) })),
        );
        const { check } = await checkAndMend(fetched.options);
        expect(check.problems).toBeUndefined();
        let count = 0;
        for await (const columns of fetched.options.transfers()) count += columns.rows;
        expect(count).toBe(rows.filter(({ block }) => block <= LAST).length);
      }),
      {
        numRuns: tries(5),
        examples: [
          [
            [
              { at: 15, node: 1 },
              { at: 14, node: 0 },
            ],
            false,
          ],
        ],
      },
    );
  });

  it("names both sides where the only node has old states", async () => {
    const { chain, rows } = economy();
    const omitted = logAfter(rows, 1_500);
    const { block, from, to, value } = rows[omitted]!;
    const fetched = await fetchFrom(chain, [{ omits: new Set([omitted]) }]);
    const { check } = await checkAndMend(fetched.options);
    expect(check.problems![0]).toBe(
      `In block ${block}, ${value} moved from ${from} to ${to}, but the logs of ${fetched.options.nodes.hosts[0]} don't say ` +
        "so: a log was left out. Add an --rpc URL of another provider and run soprano fetch again: it is then found and added.",
    );
  });

  it("above the files is read from another node", async () => {
    const { chain, rows } = economy();
    const omitted = logAfter(rows, LAST + 20);
    const fetched = await fetchFrom(chain, [{ omits: new Set([omitted]) }, {}], { tailNodes: [0] });
    const { check } = await checkAndMend(fetched.options);
    expect(check.status).toBe("passed");
    expect(fetched.replaced).toEqual([]);
  });

  it("in an older file is named, and replaced only with --repair", async () => {
    const { chain, rows } = economy();
    const omitted = logAfter(rows, 1_020);
    const file: FetchedFile = {
      file: "transfers/2020-01-01.parquet",
      from: 1_000,
      to: 1_299,
      lastHash: "",
      rows: 0,
      bytes: 0,
      sha256: "",
      source: "rpc",
    };
    const more = {
      files: [{ ...file, file: "transfers/2019-12.parquet", from: FIRST, to: 999 }, file],
      newFrom: 1_300,
    };
    const nodes = [{ omits: new Set([omitted]) }, {}];
    const refused = await fetchFrom(chain, nodes, more);
    const { check } = await checkAndMend(refused.options);
    expect(check.status).toBe("failed");
    expect(check.problems![0]).toBe(
      "transfers/2020-01-01.parquet is wrong. Run soprano fetch with --repair to fetch it again; the next build is then a full one.",
    );
    expect(check.problems![1]).toContain(
      `Block ${rows[omitted]!.block}: ${refused.options.nodes.hosts[0]} left out 1 transfer.`,
    );
    expect(refused.replaced).toEqual([]);

    const mended = await fetchFrom(chain, nodes, { ...more, repair: true });
    const outcome = await checkAndMend(mended.options);
    expect(outcome.check.status).toBe("passed");
    expect(mended.replaced).toEqual([{ what: "transfers/2020-01-01.parquet", nodes: [1] }]);

    // Each lacks another log of that file: it gets what both have.
    const other = logAfter(rows, 1_200);
    const both = await fetchFrom(chain, [{ omits: new Set([omitted]) }, { omits: new Set([other]) }], {
      ...more,
      repair: true,
    });
    const united = await checkAndMend(both.options);
    expect(united.check.problems).toBeUndefined();
    expect(both.replaced.at(-1)).toEqual({ what: "transfers/2020-01-01.parquet", nodes: [0, 1] });
  });
});

describe("tokens whose balances don't follow from their events", () => {
  /** Everybody gains one in a thousand at a block. */
  function rebasing(block: number) {
    const { chain } = economy();
    const plain = economy().chain;
    chain.balance = (owner, at) => {
      const balance = plain.balanceOf(owner, at);
      return at < block ? balance : balance + balance / 1_000n;
    };
    return chain;
  }

  /** Receivers get one in a hundred less, unless they go on to send it: the fake chain's balances must not be negative. */
  function withFee() {
    const { chain, rows } = economy({ holders: 2_500 });
    const plain = economy({ holders: 2_500 }).chain;
    const last = new Map(rows.flatMap((row) => [row.from, row.to].map((owner) => [owner, row] as const)));
    chain.balance = (owner, at) => {
      const row = last.get(owner);
      const balance = plain.balanceOf(owner, at);
      return row && row.to === owner && row.from !== ZERO && row.block <= at ? balance - row.value / 100n : balance;
    };
    return chain;
  }

  it("rebasing", async () => {
    const { options } = await fetchFrom(rebasing(2_000), [{}, {}]);
    const { check } = await checkFiles(options);
    expect(check.problems![0]).toMatch(
      /^The balance of 0x[0-9a-f]{40} changed in block 2000 without a transfer that says so: balances change without transfers in a rebasing token/,
    );
  });

  it("fees", async () => {
    const { options } = await fetchFrom(withFee(), [{}]);
    const { check } = await checkFiles(options);
    expect(check.problems![0]).toMatch(
      /^The balance of 0x[0-9a-f]{40} changed by -?\d+ in block \d+, but its transfers say -?\d+: receivers get less than the event says in a fee-on-transfer token/,
    );
  });

  it("without old states, all that nodes can be asked is the same", async () => {
    const { options } = await fetchFrom(rebasing(2_000), [{ states: 128 }, { states: 128 }]);
    const { check } = await checkFiles(options);
    expect(check.problems![0]).toMatch(/all nodes \(.*, .*\) give the same logs\. Either all of them lack some/);
  });

  describe("are told by the first pages", () => {
    const early = async (chain: FakeChain, nodes: FakeNodeOptions[], to = 600) => {
      const { options } = await fetchFrom(chain, nodes);
      const { transfers, nodes: opened, source } = options;
      const part = async function* () {
        for await (const columns of transfers()) if (columns.block[0]! <= to) yield columns;
      };
      await checkEarly({ nodes: opened, source, range: { from: FIRST, to: 699 }, transfers: part });
    };

    it("nothing is said of others, nor of logs that are missing", async () => {
      const { chain, rows } = economy();
      await early(chain, [{}]);
      await early(chain, [{ states: 200 }]);
      await early(chain, [{ states: 65 }]);
      await early(chain, [{ omits: new Set([logAfter(rows, 300)]) }, {}]);
    });

    it.each(MEMORY)("a fee, by a node %s", async (_, memory) => {
      const refused = early(withFee(), [memory]);
      await expect(refused).rejects.toThrow(Failure);
      await expect(refused).rejects.toThrow(/can't be fetched\. .* fee-on-transfer token/);
    });

    it("a rebase in the first pages", async () => {
      await expect(early(rebasing(400), [{}])).rejects.toThrow(/in block 400 without a transfer .* rebasing token/);
    });

    it("a rebase in the last blocks, from what ordinary nodes keep", async () => {
      await expect(early(rebasing(2_930), [{ states: 128 }])).rejects.toThrow(/in block 2930 without a transfer/);
    });

    it("balances from before the first event", async () => {
      const { chain, rows } = economy();
      const plain = economy().chain;
      const lucky = rows[0]!.to;
      chain.balance = (owner, at) => plain.balanceOf(owner, at) + (owner === lucky && at >= FIRST ? 1_000n : 0n);
      await expect(early(chain, [{}])).rejects.toThrow(
        new RegExp(`The balance of ${lucky} differs from block 100 on, .* "openingBalances" names`),
      );
    });
  });
});
