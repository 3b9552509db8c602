/** Builds that would take away what is published, as those of an older checkout: refused, unless someone says so. */

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { explainsFewer } from "../../../builder/build/guards/shorter.ts";
import { buildBatch } from "../../../builder/build/run/build-batch.ts";
import { dryRunBuild } from "../../../builder/build/run/dry-run.ts";
import { readBatch } from "../../../builder/input/asset/batch-asset.ts";
import { silentProgress } from "../../../builder/lib/terminal/progress.ts";
import { buildKey, currentKey } from "../../../data-schema/stored/objects.ts";
import type { Manifest } from "../../../data-schema/stored.ts";
import { soprano } from "../../commands/soprano.ts";
import type { MemoryStore } from "../../store/memory-store.ts";
import { activeManifest, runBuild, type TokenFolder } from "../checkpoint/nights.ts";
import { AS_OF, EARLY, firstNight, LATE, START } from "../checkpoint/two-nights.ts";

/** Builds as the command line does, unless something else is said. */
const strictBuild: typeof runBuild = (store, asset, options) =>
  runBuild(store, asset, { allowShorter: false, ...options });

/** Both nights are published: the files are those of the second. */
async function bothNights(): Promise<{ folder: TokenFolder; store: MemoryStore; active: Manifest }> {
  const { folder, store } = await firstNight();
  await strictBuild(store, folder.asset({ asOf: AS_OF.second }));
  return { folder, store, active: await activeManifest(store, "TOK") };
}

const seconds = (iso: string) => Date.parse(iso) / 1000;
const EARLIER = `TOK: this build would end at 2024-02-03T12:00:00Z, but the active build BUILD ends at 2024-02-06T00:00:00Z, so 3 days would vanish. Bring its inputs up to date; or, if it should end earlier, say so with --as-of, or run \`soprano build PATH --allow-shorter\`.`;

describe("a build that would end before the active one", () => {
  it("is refused with both ends, whatever says the end; and so are a dry run, and an asset of a batch", async () => {
    const { folder, store, active } = await bothNights();
    const earlier = folder.asset({ asOf: AS_OF.first });
    const message = EARLIER.replace("BUILD", active.build).replace("PATH", earlier);
    for (const full of [false, true]) await expect(strictBuild(store, earlier, { full })).rejects.toThrow(message);
    await expect(dryRunBuild(earlier, store, { threads: 1 })).rejects.toThrow(message);
    const report = await buildBatch(await readBatch([earlier]), store, {
      threads: 1,
      progress: silentProgress(),
      onBegin: () => {},
      onBuilt: () => {},
      onFailed: () => {},
    });
    expect(report.assets).toMatchObject([{ status: "failed", error: message }]);
    // Without asOf, the last transfer says the end.
    folder.remove("transfers-2.csv");
    await expect(strictBuild(store, folder.asset())).rejects.toThrow(
      /would end at 2024-02-03T01:00:01Z, .* 3 days would/,
    );
    expect(await activeManifest(store, "TOK")).toEqual(active);
  });

  it("is made if --as-of or --allow-shorter says so", async () => {
    const { folder, store } = await bothNights();
    const other = await bothNights();
    const asOf = seconds(AS_OF.first);
    await strictBuild(store, folder.asset({ asOf: AS_OF.second }), { asOf });
    await strictBuild(other.store, other.folder.asset({ asOf: AS_OF.first }), { allowShorter: true });
    for (const each of [store, other.store]) expect(seconds((await activeManifest(each, "TOK")).asOf)).toBe(asOf);
  });

  it("is refused as a plan of stages", async () => {
    const { folder } = await firstNight();
    const options = ["--persist", join(folder.path, "state")];
    const build = await soprano("build", folder.asset({ asOf: AS_OF.second }), "--work", folder.path, ...options);
    expect(build).toMatchObject({ status: 0 });
    const stage = (...more: string[]) =>
      soprano("stage", "plan", folder.asset({ asOf: AS_OF.first }), "--work", folder.path, ...options, ...more);
    expect(await stage()).toMatchObject({
      status: 3,
      stderr: expect.stringMatching(/TOK: this build would end at 2024-02-03T12:00:00Z, but the active build/),
    });
    expect(await stage("--allow-shorter")).toMatchObject({ status: 0, stdout: expect.stringContaining("finish 1") });
  });
});

