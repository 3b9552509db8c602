/** Restatements worked out by hand: what the log of changes says of each. Real builds, to the local store. */

import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENGINE_VERSION } from "../../../builder/engine/formulas.ts";
import { rollback } from "../../../builder/published/builds/rollback.ts";
import { openLocalState } from "../../../builder/store/local/local.ts";
import type { ObjectStore } from "../../../builder/store/store.ts";
import { sha256Hex } from "../../../builder/store/stored-content.ts";
import type { ChangeEntry, SeriesChange } from "../../../data-schema/stored/changes.ts";
import { checkpointKey, namePart } from "../../../data-schema/stored/objects.ts";
import { runBuild, TokenFolder } from "../../build/checkpoint/nights.ts";
import { decoded, encoded } from "../../build/checkpoint/stored-checkpoint.ts";
import { CAROL, DAY, EARLY, LATE, PRICES, START, token } from "../../build/checkpoint/two-nights.ts";
import { newFolder } from "../../folders.ts";
import { publish } from "../../hostile/three-builds.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { unpack } from "../../store/unpacked.ts";
import { changeValue, manifestIn } from "../verify/published.ts";
import { entriesOf, slowComparison } from "./slow-comparison.ts";

const state = newFolder();
const folder = new TokenFolder(token, "TOK");
const asset = (asOf = "2024-02-05T00:00:00Z") => folder.asset({ asOf, resolutions: ["day"] });
const OLD = { engine: "0", build: "0".repeat(16) };

let entries: ChangeEntry[];

beforeAll(async () => {
  const { objects: store, close } = await openLocalState(state);
  folder.csv("transfers-1.csv", EARLY);
  folder.csv("transfers-2.csv", LATE);
  folder.prices(PRICES);
  await publishOfOldEngine(store);
  await runBuild(store, asset());
  folder.prices(PRICES.map(([t, usd], day) => [t, day === 2 ? 1.5 * usd : usd]));
  await runBuild(store, asset());
  folder.labels({ ...token, exchanges: { [CAROL]: "kraken" } });
  await runBuild(store, asset());
  folder.csv(
    "transfers-1.csv",
    EARLY.map((row, i) => (i === 1 ? { ...row, value: (3n * row.value) / 2n } : row)),
  );
  await runBuild(store, asset());
  const [, , , labelled, amended] = await entriesOf(store, "TOK");
  await rollback(store, "TOK", labelled!.build);
  await rollback(store, "TOK", amended!.build);
  await runBuild(store, asset("2024-02-06T00:00:00Z"));
  entries = await entriesOf(store, "TOK");
  for (const entry of entries) expect(entry.series).toEqual(await slowComparison(store, entry));
  await close();
});

afterAll(() => {
  folder.close();
  rmSync(state, { recursive: true, force: true });
});

/** Publishes a build whose engine counted twice the supply of day 3. */
async function publishOfOldEngine(store: ObjectStore): Promise<void> {
  const made = new MemoryStore();
  await runBuild(made, asset());
  await unpack(made);
  await changeValue(made, "TOK", { resolution: "day", metric: "supply", selector: "total" }, (v) => 2 * v);
  const manifest = manifestIn(made, "TOK");
  const { provenance, ...checkpoint } = decoded(
    made.objects.get(checkpointKey("TOK", manifest.checkpoint!.hash))!.bytes,
  );
  const bytes = encoded({ ...checkpoint, provenance: { ...provenance, engine: OLD.engine } });
  const hash = namePart(sha256Hex(bytes));
  await made.write(checkpointKey("TOK", hash), bytes);
  const objects = new Map([...made.objects].map(([key, { bytes }]) => [key, bytes]));
  await publish(store, { manifest: { ...manifest, ...OLD, checkpoint: { hash, size: bytes.length } }, objects });
}

const seriesOf = ({ series }: ChangeEntry, resolution: string, metric: string) =>
  series.find((one) => one.resolution === resolution && one.metric === metric);
const change = (first: number, points: number, more: Partial<SeriesChange> = {}) =>
  expect.objectContaining({ first, points, appeared: 0, disappeared: 0, ...more });

