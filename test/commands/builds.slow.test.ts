/** What an operator does: verify, builds, rollback, gc. */

import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLocalState } from "../../builder/store/local/local.ts";
import { newFolder } from "../folders.ts";
import { variant } from "../published/verify/published.ts";
import { digests, readPublished } from "./published.ts";
import { soprano } from "./soprano.ts";

const folder = newFolder();
const persist = join(folder, "state");
const asset = join(folder, "token", "asset.json");
const run = (...args: string[]) => soprano(...args, "--persist", persist, "--quiet");

/** Builds as of a time, and returns the build's id. */
async function buildAsOf(asOf?: string): Promise<string> {
  const path = asOf ? variant(asset, "as-of.json", { asOf }) : asset;
  const { status, stdout } = await run("build", path);
  expect(status).toBe(0);
  return stdout.trim().split(" ")[1] ?? "";
}

let [older, newer] = ["", ""];

beforeAll(async () => {
  await soprano("simulate", "--out", join(folder, "token"), "--transfers", "1500", "--days", "60", "--symbol", "SIM");
  older = await buildAsOf("2025-12-20T00:00:00Z");
  newer = await buildAsOf();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("--json prints one document each, of the schema that docs/cli.md has", async () => {
  const documentOf = async (...args: string[]) => {
    const { stdout, stderr } = await run(...args, "--json");
    expect(stderr).toBe("");
    return JSON.parse(stdout);
  };
  const [active, before] = (await documentOf("builds", "SIM")).builds;
  expect([active, before]).toMatchObject([
    { build: newer, isActive: true, missing: 0 },
    { build: older, isActive: false, asOf: "2025-12-20T00:00:00.000Z" },
  ]);
  expect(active.bytes).toBeGreaterThan(before.bytes);
  expect(await documentOf("verify", "SIM")).toMatchObject({ assets: [{ symbol: "SIM", build: newer, isWhole: true }] });
  const collected = { symbol: "SIM", builds: [], objects: 0, bytes: 0, waiting: 1 };
  expect(await documentOf("gc", "SIM", "--keep", "0", "--dry-run")).toEqual({
    schema: 1,
    dryRun: true,
    assets: [collected],
  });
  expect(await documentOf("build", asset)).toMatchObject({
    counts: { unchanged: 1 },
    assets: [{ symbol: "SIM", build: newer }],
  });
  const { id } = await documentOf("keys", "create", "--name", "me");
  expect(await documentOf("keys", "list")).toMatchObject({ keys: [{ id, name: "me" }], unreadable: [] });
  const rotated = await documentOf("keys", "rotate", id.slice(0, 5));
  expect(rotated).toMatchObject({ oldId: id });
  expect(await documentOf("keys", "revoke", rotated.id.slice(0, 7))).toEqual({ schema: 1, id: rotated.id });
  // A failure is in the document, and in the exit status.
  const failed = await run("verify", "NONE", "--json");
  expect(failed.status).toBe(1);
  expect(JSON.parse(failed.stdout).assets).toMatchObject([
    { symbol: "NONE", error: expect.stringContaining("not published") },
  ]);
});

it("rollback --dry-run checks, and changes nothing", async () => {
  const { status, stdout } = await run("rollback", "SIM", older.slice(0, 6), "--dry-run");
  expect([status, stdout]).toEqual([
    0,
    expect.stringMatching(`^SIM: build ${older} of .* is whole, and would be active instead of ${newer}\n$`),
  ]);
  expect((await run("builds", "SIM")).stdout).toMatch(new RegExp(`^${newer} .* active`, "m"));
});

describe("soprano verify", () => {
  it("reports what is published as complete", async () => {
    const whole = new RegExp(`^SIM: build ${newer} is whole: \\d+ objects, [\\d,]+ points, [\\d,]+ checks\\n$`);
    for (const symbols of [["sim"], []]) {
      const { status, stdout, stderr } = await run("verify", ...symbols, "--no-restatement");
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      expect(stdout).toMatch(whole);
    }
  });

  it("lists what is wrong, and exits with 1", async () => {
    const { objects } = await readPublished(persist);
    const key = [...objects.keys()].find((key) => key.startsWith("packs/") && activeManifest(objects, key))!;
    const state = await openLocalState(persist);
    const bytes = objects.get(key)!;
    await state.objects.delete([key]);
    await state.close();
    const { status, stdout, stderr } = await run("verify", "SIM");
    expect(status).toBe(1);
    expect(stdout).toMatch(`SIM: build ${newer} is not right: 1 problem:`);
    expect(stdout).toMatch(new RegExp(`  ${key} is missing: \\d+ parts of the build should be in it\\.\\n`));
    expect(stderr).toBe("soprano: SIM failed verification: see the messages above.\n");
    await putBack(key, bytes);
  });

  it("refuses an invalid symbol and an asset that is not published", async () => {
    expect(await run("verify", "what?")).toMatchObject({ status: 2 });
    const other = await run("verify", "OTHER");
    expect(other).toMatchObject({ status: 1, stderr: expect.stringMatching(/^soprano: OTHER is not published in /) });
    const both = await run("verify", "OTHER", "SIM");
    expect(both.stderr).toMatch(
      /^soprano: OTHER is not published in .*\nsoprano: OTHER failed verification: see the messages above\.\n$/,
    );
    expect(both.stdout).toMatch(`SIM: build ${newer} is whole`);
  });
});

describe("soprano builds, rollback and gc", () => {
  it("rolls back and forward again", async () => {
    const list = async () => (await run("builds", "sim")).stdout;
    expect(await list()).toMatch(
      new RegExp(`${newer} .*  active  +nothing  .*\n${older} .*  can be rolled back to  +full build.*\n`),
    );
    const back = await soprano("rollback", "SIM", older.slice(0, 8), "--persist", persist);
    expect(back).toMatchObject({ status: 0, stdout: `SIM ${older}\n` });
    expect(back.stderr).toMatch(`SIM: build ${older} of 2025-12-20T00:00:00.000Z is active instead of ${newer}.`);
    expect((await readPublished(persist)).manifest("SIM")?.build).toBe(older);
    expect(await list()).toMatch(new RegExp(`${older} .*  active .*\n${newer} .*  can be rolled back to .*\n`));
    expect(await run("verify", "SIM")).toMatchObject({ status: 0 });
    expect(await run("rollback", "SIM", newer)).toMatchObject({ status: 0, stdout: `SIM ${newer}\n` });
    expect(await run("rollback", "SIM", newer)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/is already active/),
    });
  });

  it("collects only what has been out of use for long enough", async () => {
    const before = await readPublished(persist);
    expect(await run("gc", "SIM", "--keep", "0")).toMatchObject({
      status: 0,
      stdout: "SIM: removed 0 builds, 0 objects, 0.0 MB; 1 more build superseded for less than --min-age\n",
    });
    const said = await run("gc", "SIM", "--keep", "0", "--min-age", "0m", "--dry-run");
    expect(said.stdout).toMatch(
      new RegExp(`^SIM: would remove 1 build \\(${older}\\), [1-9]\\d* objects, \\d+\\.\\d MB\n$`),
    );
    expect(digests(await readPublished(persist))).toEqual(digests(before));
    const done = await run("gc", "SIM", "--keep", "0", "--min-age", "0m");
    expect(done.stdout).toBe(said.stdout.replace("would remove", "removed"));
    const after = await readPublished(persist);
    expect(after.objects.size).toBeLessThan(before.objects.size);
    expect(await run("verify", "SIM")).toMatchObject({ status: 0 });
    expect((await run("builds", "SIM")).stdout.trim().split("\n")).toHaveLength(2);
    expect(await run("rollback", "SIM", older)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/has no build/),
    });
  });

  it("needs to be told how many to keep", async () => {
    expect(await run("gc", "SIM")).toMatchObject({ status: 2, stderr: expect.stringMatching(/--keep/) });
  });
});

/** Whether the active manifest names an object. */
function activeManifest(objects: ReadonlyMap<string, Uint8Array>, key: string): boolean {
  const hash = key.split(/[./]/).at(-2)!;
  return new TextDecoder().decode(objects.get("current/SIM.json")).includes(hash);
}

async function putBack(key: string, bytes: Uint8Array): Promise<void> {
  const state = await openLocalState(persist);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  await state.objects.put(key, bytes, { contentType: "application/vnd.apache.parquet", sha256 });
  await state.close();
}
