/** Commands that are killed or overtaken while they write to R2. test/hostile/kills.ts kills at random moments. */

import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newFolder } from "../../folders.ts";
import { Kills } from "./kills.ts";

const folder = newFolder();
let kills: Kills;

beforeAll(async () => {
  kills = await Kills.prepare(folder, 1_000, ["day"]);
});

afterAll(async () => {
  await kills.close();
  rmSync(folder, { recursive: true, force: true });
});

// Real processes: nothing in them runs after SIGKILL. interrupted.slow.test.ts stops builds at every write, in this process.
it("a build killed in the middle of its series leaves the earlier one complete, and is completed by the next run", async () => {
  expect(await kills.survive({ request: kills.requests >> 1, moment: "done" })).toBe(true);
});

it("a build killed after its activation, before the answer, is complete", async () => {
  // The last request reads the manifest back.
  expect(await kills.survive({ request: kills.requests - 2, moment: "done" })).toBe(true);
});

it("a rollback killed after its activation, before the answer, is complete", async () => {
  expect(await kills.rollBack()).toBe(true);
});

it("a build that is overtaken fails, and the one that overtook it stays complete", async () => {
  expect(await kills.overtake()).toMatchObject({
    status: 1,
    stdout: "",
    stderr: expect.stringMatching(
      /^soprano: SIM failed: another build was published to r2:\/\/soprano [^\n]*: build again, [^\n]*\n$/,
    ),
  });
});

// Last: what it removes can't be restored.
it("a collection killed after its first removal leaves the active build complete, and is completed by the next run", async () => {
  expect(await kills.collect()).toBe(true);
});
