/** Nights with checks, contracts and repairs over a made-up chain, and the builds that follow them. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startText } from "../../builder/build/finish/finished.ts";
import { build } from "../../builder/build/run/build.ts";
import { silentProgress } from "../../builder/lib/terminal/progress.ts";
import { formatVerification } from "../../builder/published/verify/verify.ts";
import { manifestIn, verifyIn } from "../published/verify/published.ts";
import { MemoryStore } from "../store/memory-store.ts";
import { fakeEconomy } from "./chain/fake-chain.ts";
import { startFakeNode } from "./chain/fake-node.ts";
import { FetchFolder } from "./fetching.ts";

const HOUR = 3600;
const ZERO = `0x${"0".repeat(40)}`;

/** 80 days of blocks, one an hour; most holders appear once or twice, so every day has new ones. */
const economy = () =>
  fakeEconomy({ blocks: 24 * 80, transfers: 2_000, holders: 6_000, interval: HOUR, confirmations: 10 });

const buildInto = (folder: FetchFolder, store: MemoryStore) =>
  build(folder.asset, store, { threads: 1, progress: silentProgress() });

it("new contracts don't cost a full build, and the build says what was checked", async () => {
  const { chain, rows } = economy();
  chain.head = 24 * 78 + 12;
  const { url } = await startFakeNode(chain);
  const folder = new FetchFolder(chain.token.address);
  const contracts = () => readFileSync(join(folder.inputs, "contracts.csv"), "utf8").trimEnd().split("\n").slice(1);

  expect((await folder.fetch([url])).stdout).toBe("FAKE --as-of 2020-03-19T00:00:00Z\n");
  const first = contracts();
  const store = new MemoryStore();
  expect(startText((await buildInto(folder, store)).start)).toMatch(/^full build/);

  chain.head = 24 * 79 + 12;
  expect((await folder.fetch([url])).stdout).toBe("FAKE --as-of 2020-03-20T00:00:00Z\n");
  const second = contracts();
  const moved = (from: number, to: number) =>
    new Set(
      rows
        .filter(
          ({ block, value, from: sender, to: receiver }) =>
            block >= from && block < to && value > 0n && sender !== receiver,
        )
        .flatMap(({ from, to }) => [from, to]),
    );
  const [before, added] = [moved(0, 24 * 78), moved(24 * 78, 24 * 79)];
  const fresh = [...added].filter((address) => !before.has(address) && chain.contracts.has(address)).sort();
  expect(fresh).not.toEqual([]);
  expect(first).toEqual(
    [...before]
      .filter((address) => chain.contracts.has(address))
      .sort()
      .map((a) => `${a},2020-03-18`),
  );
  expect(second).toEqual([...first, ...fresh.map((address) => `${address},2020-03-19`)]);
  expect(startText((await buildInto(folder, store)).start)).toMatch(/^resumed from 2020-03-19/);

  const holders = [...new Set([...before, ...added])].filter(
    (owner) => owner !== ZERO && chain.balanceOf(owner, chain.finalized) > 0n,
  );
  const { checked, build: id } = manifestIn(store, "FAKE");
  expect(checked).toMatchObject({ block: chain.finalized });
  // A few holders are of the hours after the files.
  expect(checked!.holders).toBe(checked!.of);
  expect(Math.abs(checked!.of - holders.length)).toBeLessThan(20);
  expect(formatVerification(await verifyIn(store, "FAKE"))).toContain(
    `equal the chain's at block ${chain.finalized.toLocaleString("en-US")}.`,
  );

  // The check is no part of the build's id.
  const { check: _, ...record } = folder.record;
  writeFileSync(join(folder.inputs, "fetch.json"), JSON.stringify(record));
  const other = new MemoryStore();
  await buildInto(folder, other);
  expect(manifestIn(other, "FAKE").checked).toBeUndefined();
  expect(manifestIn(other, "FAKE").build).toBe(id);
});

it("an older file that is wrong is named; the build is refused until --repair has replaced it, and is a full one then", async () => {
  const { chain, rows } = economy();
  chain.head = 24 * 78 + 12;
  const omitted = rows.findIndex(
    ({ block, value, from, to }) => block > 24 * 70 && value > 0n && from !== to && from !== ZERO && to !== ZERO,
  );
  const { block } = rows[omitted]!;
  const day = new Date(chain.timeOf(block) * 1000).toISOString().slice(0, 10);
  const [bad, good] = [await startFakeNode(chain, { omits: new Set([omitted]) }), await startFakeNode(chain)];
  const folder = new FetchFolder(chain.token.address);
  expect((await folder.fetch([bad.url], "--check", "none")).status).toBe(0);
  const store = new MemoryStore();
  await buildInto(folder, store);
  const before = folder.files();

  chain.head += 24;
  const refused = await folder.fetch([bad.url, good.url]);
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain(`transfers/${day}.parquet is wrong. Run soprano fetch with --repair`);
  expect(refused.stderr).toContain(`Block ${block}: 127.0.0.1:${new URL(bad.url).port} left out 1 transfer.`);
  expect(folder.files()).toEqual(before);
  expect(folder.record.check).toMatchObject({ status: "failed" });
  await expect(buildInto(folder, store)).rejects.toThrow(/check/);

  const repaired = await folder.fetch([bad.url, good.url], "--repair");
  expect(repaired.status, repaired.stderr).toBe(0);
  expect(folder.record.check).toMatchObject({ status: "passed" });
  const changed = Object.entries(folder.files()).filter(([name, bytes]) => !before[name]?.equals(bytes));
  expect(changed.map(([name]) => name)).toEqual([`${day}.parquet`, "2020-03-19.parquet"].sort());
  expect((await folder.rows()).filter((row) => row.block === block)).toEqual(rows.filter((row) => row.block === block));
  expect(startText((await buildInto(folder, store)).start)).toMatch(/^full build/);
});

it("nodes that leave out different logs of the same blocks mend each other", async () => {
  const { chain, rows } = economy();
  chain.head = 24 * 78 + 12;
  const movesAt = rows.flatMap(({ block, value, from, to }, index) =>
    block > 24 * 60 && value > 0n && from !== to && from !== ZERO && to !== ZERO ? [index] : [],
  );
  expect(movesAt.length).toBeGreaterThan(20);
  const omits = [0, 1].map((node) => new Set(movesAt.slice(0, 6).filter((_, i) => i % 2 === node)));
  const nodes = await Promise.all(omits.map((set) => startFakeNode(chain, { omits: set })));
  const folder = new FetchFolder(chain.token.address);
  const { status, stderr } = await folder.fetch(nodes.map(({ url }) => url));
  expect(status, stderr).toBe(0);
  const expected = rows.filter(({ block }) => block < 24 * 78);
  expect((await folder.rows()).length).toBe(expected.length);
  expect(await folder.rows()).toEqual(expected);
});