describe("the log of changes says of", () => {
  it("the first build nothing else", () => {
    expect(entries[0]).toMatchObject({ n: 1, previous: null, causes: [{ kind: "first-build" }], series: [] });
  });

  it("another engine which points it has changed", () => {
    const [, engine] = entries;
    expect(engine!.causes).toEqual([{ kind: "engine", now: ENGINE_VERSION, before: OLD.engine }]);
    expect(engine!.previousBuild).toBe(OLD.build);
    // Day 3, counted from 0, of six.
    const supply = { first: START + 3 * DAY, points: 1, appeared: 0, disappeared: 0, largest: 0.5 };
    expect(engine!.series).toEqual([{ resolution: "day", metric: "supply", ...supply }]);
  });

  it("the corrected price of one day, without transfers, which values it has changed", () => {
    const prices = entries[2]!;
    const months = [{ month: "2024-02", rows: 4, before: 4 }];
    expect(prices.causes).toEqual([{ kind: "prices", day: "2024-02-05", count: 1, months }]);
    expect(seriesOf(prices, "day", "price")).toEqual(change(START + 2 * DAY, 1, { largest: 0.5 }));
    // The week goes on, and January has ended.
    expect(prices.series.map(({ resolution, metric, first }) => [resolution, metric, first])).toEqual(
      ["unrealised_profit", "price", "market_cap"].map((metric) => ["day", metric, START + 2 * DAY]),
    );
  });

  it("another exchange's name that one has lost what the other has got", () => {
    const labels = entries[3]!;
    const first = { address: CAROL, now: "kraken", before: "binance" };
    expect(labels.causes).toEqual([{ kind: "labels", count: 1, first }]);
    // 30 tokens came on day 3 and 5 on day 4; 4 went on day 5.
    const both = { appeared: 2, disappeared: 2, largest: null };
    expect(seriesOf(labels, "day", "cex_inflow")).toEqual(change(START + 3 * DAY, 4, both));
    expect(seriesOf(labels, "day", "cex_outflow")).toMatchObject({ first: START + 5 * DAY, points: 2 });
    // What the exchanges have in all is the same, and so are its flows by cohort.
    expect(new Set(labels.series.map(({ metric }) => metric.replace("_dollar", "")))).toEqual(
      new Set(["cex_reserve", "cex_inflow", "cex_outflow"]),
    );
  });

  it("an amended transfer of an old month which month it is, and what follows from it", () => {
    const amended = entries[4]!;
    expect(amended.causes).toEqual([
      { kind: "files", count: 1, first: { problem: "changed", file: "transfers-1.csv" } },
      { kind: "transfers", count: 1, months: [{ month: "2024-01", rows: 2, before: 2 }] },
    ]);
    // 150 tokens instead of 100: of all, of users, and of the sender's value, balance, age and term.
    expect(seriesOf(amended, "day", "volume")).toEqual(change(START + DAY, 6, { largest: 0.5 }));
    expect(seriesOf(amended, "month", "volume")).toEqual(change(Date.UTC(2024, 0) / 1000, 6, { largest: 0.5 }));
    expect(seriesOf(amended, "day", "num_transfers")).toBeUndefined();
  });

  it("a rollback the same points, from the other side; and of the way back what it said before", () => {
    const [amended, back, forth] = entries.slice(4) as [ChangeEntry, ChangeEntry, ChangeEntry];
    for (const { causes } of [back, forth]) expect(causes).toEqual([{ kind: "rollback" }]);
    expect([back.build, back.previousBuild]).toEqual([amended.previousBuild, amended.build]);
    expect(seriesOf(back, "day", "volume")).toEqual(change(START + DAY, 6, { largest: 1 / 3 }));
    const mirrored = amended.series.map((one) => ({ ...one, appeared: one.disappeared, disappeared: one.appeared }));
    expect(back.series.map((one) => ({ ...one, largest: null }))).toEqual(
      mirrored.map((one) => ({ ...one, largest: null })),
    );
    expect(forth.series).toEqual(amended.series);
    expect([forth.n, forth.previous]).toEqual([back.n + 1, back.n]);
  });

  it("a night that it changed nothing", () => {
    expect(entries.at(-1)).toMatchObject({
      causes: [{ kind: "new-events", from: "2024-02-05T00:00:00.000Z" }],
      series: [],
      uncompared: 0,
    });
  });
});

it("a night of which a price came late changes the hours after its checkpoint, and none before", async () => {
  const late = new TokenFolder(token, "LATE");
  const store = new MemoryStore();
  const build = (asOf: string) => runBuild(store, late.asset({ asOf, resolutions: ["day", "hour"] }));
  late.csv("transfers-1.csv", EARLY);
  late.prices(PRICES);
  await build("2024-02-03T12:00:00Z");
  // At six, twice the price of that day.
  const six = START + 4 * DAY + 6 * 3_600;
  late.prices([...PRICES, [six, 2 * PRICES[4]![1]]].sort(([a], [b]) => a! - b!) as [number, number][]);
  await build("2024-02-04T00:00:00Z");
  late.close();
  const [, entry] = await entriesOf(store, "LATE");
  expect(entry!.causes).toEqual([{ kind: "new-events", from: "2024-02-03T00:00:00.000Z" }]);
  // From six to the last hour before noon. The day was not complete.
  expect(seriesOf(entry!, "hour", "price")).toEqual(change(six, 6, { largest: 1 }));
  expect(entry!.series.map(({ resolution }) => resolution)).not.toContain("day");
  expect(entry!.series).toEqual(await slowComparison(store, entry!));
});
