/** The largest transfers of each day, by an example that can be followed on paper, and what verify says of wrong ones. */

import { expect, it } from "vitest";
import { encodeLargeTransfers } from "../../../builder/build/stages/large-transfers.ts";
import { silentProgress } from "../../../builder/lib/terminal/progress.ts";
import type { SeriesByMetric } from "../../../builder/published/verify/rules/series-columns.ts";
import { transferProblems } from "../../../builder/published/verify/transfer-problems.ts";
import { verify } from "../../../builder/published/verify/verify.ts";
import { sha256Hex } from "../../../builder/store/stored-content.ts";
import type { MetricName } from "../../../data-schema/registry/metrics.ts";
import {
  decodeLargeTransfers,
  type KeptTransfer,
  transferAt,
} from "../../../data-schema/stored/large-transfer-rows.ts";
import { largeTransfersKey } from "../../../data-schema/stored/large-transfers.ts";
import type { Token } from "../../reference/reference.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { partIn, unpack } from "../../store/unpacked.ts";
import { activeManifest, runBuild, TokenFolder } from "../checkpoint/nights.ts";
import { iso } from "../checkpoint/random-nights.ts";
import { ALICE, BOB, CAROL, DAY, START, ZERO } from "../checkpoint/two-nights.ts";
import { publishedTransfers } from "./published-transfers.ts";

const HOUR = 3_600;

/** 30 and 31 January, and 1 February: before the first price, at 2 dollars, and at 1 and then 3. */
function example(): Token {
  const rows: [day: number, hour: number, from: string, to: string, value: bigint][] = [
    [0, 1, ZERO, ALICE, 1_000n],
    [0, 2, ALICE, BOB, 10n],
    [0, 3, ALICE, BOB, 30n],
    [1, 1, ALICE, CAROL, 5n],
    [1, 1, ALICE, BOB, 5n],
    [1, 2, ALICE, ALICE, 900n],
    [1, 3, ALICE, ZERO, 100n],
    [1, 4, BOB, CAROL, 20n],
    ...Array.from({ length: 22 }, (_, at) => [2, 1 + (at % 2), ALICE, at === 0 ? CAROL : BOB, 2n] as const).map(
      ([day, hour, ...others]): [number, number, string, string, bigint] => [day, hour, ...others],
    ),
    [2, 13, CAROL, BOB, 1n],
  ];
  const sorted = rows.toSorted(([a, x], [b, y]) => a - b || x - y);
  return {
    decimals: 0,
    maxSupply: "1000",
    asOf: START + 3 * DAY,
    transfers: sorted.map(([day, hour, from, to, value], logIndex) => {
      return { block: 100 * day + hour, logIndex, timestamp: START + day * DAY + hour * HOUR, from, to, value };
    }),
    prices: [
      [START + DAY, 2],
      [START + 2 * DAY, 1],
      [START + 2 * DAY + 12 * HOUR, 3],
    ],
    exchanges: { [BOB]: "binance" },
    contracts: [CAROL],
  };
}

/** What the series of the example say of its days. */
const days: SeriesByMetric = new Map(
  Object.entries({
    num_transfers: ["all", [2, 3, 23]],
    volume: ["total", [40, 30, 45]],
    volume_dollar: ["total", [0, 60, 47]],
  } as const).map(([metric, [selector, values]]) => {
    const t = Float64Array.from(values, (_, day) => START + day * DAY);
    return [metric as MetricName, new Map([[selector, { selector, t, v: Float64Array.from(values) }]])];
  }),
);

