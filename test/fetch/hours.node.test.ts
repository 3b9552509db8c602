/** Hour after hour: the files of the running day, and what they become when it is complete. */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { streamTransfers } from "../../builder/fetch/transfers/transfer-file.ts";
import { type FetchCheck, type Fetched, transferFiles } from "../../builder/input/fetched/fetched.ts";
import { DAY_SECONDS as DAY, HOUR_SECONDS as HOUR, isoDay, isoHour } from "../../data-schema/text.ts";
import { newFolder } from "../folders.ts";
import { hasAnvil, toHex } from "./chain/anvil.ts";
import { fakeEconomy } from "./chain/fake-chain.ts";
import { FakeNode } from "./chain/fake-node.ts";
import { startProxy } from "./chain/proxy.ts";
import { Economy } from "./chain/scenario.ts";
import { EconomyFolder } from "./economy-folder.ts";
import { FetchFolder } from "./fetching.ts";
import { rowsOf } from "./logs.ts";

const seconds = (text: string) => Date.parse(text) / 1000;

it("of an asset's first day are its first files, with opening balances", async () => {
  const { chain, rows: done } = fakeEconomy({ blocks: 24 * 40, transfers: 900, interval: HOUR, confirmations: 0 });
  const node = await new FakeNode(chain).start();
  onTestFinished(() => node.stop());
  const source = { openingBalances: "opening.csv" };
  const [hourly, daily] = [
    new FetchFolder(chain.token.address, source),
    new FetchFolder(chain.token.address, source),
  ] as const;
  for (const { path } of [hourly, daily]) {
    writeFileSync(join(path, "opening.csv"), `address,value\n0x${"ab".repeat(20)},5\n`);
  }
  const fetchBoth = async (head: number) => {
    chain.head = head;
    expect(await hourly.fetch([node.url], "--check", "none", "--hours")).toMatchObject({
      status: 0,
      stderr: expect.not.stringContaining("soprano:"),
    });
    await daily.fetch([node.url], "--check", "none");
  };
  // The first block is number 100, at an hour of its own.
  for (const head of [102, 103, 104, 107, 111, 116, 120, 122, 123]) {
    await fetchBoth(head);
    const rows = await hourly.rows();
    expect(rows[0]).toMatchObject({ block: 99, to: `0x${"ab".repeat(20)}`, value: 5n });
    expect(rows.slice(1).map(({ block, logIndex }) => ({ block, logIndex }))).toEqual(
      done.filter(({ block }) => block >= 100 && block < head).map(({ block, logIndex }) => ({ block, logIndex })),
    );
  }
  let days = 0;
  // The first and the last time at the end of a day.
  for (let head = 24 * 6; head < 100 + 24 * 35; head += 62) {
    await fetchBoth(head);
    if (!daily.hasRecord || hourly.record.hours) continue;
    expect(hourly.files()).toEqual(daily.files());
    expect(hourly.record).toEqual(daily.record);
    days++;
  }
  expect(days).toBeGreaterThan(1);
  expect(hourly.record.files[0]!.file).toMatch(/transfers\/\d{4}-\d\d(-\d\d)?\.parquet/);
});

