/** Real builds that are killed, or overtaken: `npm run test:kills` does the same at many more moments. */

import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { RESOLUTIONS } from "../../data-schema/resolutions.ts";
import { newFolder } from "../end-to-end/command-line.ts";
import { Kills } from "./kills.ts";

const folder = newFolder();
let kills: Kills;

beforeAll(async () => {
  kills = await Kills.prepare(folder, 1_000, RESOLUTIONS);
});

afterAll(async () => {
  await kills.close();
  rmSync(folder, { recursive: true, force: true });
});

it.each<[string, (requests: number) => number, "come" | "done" | "answered"]>([
  ["in the middle of its series", (requests) => requests >> 1, "done"],
  ["before the build's manifest", (requests) => requests - 2, "come"],
  ["before the swap", (requests) => requests - 1, "come"],
  ["after the swap, before its answer", (requests) => requests - 1, "done"],
])("a build that is killed %s leaves a whole one, and is completed by the next run", async (_, request, moment) => {
  expect(await kills.survive({ request: request(kills.requests), moment })).toBe(true);
});

it("a build that is overtaken fails, and what overtook it stays whole", async () => {
  expect(await kills.overtake()).toMatchObject({
    status: 1,
    stdout: "",
    stderr: expect.stringMatching(
      /^soprano: SIM failed: another build was published to r2:\/\/soprano [^\n]*: build again, [^\n]*\n$/,
    ),
  });
});
