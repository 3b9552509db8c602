/** What the benchmark of the explorer measures in Chromium. */

import { describe, expect, test } from "vitest";
import { firstChart } from "../../bench/explorer/first-chart.ts";
import { longestTask } from "../../bench/explorer/longest-task.ts";
import { CHROMIUM } from "../explorer/browser.ts";
import { freshPages } from "../explorer/fresh-pages.ts";

describe.skipIf(!CHROMIUM)("in Chromium", () => {
  const { stage, open } = freshPages();

  test("a first chart takes time, and the page works for it", async () => {
    const { shown, worked } = await firstChart(stage);
    expect(worked).toBeGreaterThan(0);
    expect(shown).toBeGreaterThan(0);
  });

  test("work in one task is longer than the same work in pieces", async () => {
    const { page } = await open();
    const work = "for (let i = 0; i < 3e6; i++) sum += Math.sin(i);";
    const tasks = (pause: string) => () =>
      page.evaluate<void>(`(async () => {
        let sum = 0;
        for (let piece = 0; piece < 20; piece++) { ${work} ${pause} }
      })()`);
    const whole = await longestTask(page, tasks(""));
    const inPieces = await longestTask(page, tasks("await new Promise((resolve) => setTimeout(resolve));"));
    expect(inPieces).toBeGreaterThan(0);
    expect(whole).toBeGreaterThan(inPieces);
  });
});
