/** What verify says of lots beside a checkpoint that are not those of its addresses. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { TableEncoder, TableFile } from "../../../builder/lib/fixed-width-table.ts";
import { decodeSeries } from "../../../builder/published/objects/decode-series.ts";
import { lots } from "../../../builder/published/objects/lot-layout.ts";
import { lotsAtCheckpoint } from "../../../builder/published/verify/holders/lots-at-checkpoint.ts";
import { lotsByMetric } from "../../../builder/published/verify/lot-rules.ts";
import type { SeriesByMetric } from "../../../builder/published/verify/rules/series-columns.ts";
import { withParts } from "../../../builder/store/parts.ts";
import { sha256Hex } from "../../../builder/store/stored-content.ts";
import { listedLots, lotsKey, type Manifest } from "../../../data-schema/stored.ts";
import { joinBytes } from "../../../data-schema/text/bytes.ts";
import { activeManifest, runBuild, TokenFolder } from "../../build/checkpoint/nights.ts";
import { iso } from "../../build/checkpoint/random-nights.ts";
import { scratchFolder } from "../../folders.ts";
import { type Token, ZERO_ADDRESS } from "../../reference/reference.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { partIn } from "../../store/unpacked.ts";

const DAY = 86_400;
const BEGIN = Date.UTC(2024, 0, 1) / 1000;
const [ALICE, BOB, CAROL] = ["a1", "b0", "ca"].map((byte) => `0x${byte.repeat(20)}`) as [string, string, string];

const event = (day: number, from: string, to: string, value: bigint) => ({
  ...{ block: 100 + day, logIndex: 0, timestamp: BEGIN + day * DAY + 7_200, from, to, value },
});

/** Alice buys at 1, 2 and 3 dollars, and sends Bob what she bought first; Carol holds nothing in the end. */
const token: Token = {
  decimals: 2,
  maxSupply: "1000000",
  asOf: BEGIN + 6 * DAY,
  prices: [0, 1, 2].map((day) => [BEGIN + day * DAY, day + 1]),
  exchanges: {},
  contracts: [],
  transfers: [
    event(0, ZERO_ADDRESS, ALICE, 100n),
    event(1, ZERO_ADDRESS, ALICE, 200n),
    event(2, ZERO_ADDRESS, ALICE, 300n),
    event(3, ALICE, BOB, 100n),
    event(4, ZERO_ADDRESS, CAROL, 50n),
    event(5, CAROL, BOB, 50n),
  ],
};

type Table = ReturnType<TableFile<ReturnType<typeof lots>>["group"]>;

let store: MemoryStore;
let manifest: Manifest;
let days: SeriesByMetric;

beforeAll(async () => {
  store = new MemoryStore();
  const folder = new TokenFolder(token, "TOK");
  try {
    folder.prices(token.prices);
    folder.csv("transfers-1.csv", token.transfers);
    await runBuild(store, folder.asset({ asOf: iso(token.asOf), lots: ["fifo"] }));
  } finally {
    folder.close();
  }
  manifest = await activeManifest(store, "TOK");
  const { key } = [...listedLots(manifest)].find(({ resolution }) => resolution === "day")!;
  days = lotsByMetric(decodeSeries((await partIn(store, key))!.bytes));
});

/** Verifies what a table would be that has been changed. */
async function problemsWith(change: (table: Table) => void): Promise<string[]> {
  const before = manifest.checkpoint!.lots!.fifo!;
  const path = join(scratchFolder(), "lots.parquet");
  writeFileSync(path, (await partIn(store, lotsKey("TOK", "fifo", before.hash)))!.bytes);
  const file = new TableFile(path, (widthOf) => lots(widthOf("amount")! / 4));
  const encoder = new TableEncoder(file.layout);
  const pieces: Uint8Array[] = [];
  for (const group of file.read()) {
    change(group);
    pieces.push(...encoder.group(group.count, group));
  }
  const bytes = joinBytes([...pieces, ...encoder.end(file.entry)]);
  const sha256 = sha256Hex(bytes);
  const entry = { hash: sha256.slice(0, 32), size: bytes.length };
  await store.put(lotsKey("TOK", "fifo", entry.hash), bytes, { contentType: "", sha256 });
  const changed = { ...manifest, checkpoint: { ...manifest.checkpoint!, lots: { fifo: entry } } };
  const { checks, problems } = await lotsAtCheckpoint(withParts(store, changed), changed, new Map([["fifo", days]]));
  expect(checks).toBeGreaterThan(0);
  return problems.map((problem) => problem.replace(/^checkpoints\S+ /, ""));
}

// In the order of addresses: Alice's lots of 2 and 3 dollars, Bob's of 1 and 3.
describe("the lots beside a checkpoint", () => {
  it("are whole", async () => {
    expect(await problemsWith(({ price }) => expect([...price]).toEqual([2, 3, 3, 3]))).toEqual([]);
  });

  it.each<[title: string, change: (table: Table) => void, problem: RegExp]>([
    ["have another price", ({ price }) => price.set([4], 1), /^its lots add up to .*, but realised_cap is /],
    [
      "were bought an hour earlier",
      ({ hour }) => hour.set([hour[1]! - 1], 1),
      /^its lots add up to .*, but coin_days_held is /,
    ],
    ["are in another order", ({ hour }) => void hour.reverse(), /0xa1.* has lots that are not in their order\.$/],
    [
      "were bought later",
      ({ hour }) => hour.set([hour[1]! + 24 * 365], 1),
      /0xa1.* has a lot of a time or price that can't be\.$/,
    ],
    [
      "are more than the balance",
      ({ amount }) => amount.set([amount[amount.length / 4]! + 200], amount.length / 4),
      /0xa1.* has lots that are not its balance\.$/,
    ],
    ["are another address's", ({ holder }) => void holder.fill(0), /0xa1.* has lots that are not/],
    ["are nobody's", ({ holder }) => holder.set([9], 3), /^its row group 0 has lots of no address\.$/],
  ])("that %s", async (_, change, problem) => {
    expect((await problemsWith(change)).join("\n")).toMatch(new RegExp(problem, "m"));
  });
});
