/**
 * Fetched and built hour after hour, with kills, an asset ends each day with the files and objects of one that is fetched
 * and built once a day; and each hour's series are those of a build of what the economy itself has written down.
 */

import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listedObjects, type Manifest } from "../../data-schema/stored.ts";
import { DAY_SECONDS as DAY, HOUR_SECONDS as HOUR, isoDay, isoHour } from "../../data-schema/text.ts";
import { digests, readPublished } from "../commands/published.ts";
import { soprano } from "../commands/soprano.ts";
import { tries } from "../effort.ts";
import { newFolder } from "../folders.ts";
import { start } from "../soprano-process.ts";
import { hasAnvil } from "./chain/anvil.ts";
import { Economy } from "./chain/scenario.ts";
import { EconomyFolder } from "./economy-folder.ts";

const START = Date.parse("2023-01-30") / 1000;
/** Two days, some hours of which are left out but once a week, more and more of them: as after an outage. */
const isBuilt = (hour: number) => tries(1) > 1 || hour <= 8 || hour % (hour <= 24 ? 2 : 4) === 0;
const HOURS = Array.from({ length: 48 }, (_, index) => index + 1).filter(isBuilt);
/** One hour of so many is one at which a fetch and a build are killed before they run through. */
const KILLED_EVERY = 4;
/** Between two changes at which a fetch of the same hour is killed: each time, a process starts. */
const KILLED_STEP = Math.ceil(47 / tries(1));
const PRELOAD = fileURLToPath(new URL("kill-at-change.ts", import.meta.url));

describe.runIf(hasAnvil)("hourly builds", () => {
  const parent = newFolder();
  let economy: Economy;

  beforeAll(async () => {
    economy = await Economy.open({ seed: 4, blocksADay: 14 });
    await economy.live(14);
    await economy.finalize();
  });
  afterAll(async () => {
    await economy?.close();
    rmSync(parent, { recursive: true });
  });

  /** An asset that is fetched and built. */
  class Kept {
    readonly folder = new EconomyFolder(economy, parent);
    readonly persist = join(this.folder.path, "state");

    async go(...args: string[]): Promise<void> {
      const { status, stderr } = await this.folder.fetch([economy.anvil.url], ...args);
      expect({ status, stderr }, args.join(" ")).toEqual({ status: 0, stderr: "" });
      const built = await soprano("build", this.folder.asset, "--persist", this.persist);
      expect(built, built.stderr).toMatchObject({ status: 0 });
      expect(built.stderr).toMatch(/resumed from|it is the first build|is already active/);
    }

    /** Runs a command that is killed at a change to a file below a folder. */
    async killed(change: number, below: string, ...args: string[]): Promise<boolean> {
      const env = {
        ...process.env,
        SOPRANO_RPC_URL: economy.anvil.url,
        KILL_AT: `${change}:${below}`,
        NODE_OPTIONS: `--import ${PRELOAD}`,
      };
      const [, signal] = await once(start(args, { env }), "exit");
      return signal === "SIGKILL";
    }

    /** All objects that the active build names, by key; and what the manifest says but for times and blocks of this run. */
    async published() {
      const found = await readPublished(this.persist);
      const manifest = found.manifest("ARIA")!;
      const named = new Set([...listedObjects(manifest)].map(({ key }) => key));
      const objects = [...digests(found)].filter(([key]) => named.has(key)).sort();
      return { objects, manifest: contentOf(manifest) };
    }
  }

  function contentOf(manifest: Manifest) {
    const { created: _, checked, priceProof, ...rest } = manifest as Manifest & { created: string };
    expect([checked, priceProof]).not.toContain(undefined);
    return rest;
  }

  it("end each day as daily ones do, and are right at each hour", { timeout: 1_200_000 }, async () => {
    const [hourly, daily] = [new Kept(), new Kept()];
    await daily.go("--until", isoDay(START - DAY));
    await hourly.go("--until", isoDay(START - DAY));
    let kills = 0;
    for (const [index, hour] of HOURS.entries()) {
      const isKilled = index % KILLED_EVERY === KILLED_EVERY - 1;
      const end = START + hour * HOUR;
      const args = ["--hours", "--until", isoHour(end - HOUR)];
      const { asset, inputs } = hourly.folder;
      if (isKilled || hour % 24 === 0) {
        // Each time at other changes, also those of the end of a day, until a fetch makes fewer of them.
        for (let change = 1 + ((7 * hour) % KILLED_STEP); change < 120; change += KILLED_STEP) {
          if (!(await hourly.killed(change, inputs, "fetch", asset, "--quiet", ...args))) break;
          kills++;
        }
      }
      if (isKilled) {
        const { folder, persist } = hourly;
        await hourly.folder.fetch([economy.anvil.url], ...args);
        kills += Number(await hourly.killed(3 * hour, persist, "build", folder.asset, "--persist", persist, "--quiet"));
      }
      await hourly.go(...args);
      if (hour === 6 || hour % 12 === 0) await isRight(hourly, end);
      if (end % DAY !== 0) continue;
      await daily.go("--until", isoDay(end - DAY));
      expect(hourly.folder.digests()).toEqual(daily.folder.digests());
      expect(await hourly.published()).toEqual(await daily.published());
    }
    expect(kills).toBeGreaterThan(10);
    const verified = await soprano("verify", "--persist", hourly.persist);
    expect(verified, verified.stdout).toMatchObject({ status: 0 });
  });

  /** Against a full build of the economy's own account. Prices are those of the fetch. */
  async function isRight({ folder, persist }: Kept, end: number): Promise<void> {
    const own = mkdtempSync(join(parent, "own-"));
    cpSync(join(folder.inputs, "prices.csv"), join(own, "prices.csv"));
    const asOf = `${isoHour(end)}:00:00Z`;
    const dumped = economy.dump(own, { prices: "prices.csv", asOf, maxSupply: "10000000" });
    const state = join(own, "state");
    expect(await soprano("build", dumped, "--persist", state, "--quiet")).toMatchObject({ status: 0 });
    const [found, wanted] = [await readPublished(persist), await readPublished(state)];
    const hashes = ({ resolutions }: Manifest) => resolutions;
    expect(hashes(found.manifest("ARIA")!)).toEqual(hashes(wanted.manifest("ARIA")!));
    expect(found.manifest("ARIA")!.asOf).toBe(wanted.manifest("ARIA")!.asOf);
    rmSync(own, { recursive: true });
  }
});
