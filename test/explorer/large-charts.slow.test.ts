/** Charts of many points, in Chromium. How fast they are, `npm run bench:explorer` measures. */

import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { CHROMIUM, drawn, screenshot } from "./browser.ts";
import { freshPages } from "./fresh-pages.ts";
import { downloadPicture, LARGE_CHARTS, showLarge } from "./large-charts.ts";

/** The pixels of each plot that aren't of its background. */
const inked = (page: Page) =>
  page.evaluate<number[]>(`[...document.querySelectorAll(".uplot canvas")].map((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return data.filter((value, i) => i % 4 === 3 && value > 0).length;
  })`);

interface Stroke {
  plot: number;
  frame: number;
  turn: number;
}

describe.skipIf(!CHROMIUM)("charts of many points in Chromium", () => {
  const { stage, open } = freshPages();

  it.each([
    ["28 series of 3,000 days", { plots: 4, values: 28, points: 3_000 }],
    ["two families, 30 series of 3,000 days", { plots: 2, values: 32, points: 3_000 }],
    ["52 series of 18,000 hours", { plots: 4, values: 52, points: 18_000, least: 5_000 }],
    ["a heatmap of 2,000 days × 300 buckets", { plots: 1, values: 2, points: 3_000 }],
    ["100,000 blocks", { plots: 1, values: 1, points: 100_000 }],
  ] as const)(
    "%s are drawn, hovered over, zoomed and downloaded",
    async (title, { plots, values, points, ...rest }) => {
      const { page } = await open();
      await showLarge(page, stage, LARGE_CHARTS[title]);
      expect(await page.locator("#status").textContent()).toContain(`${points} points`);
      expect(await page.locator(".series .value, .parts .value").count()).toBe(values);
      const ink = await inked(page);
      expect(ink).toHaveLength(plots);
      // The lines of four plots are thinner than areas.
      const least = "least" in rest ? rest.least : 10_000;
      for (const pixels of ink) expect(pixels).toBeGreaterThan(least);
      await LARGE_CHARTS[title].use(page);
      await screenshot(page, `large-${plots}`);
      const picture = await downloadPicture(page);
      // The width in the header of a PNG file.
      expect((await readFile(await picture.path())).readUInt32BE(16)).toBe(2400);
    },
  );

  /** Notes where and when lines are drawn: the plot, the frame's time, and how often the page had yielded. */
  async function noteStrokes(page: Page): Promise<() => Promise<Stroke[]>> {
    await page.addInitScript(`
      strokes = [];
      let turn = 0;
      globalThis.MessageChannel = class extends MessageChannel {
        constructor() {
          super();
          turn++;
        }
      };
      const { prototype } = CanvasRenderingContext2D;
      const { stroke } = prototype;
      const plots = [];
      prototype.stroke = function (...path) {
        if (!plots.includes(this.canvas)) plots.push(this.canvas);
        strokes.push({ plot: plots.indexOf(this.canvas), frame: document.timeline.currentTime, turn });
        return stroke.apply(this, path);
      };
    `);
    return () => page.evaluate("strokes");
  }

  const plotsOf = (strokes: readonly Stroke[]) => new Set(strokes.map(({ plot }) => plot)).size;
  /** How many plots are drawn in each frame or turn. */
  const plotsAtOnce = (strokes: readonly Stroke[], part: "frame" | "turn") =>
    [...Map.groupBy(strokes, (stroke) => stroke[part]).values()].map(plotsOf);

  it("draws one plot a frame, and lets the browser paint between the plots of a picture", async () => {
    const { page } = await open();
    const strokes = await noteStrokes(page);
    const chart = LARGE_CHARTS["28 series of 3,000 days"];
    await showLarge(page, stage, chart);
    const first = await strokes();
    expect(plotsOf(first)).toBe(4);
    await chart.use(page);
    await expect.poll(async () => plotsOf((await strokes()).slice(first.length))).toBe(4);
    await downloadPicture(page);
    const all = await strokes();
    const [shown, picture] = [all.filter(({ plot }) => plot < 4), all.filter(({ plot }) => plot >= 4)];
    expect(new Set(plotsAtOnce(shown, "frame"))).toEqual(new Set([1]));
    expect(plotsOf(picture)).toBe(4);
    expect(new Set(plotsAtOnce(picture, "turn"))).toEqual(new Set([1]));
  });

  it("draws four plots of few points in one frame", async () => {
    const { page } = await open();
    const strokes = await noteStrokes(page);
    // Events come after the lines, and their marks are drawn then.
    const events = Promise.withResolvers<void>();
    await page.route("**/v3/assets/*/events", async (route) => {
      await events.promise;
      await route.continue();
    });
    await page.goto(`${stage.url}/?y=market_cap&y2=supply&y3=volume&y4=sopr#key=${stage.key}`);
    await drawn(page);
    expect(plotsAtOnce(await strokes(), "frame")).toEqual([4]);
    events.resolve();
    await page.locator(".events button").first().waitFor();
    await drawn(page);
    expect(plotsAtOnce(await strokes(), "frame")).toEqual([4, 4]);
  });
});
