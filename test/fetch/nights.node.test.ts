/** Night after night: what a fetch asks for, what it keeps, and what it refuses. */

import { appendFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { readPublished } from "../commands/published.ts";
import { soprano } from "../commands/soprano.ts";
import { newFolder } from "../folders.ts";
import { hasAnvil, toHex } from "./chain/anvil.ts";
import { startProxy } from "./chain/proxy.ts";
import { Economy } from "./chain/scenario.ts";
import { EconomyFolder } from "./economy-folder.ts";

/** An exchange's address that the economy does not use by itself. */
const ANOTHER_EXCHANGE = "0x00799bbc833d5b168f0410312d2a8fd9e0e3079c";

describe.runIf(hasAnvil)("nights", () => {
  const parent = newFolder();
  let economy: Economy;
  let folder: EconomyFolder;

  beforeEach(async () => {
    economy = await Economy.open({ seed: 3 });
    await economy.live(13);
    await economy.finalize();
    folder = new EconomyFolder(economy, parent);
  });
  afterEach(() => economy?.close());
  afterAll(() => rmSync(parent, { recursive: true, force: true }));

  const isFetched = async (...urls: string[]) => {
    const { status, stderr } = await folder.fetch(urls.length > 0 ? urls : [economy.anvil.url]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  };

  async function nextDay(): Promise<void> {
    await economy.live(1);
    await economy.finalize();
  }

  it("fetch only new blocks, leave old files as they are, and the build resumes", async () => {
    const persist = join(folder.path, "state");
    await isFetched();
    expect(await soprano("build", folder.asset, "--persist", persist, "--quiet")).toMatchObject({ status: 0 });
    const before = folder.digests();
    const last = folder.record.files.at(-1)!.to;

    const wallet = await economy.payNewWallet();
    await economy.pay(ANOTHER_EXCHANGE);
    await nextDay();
    const proxy = await startProxy(economy.anvil.url);
    await isFetched(proxy.url);
    expect(proxy.ranges(economy.token).length).toBeGreaterThan(0);
    expect(Math.min(...proxy.ranges(economy.token).map(({ from }) => from))).toBe(last + 1);
    const after = folder.digests();
    const transfers = Object.entries(before).filter(([name]) => name.startsWith("transfers/"));
    expect(after).toMatchObject(Object.fromEntries(transfers));
    expect(Object.keys(after).length).toBe(Object.keys(before).length + 1);
    expect(readFileSync(join(folder.inputs, "contracts.csv"), "utf8")).toContain(wallet);

    const built = await soprano("build", folder.asset, "--persist", persist);
    expect(built).toMatchObject({ status: 0 });
    expect(built.stderr).toMatch(/resumed from 2023-0/);

    // A build of all of it, in a folder of its own, gives the same.
    const other = new EconomyFolder(economy, parent);
    expect(await other.fetch([economy.anvil.url])).toMatchObject({ status: 0 });
    const whole = join(folder.path, "whole");
    expect(await soprano("build", other.asset, "--persist", whole, "--quiet")).toMatchObject({ status: 0 });
    const [one, two] = [await readPublished(persist), await readPublished(whole)];
    const listed = (published: typeof one) => published.manifest("ARIA")?.resolutions;
    expect(listed(one)).toEqual(listed(two));
  });

  it("without anything new ask for no logs", async () => {
    await isFetched();
    const before = folder.digests();
    const proxy = await startProxy(economy.anvil.url);
    await isFetched(proxy.url);
    expect(proxy.ranges()).toEqual([]);
    expect(folder.digests()).toEqual(before);
  });

  it("refuse a reorganisation below what was final, and write nothing", async () => {
    await isFetched();
    const before = folder.digests();
    await economy.anvil.reorganise(7);
    await economy.rest(1);
    await economy.finalize();
    const { status, stderr } = await folder.fetch([economy.anvil.url]);
    expect(status).toBe(1);
    const { file, to, lastHash } = folder.record.files.at(-1)!;
    expect(stderr).toContain(file);
    expect(stderr).toContain(String(to));
    expect(stderr).toContain(lastHash);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(folder.digests()).toEqual(before);
  });

  it("refuse a file that was changed, and bring it back with --repair", async () => {
    await isFetched();
    const before = folder.digests();
    appendFileSync(join(folder.inputs, folder.record.files[0]!.file), "x");
    const refused = await folder.fetch([economy.anvil.url]);
    expect(refused).toMatchObject({ status: 1 });
    expect(refused.stderr).toContain("--repair");
    expect(await soprano("build", folder.asset, "--persist", join(folder.path, "state"))).toMatchObject({ status: 1 });
    expect(await folder.fetch([economy.anvil.url], "--repair")).toMatchObject({ status: 0 });
    expect(folder.digests()).toEqual(before);
  });

  it("give the same files one by one, with labels and prices that are frozen", async () => {
    const url = economy.anvil.url;
    for (const day of ["2023-01-31", "2023-02-01"]) {
      expect(await folder.fetch([url], "--until", day)).toMatchObject({ status: 0 });
    }
    const other = new EconomyFolder(economy, parent);
    expect(await other.fetch([url], "--until", "2023-01-31")).toMatchObject({ status: 0 });
    expect(await other.fetch([url], "--until", "2023-02-01")).toMatchObject({ status: 0 });
    expect(folder.digests()).toEqual(other.digests());
    expect(Object.keys(folder.digests()).filter((name) => name.startsWith("transfers/"))).toEqual([
      "transfers/2023-01.parquet",
      "transfers/2023-02-01.parquet",
    ]);
  });

  it("find the log that a node leaves out, and mend it from another", async () => {
    const rows = economy.rows.filter(({ from, value }) => BigInt(from) !== 0n && value > 0n);
    const { block, logIndex, from, to } = rows[Math.floor(rows.length / 2)]!;
    const omits = (log: { blockNumber: string; logIndex: string; address: string }) =>
      log.address === economy.token && log.blockNumber === toHex(block) && log.logIndex === toHex(logIndex);
    const forgetful = await startProxy(economy.anvil.url, { omits });

    const alone = await folder.fetch([forgetful.url]);
    expect(alone.status).toBe(1);
    expect(alone.stderr).toContain(from);
    expect(alone.stderr).toContain(to);
    expect(folder.record.check).toMatchObject({ status: "failed" });
    expect(Object.keys(folder.digests()).filter((name) => name.startsWith("transfers/"))).toEqual([]);
    const build = await soprano("build", folder.asset, "--persist", join(folder.path, "state"));
    expect(build).toMatchObject({ status: 1, stdout: "" });

    const whole = new EconomyFolder(economy, parent);
    expect(await whole.fetch([economy.anvil.url])).toMatchObject({ status: 0 });
    const mended = await folder.fetch([forgetful.url, economy.anvil.url]);
    expect(mended.status, mended.stderr).toBe(0);
    const transfers = (digests: Record<string, string>) =>
      Object.entries(digests).filter(([name]) => name.startsWith("transfers/"));
    expect(transfers(folder.digests())).toEqual(transfers(whole.digests()));
  });
});