describe.runIf(hasAnvil)("hours", () => {
  const parent = newFolder();
  let economy: Economy;
  let url: string;
  const START = seconds("2023-01-30");

  beforeAll(async () => {
    economy = await Economy.open({ seed: 4, blocksADay: 14 });
    await economy.live(14);
    await economy.finalize();
    url = economy.anvil.url;
  });
  afterAll(async () => {
    await economy?.close();
    rmSync(parent, { recursive: true });
  });

  const untilHour = (end: number) => ["--hours", "--until", isoHour(end - HOUR)];
  const untilDay = (end: number) => ["--until", isoDay(end - DAY)];

  async function fetched(folder: EconomyFolder, args: string[], node = url) {
    const { status, stderr } = await folder.fetch([node], ...args);
    expect({ status, stderr }, args.join(" ")).toEqual({ status: 0, stderr: "" });
  }

  /** The rows of all files, and what the economy did before a time. */
  function rows(folder: EconomyFolder, before: number, of = economy) {
    const found = transferFiles(folder.record).flatMap(({ file }) =>
      [...streamTransfers(join(folder.inputs, file))].flatMap(rowsOf),
    );
    return { found, done: of.rows.filter(({ time }) => time < before) };
  }

  const transfersOf = (folder: EconomyFolder) =>
    Object.keys(folder.digests()).filter((name) => /^transfers/.test(name));

  it("have a file each if they have rows, and end as the day's, with the bytes of a daily fetch", async () => {
    const [hourly, daily] = [new EconomyFolder(economy, parent), new EconomyFolder(economy, parent)];
    await fetched(daily, untilDay(START));
    for (let end = START + 5 * HOUR; end <= START + 2 * DAY; end += HOUR) {
      await fetched(hourly, untilHour(end));
      const { found, done } = rows(hourly, end);
      expect(found).toEqual(done);
      const today = Math.floor(end / DAY) * DAY;
      const hours = new Set(done.filter(({ time }) => time >= today).map(({ time }) => isoHour(time)));
      const names = transfersOf(hourly).filter((name) => name.includes("T"));
      expect(names).toEqual([...hours].map((hour) => `transfers/${hour}.parquet`));
      expect(hourly.record.asOf).toBe(`${isoHour(end)}:00:00Z`);
      expect(hourly.record.hours === undefined).toBe(end === today);
      if (end > today) continue;
      await fetched(daily, untilDay(end));
      expect(hourly.digests()).toEqual(daily.digests());
    }
    expect(readFileSync(join(hourly.inputs, "contracts.csv"), "utf8")).toContain("2023-01-30");
  });

  it("may be left out, for days or for ever", async () => {
    const [hourly, daily] = [new EconomyFolder(economy, parent), new EconomyFolder(economy, parent)];
    await fetched(daily, untilDay(START));
    await fetched(hourly, untilDay(START));
    await fetched(hourly, untilHour(START + 15 * HOUR));
    const before = hourly.digests();
    // A daily fetch has nothing to do until the day is complete.
    await fetched(hourly, untilDay(START));
    expect(hourly.digests()).toEqual(before);
    await fetched(hourly, untilHour(START + 2 * DAY + 7 * HOUR));
    await fetched(daily, untilDay(START + 2 * DAY));
    const days = (folder: EconomyFolder) =>
      Object.entries(folder.digests()).filter(([name]) => /^transfers\/[\d-]+\.parquet$/.test(name));
    expect(days(hourly)).toEqual(days(daily));
    await fetched(hourly, untilDay(START + 3 * DAY));
    await fetched(daily, untilDay(START + 3 * DAY));
    expect(hourly.digests()).toEqual(daily.digests());
  });

  it("are fetched again by --repair", async () => {
    const [folder, whole] = [new EconomyFolder(economy, parent), new EconomyFolder(economy, parent)];
    for (const one of [folder, whole]) await fetched(one, untilHour(START + 20 * HOUR));
    const { file } = folder.record.hours!.files[0]!;
    rmSync(join(folder.inputs, file));
    const refused = await folder.fetch([url], ...untilHour(START + 21 * HOUR));
    expect(refused).toMatchObject({ status: 1 });
    expect(refused.stderr).toContain(`${file} is missing`);
    const repaired = await folder.fetch([url], "--repair", ...untilHour(START + 20 * HOUR));
    expect(repaired, repaired.stderr).toMatchObject({ status: 0 });
    expect(folder.digests()).toEqual(whole.digests());
  });

  it("ask the nodes for the new blocks alone", async () => {
    const folder = new EconomyFolder(economy, parent);
    await fetched(folder, untilHour(START + 10 * HOUR));
    const { to } = folder.record.hours!;
    const proxy = await startProxy(url);
    await fetched(folder, untilHour(START + 11 * HOUR), proxy.url);
    expect(Math.min(...proxy.ranges(economy.token).map(({ from }) => from))).toBe(to + 1);
    const all = await startProxy(url);
    await fetched(folder, untilHour(START + DAY), all.url);
    // The rows of hours that are there already go to the day's file.
    expect(Math.min(...all.ranges(economy.token).map(({ from }) => from))).toBeGreaterThan(to);
  });

  describe("of a chain that goes on", () => {
    const NEW_CODE = "0x00000000000000000000000000000000c0de0001";
    let alive: Economy;

    beforeAll(async () => {
      alive = await Economy.open({ seed: 5 });
      await alive.live(3);
      await alive.payMany(1_000);
      await nextDay();
    });
    afterAll(() => alive?.close());

    async function nextDay(): Promise<void> {
      alive.today = (Math.floor(alive.anvil.time / DAY) + 1) * DAY;
      await alive.finalize();
    }

    /** Pays somebody, and ends the hour. */
    async function nextHour(to: string, value?: bigint): Promise<void> {
      await alive.pay(to, value);
      await alive.anvil.mine((Math.floor(alive.anvil.time / HOUR) + 1) * HOUR + 12, 4);
    }

    it("compare what has changed, and decide what is a contract when the day is complete", async () => {
      const [hourly, daily] = [new EconomyFolder(alive, parent), new EconomyFolder(alive, parent)];
      for (const one of [hourly, daily]) await fetched(one, [], alive.anvil.url);
      let since = hourly.record.check!.block;
      for (let hour = 0; ; hour++) {
        await nextHour(hour < 3 ? NEW_CODE : `0x${String(hour).padStart(40, "0")}`);
        await fetched(hourly, ["--hours", ...(hour === 5 ? ["--check", "all"] : [])], alive.anvil.url);
        const { check, hours } = hourly.record as Fetched & { check: FetchCheck };
        if (!hours) break;
        expect(hours.files).toHaveLength(hour + 1);
        const holders = [...alive.balances().values()].filter((balance) => balance !== 0n).length;
        // Who pays and who is paid.
        const compared = hour === 5 ? { holders } : { holders: 2, since };
        expect(check).toMatchObject({ status: "passed", of: holders, ...compared });
        since = check.block;
        expect(readFileSync(join(hourly.inputs, "contracts.csv"), "utf8")).not.toContain(NEW_CODE);
        if (hour === 1) await alive.anvil.setCode(NEW_CODE, "0x6001");
      }
      await fetched(daily, [], alive.anvil.url);
      expect(hourly.digests()).toEqual(daily.digests());
      expect(readFileSync(join(hourly.inputs, "contracts.csv"), "utf8")).toContain(NEW_CODE);
      expect(hourly.record.check).not.toHaveProperty("since");
    });

    /** A node that leaves out the newest log of the token. */
    function forgetful() {
      const { block } = alive.rows.at(-1)!;
      return startProxy(alive.anvil.url, {
        omits: (log) => log.address === alive.token && log.blockNumber === toHex(block),
      });
    }

    it("find the log that a node leaves out as soon as its parties move, or at the end of the day", async () => {
      const folders = [new EconomyFolder(alive, parent), new EconomyFolder(alive, parent)] as const;
      for (const folder of folders) await fetched(folder, [], alive.anvil.url);
      await nextHour(NEW_CODE, 3n);
      const node = await forgetful();
      // Nobody else has moved, so nobody is compared.
      for (const folder of folders) await fetched(folder, ["--hours"], node.url);
      expect(folders[0].record.hours!.files).toEqual([]);
      await nextHour(`0x${"7".repeat(40)}`);
      const found = await folders[0].fetch([alive.anvil.url], "--hours");
      expect(found).toMatchObject({ status: 1 });
      expect(found.stderr).toMatch(/transfers\/\S+T\*\.parquet is wrong\. Run soprano fetch with --repair/);
      expect(await folders[0].fetch([alive.anvil.url], "--hours", "--repair")).toMatchObject({ status: 0 });
      await nextDay();
      expect(await folders[1].fetch([alive.anvil.url])).toMatchObject({ status: 0 });
      expect(await folders[0].fetch([alive.anvil.url])).toMatchObject({ status: 0 });
      for (const folder of folders) expect(rows(folder, Number.POSITIVE_INFINITY, alive).found).toEqual(alive.rows);
    });

    it("find it at once where all are compared", async () => {
      const folder = new EconomyFolder(alive, parent);
      await fetched(folder, [], alive.anvil.url);
      await nextHour(NEW_CODE, 3n);
      const { status, stderr } = await folder.fetch([(await forgetful()).url], "--hours", "--check", "all");
      expect(status).toBe(1);
      expect(stderr).toContain(NEW_CODE);
      expect(folder.record.hours).toBeUndefined();
    });
  });

  it.each([
    [["--until", "2023-01-30T05"], "--until 2023-01-30T05 names an hour: add --hours, or name a day."],
    [
      ["--hours", "--until", "2023-01-30T25"],
      "It must be a day, such as 2026-11-20, or an hour, such as 2026-11-20T14.",
    ],
    [["--hours", "--until", "2023-02-03T07"], "The last hour that can be fetched is 2023-02-02T23."],
  ])("refuse %j", async (args, sentence) => {
    const folder = new EconomyFolder(economy, parent);
    const { status, stderr } = await folder.fetch([url], ...args);
    expect(status).toBeGreaterThan(0);
    expect(stderr).toContain(sentence);
  });
});