describe("a build with fewer transfers than the active one", () => {
  it("is refused, though it ends as late or later; resumed or full", async () => {
    const { folder, store, active } = await bothNights();
    folder.csv("transfers-1.csv", EARLY.slice(0, 3));
    const later = { asOf: "2024-02-08T00:00:00Z" };
    await expect(strictBuild(store, folder.asset({ asOf: AS_OF.second }))).rejects.toThrow(
      `TOK: up to 2024-02-06T00:00:00Z the inputs have 1 transfer fewer than the active build ${active.build}, which has 6, mints and burns included. Bring back the files that are missing; or, if the inputs are right, run \`soprano build ${join(folder.path, "ASSET.json")} --allow-shorter\`.`,
    );
    // Rows after its end make up for nothing.
    const after = LATE.map((row) => ({ ...row, block: row.block + 100, timestamp: row.timestamp + 2 * 86_400 }));
    folder.csv("transfers-2.csv", [...LATE, ...after]);
    await expect(strictBuild(store, folder.asset(later), { full: true })).rejects.toThrow(/have 1 transfer fewer/);
    expect(await activeManifest(store, "TOK")).toEqual(active);
    await strictBuild(store, folder.asset(later), { allowShorter: true });
    expect((await activeManifest(store, "TOK")).counts.transfers).toBe(active.counts.transfers + 1);
  });

  it("is refused if they are of the day after the checkpoint", async () => {
    const { folder, store } = await firstNight();
    const half = new Date((START + 6 * 86_400 + 43_200) * 1000).toISOString();
    await strictBuild(store, folder.asset({ asOf: half }));
    folder.csv("transfers-2.csv", LATE.slice(0, 1));
    await expect(strictBuild(store, folder.asset({ asOf: half }))).rejects.toThrow(/have 1 transfer fewer/);
  });

  it("is made if its files are the same: then a rule drops rows that were counted", async () => {
    const { folder, store, active } = await bothNights();
    for (const key of [buildKey("TOK", active.build), currentKey("TOK")]) {
      const manifest = JSON.parse(new TextDecoder().decode(store.objects.get(key)!.bytes));
      manifest.counts.transfers += 5;
      await store.write(key, manifest);
    }
    await strictBuild(store, folder.asset({ asOf: AS_OF.second }), { full: true });
    expect((await activeManifest(store, "TOK")).counts).toEqual(active.counts);
  });

  it("is made if the files that differ are recorded as repaired", () => {
    const file = (name: string, digit: string) => ({
      role: "transfers",
      file: `inputs/TOK/transfers/${name}.parquet`,
      sha256: digit.repeat(64),
      bytes: 1,
      rows: 1,
    });
    const recorded = { inputs: [file("2024-01", "a"), file("2024-02", "b")] } as Manifest;
    const survey = {
      files: [file("2024-01", "c"), file("2024-02", "b")].map(({ file, ...rest }) => ({
        ...rest,
        role: "transfers" as const,
        file: { name: file, path: file, bytes: 1 },
      })),
    };
    const repaired = (files: string[]) =>
      explainsFewer({ symbol: "TOK", repaired: files }, survey, undefined, recorded);
    expect(repaired(["transfers/2024-01.parquet"])).toBe(true);
    expect(repaired(["transfers/2024-02.parquet"])).toBe(false);
    expect(explainsFewer({ symbol: "TOK" }, survey, [{ kind: "format" }], undefined)).toBe(true);
    expect(explainsFewer({ symbol: "TOK" }, survey, undefined, undefined)).toBe(false);
  });
});