it("are 20 a day by dollars, before the first price by tokens, and equal ones by block and log index", async () => {
  const token = example();
  const folder = new TokenFolder(token, "TOK");
  const store = new MemoryStore();
  try {
    folder.prices(token.prices);
    folder.csv("transfers-1.csv", token.transfers.slice(0, 8));
    await runBuild(store, folder.asset({ asOf: iso(START + 2 * DAY) }));
    const first = (await activeManifest(store, "TOK")).transfers!.largest;
    folder.csv("transfers-2.csv", token.transfers.slice(8));
    const { start } = await runBuild(store, folder.asset({ asOf: iso(token.asOf) }));
    expect(start).toMatchObject({ from: START + 2 * DAY });
    const manifest = await activeManifest(store, "TOK");
    // A month that has ended keeps its object.
    expect(manifest.transfers!.largest).toEqual([...first, expect.objectContaining({ name: "2024-02" })]);
    const found = await publishedTransfers(store, manifest);
    expect(found.slice(0, 1)).toEqual([
      {
        t: START + 3 * HOUR,
        block: 3,
        log_index: 2,
        hash: null,
        from: ALICE,
        from_group: "users",
        from_label: null,
        to: BOB,
        to_group: "cex",
        to_label: "binance",
        tokens: 30,
        raw: "30",
        dollars: 0,
      },
    ]);
    const january = found.slice(0, 5).map(({ block, log_index, to_group, raw, dollars }) => {
      return [block, log_index, to_group, raw, dollars];
    });
    expect(january).toEqual([
      [3, 2, "cex", "30", 0],
      [2, 1, "cex", "10", 0],
      // 20 · 2, then 5 · 2 twice, in the order of their logs. Neither the burn nor what Alice sends herself is a transfer.
      [104, 7, "sc", "20", 40],
      [101, 3, "sc", "5", 10],
      [101, 4, "cex", "5", 10],
    ]);
    // One token at 3 dollars is worth more than two at 1; of the 22 that are worth 2, the last 3 are left out.
    const february = found.slice(5).map(({ log_index, dollars }) => [log_index, dollars]);
    expect(february).toEqual([[30, 3], ...Array.from({ length: 19 }, (_, at) => [8 + at, 2])]);

    expect((await verify(store, "TOK", silentProgress())).problems).toEqual([]);
    const whole = new MemoryStore();
    await runBuild(whole, folder.asset({ asOf: iso(token.asOf) }), { threads: 2 });
    expect((await activeManifest(whole, "TOK")).transfers).toEqual(manifest.transfers);

    // A calendar that changes, and nothing else: no transfer is read, and no object written.
    const withCalendar = (calendar: string) => folder.asset({ asOf: iso(token.asOf), calendar });
    folder.write("events.csv", "date,title,link\n2024-02-01,Listing,https://example.org\n2024-01-31T12:00Z,Unlock,\n");
    const noted = await runBuild(store, withCalendar("events.csv"));
    expect(noted).toMatchObject({
      start: { only: "calendar", beside: "the calendar has changed (2 events, were 0)" },
      replayed: 0,
      published: { written: 0 },
    });
    const events = [
      { t: START + DAY + 12 * HOUR, title: "Unlock" },
      { t: START + 2 * DAY, title: "Listing", link: "https://example.org" },
    ];
    const { inputs, build, ...same } = await activeManifest(store, "TOK");
    const { inputs: inputsBefore, build: buildBefore, ...before } = manifest;
    expect(same).toEqual({ ...before, events });
    expect(inputs).toHaveLength(inputsBefore.length + 1);
    expect(build).not.toBe(buildBefore);
    const anew = new MemoryStore();
    await runBuild(anew, withCalendar("events.csv"));
    expect(await activeManifest(anew, "TOK")).toEqual({ ...same, inputs, build });
    expect((await verify(store, "TOK", silentProgress())).problems).toEqual([]);
    folder.write("events.csv", "date,title\n2024-02-30,Listing\n");
    await expect(runBuild(store, withCalendar("events.csv"))).rejects.toThrow("events.csv, row 2, column date:");
    const { start: without } = await runBuild(store, folder.asset({ asOf: iso(token.asOf) }));
    expect(without).toEqual({ only: "calendar", beside: "the calendar has changed (0 events, were 2)" });
    expect(await activeManifest(store, "TOK")).toEqual(manifest);
    await unpack(store);

    // What verify says of a month in which something is wrong.
    const { name, hash } = manifest.transfers!.largest[1]!;
    const columns = decodeLargeTransfers((await partIn(store, largeTransfersKey("TOK", name, hash)))!.bytes);
    const rows = Array.from({ length: columns.rows }, (_, row) => transferAt(columns, row));
    const problems = async (changed: readonly KeptTransfer[], month = name) => {
      const bytes = Buffer.concat([...encodeLargeTransfers(changed, 1)]);
      const entry = { name: month, hash: sha256Hex(bytes).slice(0, 32), size: bytes.length };
      await store.put(largeTransfersKey("TOK", month, entry.hash), bytes, {
        contentType: "",
        sha256: sha256Hex(bytes),
      });
      const transfers = { largest: [manifest.transfers!.largest[0]!, entry] };
      const { problems } = await transferProblems(store, { ...manifest, transfers }, days);
      return problems.map((problem) => problem.replace(/^\S+: /, ""));
    };
    expect(await problems(rows)).toEqual([]);
    expect(await problems(rows.toReversed())).toEqual(["2024-02-01 is not sorted by dollars."]);
    expect(await problems(rows, "2024-03")).toEqual(["2024-02-01 is out of place."]);
    expect(await problems(rows.slice(1))).toEqual([
      "2024-02-01 has 19 transfers, but 20 of the 23 that num_transfers counts are expected.",
    ]);
    expect(await problems([{ ...rows[0]!, to: rows[0]!.from }, ...rows.slice(1)])).toEqual([
      "2024-02-01 has an event that is no transfer.",
    ]);
    expect(await problems([{ ...rows[0]!, raw: 30n }, ...rows.slice(1)])).toEqual([
      "2024-02-01: its transfers add up to 68 tokens, and all of that day to 45.",
      "2024-02-01: its transfers add up to 128 dollars, and all of that day to 47.",
    ]);
    const { largest } = manifest.transfers!;
    const lacking = await transferProblems(store, { ...manifest, transfers: { largest: largest.slice(0, 1) } }, days);
    expect(lacking.problems).toEqual(["The largest transfers of 2024-02-01 are missing: num_transfers counts 23."]);
    const damaged = { ...largest[1]!, hash: "0".repeat(32) };
    const lost = await transferProblems(store, { ...manifest, transfers: { largest: [largest[0]!, damaged] } }, days);
    expect(lost.problems).toEqual([expect.stringMatching(/ is missing, or shorter than the manifest says\.$/)]);
  } finally {
    folder.close();
  }
});
