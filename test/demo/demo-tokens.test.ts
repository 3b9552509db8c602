/** The tokens of the demo end when they should, and are built anew when they don't. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { buildTokens, lastMidnight } from "../../builder/demo/demo-tokens.ts";
import { silentProgress } from "../../builder/lib/terminal/progress.ts";
import { readManifest } from "../../builder/published/publish/publication.ts";
import { openLocalState } from "../../builder/store/local/local.ts";
import { currentKey } from "../../data-schema/stored.ts";
import { soprano } from "../commands/soprano.ts";
import { scratchFolder } from "../folders.ts";

const midnight = (day: string) => Date.parse(`${day}T00:00:00Z`) / 1000;

it("ends at the last midnight", () => {
  expect([lastMidnight() % 86_400, Date.now() / 1000 - lastMidnight() < 86_401]).toEqual([0, true]);
});

it("builds tokens once for each end, and nothing is left of those with another one", async () => {
  const folder = scratchFolder();
  const state = await openLocalState(join(folder, "state"));
  const printed: string[] = [];
  const built = async (day: string) => {
    const tokens = [{ symbol: "ONE", seed: 1, transfers: 1_000, days: 40 }];
    const given = { tokens, folder, end: midnight(day) };
    await buildTokens(state.objects, given, silentProgress(), (text) => printed.push(text));
    return readManifest((await state.objects.get(currentKey("ONE")))!).manifest!;
  };
  const first = await built("2026-03-01");
  expect([first.asOf, printed.length]).toEqual(["2026-03-01T00:00:00.000Z", 1]);
  expect([(await built("2026-03-01")).build, printed.length]).toEqual([first.build, 1]);
  // The next day, and an earlier one: a build that goes backwards would be refused.
  for (const [day, count] of [
    ["2026-03-02", 2],
    ["2025-06-01", 3],
  ] as const) {
    expect([(await built(day)).asOf, printed.length]).toEqual([`${day}T00:00:00.000Z`, count]);
  }
  const names = [...(await state.objects.list("")).keys()];
  expect(names.filter((name) => name.includes("2026"))).toEqual([]);
  await state.close();
});

it("`simulate` keeps its dates, unless --end names another last day", async () => {
  const simulated = async (...args: string[]) => {
    const out = scratchFolder();
    const result = await soprano("simulate", "--out", out, "--transfers", "1000", "--days", "30", ...args);
    if (result.status !== 0) return result.stderr;
    return JSON.parse(readFileSync(join(out, "simulation.json"), "utf8")).asOf;
  };
  expect(await simulated()).toBe(midnight("2026-01-01"));
  expect(await simulated("--end", "2026-02-28")).toBe(midnight("2026-03-01"));
  for (const wrong of ["2026-02-30", "yesterday", "2026", ""]) {
    expect(await simulated("--end", wrong)).toContain("It must be a day, such as 2025-12-31.");
  }
});
