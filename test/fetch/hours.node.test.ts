/** Hour after hour: the files of the running day, and what they become when it is complete. */

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { streamTransfers } from "../../builder/fetch/transfer-file.ts";
import { transferFiles } from "../../builder/input/fetched.ts";
import { newFolder } from "../folders.ts";
import { hasAnvil } from "./chain/anvil.ts";
import { startProxy } from "./chain/proxy.ts";
import { Economy } from "./chain/scenario.ts";
import { EconomyFolder } from "./economy-folder.ts";
import { rowsOf } from "./logs.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;
const seconds = (text: string) => Date.parse(text) / 1000;
const hourOf = (time: number) => new Date(time * 1000).toISOString().slice(0, 13);
const dayOf = (time: number) => hourOf(time).slice(0, 10);

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

  const untilHour = (end: number) => ["--hours", "--until", hourOf(end - HOUR)];
  const untilDay = (end: number) => ["--until", dayOf(end - DAY)];

  async function fetched(folder: EconomyFolder, args: string[], node = url) {
    const { status, stderr } = await folder.fetch([node], ...args);
    expect({ status, stderr }, args.join(" ")).toEqual({ status: 0, stderr: "" });
  }

  /** The rows of all files, and what the economy did before a time. */
  function rows(folder: EconomyFolder, before: number) {
    const found = transferFiles(folder.record).flatMap(({ file }) =>
      [...streamTransfers(join(folder.inputs, file))].flatMap(rowsOf),
    );
    return { found, done: economy.rows.filter(({ time }) => time < before) };
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
      const hours = new Set(done.filter(({ time }) => time >= today).map(({ time }) => hourOf(time)));
      const names = transfersOf(hourly).filter((name) => name.includes("T"));
      expect(names).toEqual([...hours].map((hour) => `transfers/${hour}.parquet`));
      expect(hourly.record.asOf).toBe(`${hourOf(end)}:00:00Z`);
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

  it("compare only balances that have changed, and all of them once a day", async () => {
    const folder = new EconomyFolder(economy, parent);
    await fetched(folder, untilDay(START));
    const first = folder.record.check!;
    expect(first).not.toHaveProperty("since");
    await fetched(folder, untilHour(START + 6 * HOUR));
    // The check is of the last final block, which does not move here: nothing has changed since.
    expect(folder.record.check).toMatchObject({ since: first.block, holders: 0, of: first.of, block: first.block });
    await fetched(folder, ["--check", "all", ...untilHour(START + 7 * HOUR)]);
    expect(folder.record.check).toMatchObject({ holders: first.of });
    expect(folder.record.check).not.toHaveProperty("since");
    await fetched(folder, untilHour(START + DAY));
    expect(folder.record.check).not.toHaveProperty("since");
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
