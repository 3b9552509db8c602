/** Charts of many points, in Chromium. How fast they are, `npm run bench:explorer` measures. */

import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { CHROMIUM, screenshot } from "./browser.ts";
import { freshPages } from "./fresh-pages.ts";
import { downloadPicture, LARGE_CHARTS, showLarge } from "./large-charts.ts";

/** The pixels of each plot that aren't of its background. */
const inked = (page: Page) =>
  page.evaluate<number[]>(`[...document.querySelectorAll(".uplot canvas")].map((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return data.filter((value, i) => i % 4 === 3 && value > 0).length;
  })`);

describe.skipIf(!CHROMIUM)("charts of many points in Chromium", () => {
  const { stage, open } = freshPages();

  it.each([
    ["28 series of 3,000 days", { plots: 4, values: 28, points: 3_000 }],
    ["two families, 30 series of 3,000 days", { plots: 2, values: 32, points: 3_000 }],
    ["100,000 blocks", { plots: 1, values: 1, points: 100_000 }],
  ] as const)("%s are drawn, hovered over, zoomed and downloaded", async (title, { plots, values, points }) => {
    const { page } = await open();
    await showLarge(page, stage, LARGE_CHARTS[title]);
    expect(await page.locator("#status").textContent()).toContain(`${points} points`);
    expect(await page.locator(".series .value, .parts .value").count()).toBe(values);
    const ink = await inked(page);
    expect(ink).toHaveLength(plots);
    for (const pixels of ink) expect(pixels).toBeGreaterThan(10_000);
    await LARGE_CHARTS[title].use(page);
    await screenshot(page, `large-${plots}`);
    const picture = await downloadPicture(page);
    // The width in the header of a PNG file.
    expect((await readFile(await picture.path())).readUInt32BE(16)).toBe(2400);
  });
});
