/** Corrected prices of an asset whose inputs a bucket keeps: no machine undoes what another has said. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { bringInputs, saveInputs } from "../../../builder/fetch/kept/bucket.ts";
import { changeCorrections, listCorrections } from "../../../builder/fetch/kept/corrections.ts";
import { type Fetched, formatFetched } from "../../../builder/input/fetched/fetched.ts";
import { sha256Hex } from "../../../builder/store/stored-content.ts";
import { scratchFolder } from "../../folders.ts";
import { MemoryStore } from "../../store/memory-store.ts";

const source = { chainId: 1, firstBlock: 0, events: "erc20", labels: "none" } as const;
const TIMES = [1_772_373_600, 1_772_377_200] as const;

/** A machine with an asset, and with inputs of so many nights if there are any. */
function machine(nights = 0) {
  const folder = scratchFolder();
  const asset = { path: join(folder, "HUM.json"), symbol: "HUM", source };
  const inputs = join(folder, "inputs", "HUM");
  if (nights > 0) {
    mkdirSync(join(inputs, "transfers"), { recursive: true });
    writeFileSync(join(inputs, "prices.csv"), `prices ${nights}\n`);
    writeFileSync(join(inputs, "fetch.json"), formatFetched(recordOf(nights)));
  }
  const at = join(inputs, "corrections.csv");
  return {
    asset,
    inputs,
    prices: () => readFileSync(join(inputs, "prices.csv"), "utf8"),
    text: () => readFileSync(at, "utf8"),
  };
}

const recordOf = (nights: number): Fetched => ({
  schema: 2,
  chainId: 1,
  contract: `0x${"70".repeat(20)}`,
  terms: { events: "erc20" },
  asOf: new Date(Date.UTC(2026, 10, 1 + nights)).toISOString(),
  files: [],
  tables: { prices: sha256Hex(Buffer.from(`prices ${nights}\n`)) },
});

const said = (usd: number | null, time: number = TIMES[0]) => ({ time, usd, reason: `it is ${usd}` });
const night = async (store: MemoryStore, { inputs }: ReturnType<typeof machine>) => {
  const { inBucket, gaveWay } = await bringInputs(store, { symbol: "HUM" }, inputs);
  await saveInputs(store, "HUM", inputs, inBucket);
  return gaveWay;
};
const held = async (store: MemoryStore) =>
  (await listCorrections(machine().asset, store)).map(({ time, usd }) => [time, usd]);

it("goes to the bucket at once, and to other machines with their next fetch", async () => {
  const [store, laptop, server] = [new MemoryStore(), machine(), machine(1)];
  expect(await changeCorrections(laptop.asset, said(1), store)).toMatchObject({ isSaved: false });
  await night(store, server);
  expect(await changeCorrections(laptop.asset, said(1.02), store)).toMatchObject({ isSaved: true });
  expect(await night(store, server)).toEqual([]);
  expect(server.text()).toBe(laptop.text());
  // Nothing is new: nothing is written.
  const list = store.objects.get("inputs/HUM/inputs.json")!.etag;
  await night(store, server);
  expect(store.objects.get("inputs/HUM/inputs.json")!.etag).toBe(list);
});

it("what two machines have said is merged, and what was dropped does not come back", async () => {
  const [store, laptop, server] = [new MemoryStore(), machine(1), machine(1)];
  await night(store, server);
  await changeCorrections(server.asset, said(2));
  await changeCorrections(laptop.asset, said(3, TIMES[1]), store);
  await night(store, server);
  expect(await held(store)).toEqual([
    [TIMES[0], 2],
    [TIMES[1], 3],
  ]);
  await changeCorrections(server.asset, said(null), store);
  // The laptop still has the row, but from before.
  await night(store, laptop);
  await night(store, server);
  expect(await held(store)).toEqual([
    [TIMES[0], null],
    [TIMES[1], 3],
  ]);
});

it("what is said later counts, though a clock is late", async () => {
  const [store, laptop] = [new MemoryStore(), machine(1)];
  await changeCorrections(laptop.asset, said(1), store);
  vi.useFakeTimers({ now: Date.UTC(2020, 0, 1), toFake: ["Date"] });
  try {
    await changeCorrections(laptop.asset, said(2), store);
  } finally {
    vi.useRealTimers();
  }
  expect((await listCorrections(laptop.asset)).map(({ usd }) => usd)).toEqual([2]);
});

it("a save that another machine overtakes is merged and tried again", async () => {
  const [store, laptop, server] = [new MemoryStore(), machine(1), machine(1)];
  await night(store, server);
  const put = store.put.bind(store);
  let overtakes = 1;
  store.put = async (key, ...rest) => {
    if (key === "inputs/HUM/inputs.json" && overtakes-- > 0)
      await changeCorrections(server.asset, said(2, TIMES[1]), store);
    return put(key, ...rest);
  };
  await changeCorrections(laptop.asset, said(1), store);
  store.put = put;
  expect(await held(store)).toEqual([
    [TIMES[0], 1],
    [TIMES[1], 2],
  ]);
});

it("prices that were edited by hand give way to the bucket only with a word", async () => {
  const [store, server, laptop] = [new MemoryStore(), machine(2), machine(1)];
  await night(store, server);
  writeFileSync(join(laptop.inputs, "prices.csv"), "prices 1, but better\n");
  expect(await night(store, laptop)).toEqual(["prices.csv"]);
  expect(laptop.prices()).toBe("prices 2\n");
  // What an earlier fetch wrote is no work of anybody's.
  const untouched = machine(1);
  expect(await night(store, untouched)).toEqual([]);
});
