/** Heatmaps in Chromium on the real Worker. */

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { cellAt, columnAt, type Heat, heatOf, type ServedDistribution } from "../../explorer/src/data/heat.ts";
import { cellText } from "../../explorer/src/data/heat-text.ts";
import { CHROMIUM, drawn, pixelsOf, screenshot, violations } from "./browser.ts";
import { freshPages } from "./fresh-pages.ts";

const DAY = 86_400;
const search = (page: Page) => decodeURIComponent(new URL(page.url()).search);

describe.skipIf(!CHROMIUM)("a heatmap", () => {
  const { stage, visit, open } = freshPages();
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const legend = (page: Page) => page.locator("#series .heat .value").textContent();

  /** The cells as the API has them. */
  async function served(name: Heat["distribution"], query: string, length = DAY): Promise<Heat> {
    const response = await fetch(`${stage.url}/v3/distributions/${name}?a=ARIA&time=unix&${query}`, {
      headers: { "X-Api-Key": stage.key },
    });
    const answer = (await response.json()) as ServedDistribution;
    return heatOf(name, answer, answer.t.at(-1)! + length);
  }

  it.each(["light", "dark"] as const)("of the cost basis lies below the price, in %s", async (colorScheme) => {
    const page = await visit("?a=ARIA&y=market_cap", { colorScheme });
    expect(await button(page, "Cost basis").count(), "it needs a price").toBe(0);
    await page.locator("[data-part=views]").getByText("Cost basis and price", { exact: true }).click();
    await drawn(page);
    expect(search(page)).toBe("?a=ARIA&y=price&heat=cost_basis");
    expect(await page.locator("h1").textContent()).toBe("Price and cost basis distribution");
    // All colours between the ends of the ramp, and the price over them.
    for (const color of ["--ramp-8", "--ink"]) expect(await pixelsOf(page, color), color).toBeGreaterThan(200);
    expect(await violations(page)).toEqual([]);
    await screenshot(page, `heatmap-${colorScheme}`);
    const before = await pixelsOf(page, "--ramp-8");
    await button(page, "Log colours").click();
    await drawn(page);
    expect(search(page)).toBe("?a=ARIA&y=price&heat=cost_basis&colors=log");
    expect(await pixelsOf(page, "--ramp-8")).not.toBe(before);
    await button(page, "Cost basis").click();
    await drawn(page);
    expect(search(page)).toBe("?a=ARIA&y=price");
  });

  it("tells what its cells hold, under the pointer and where most is", async () => {
    const page = await visit("?a=ARIA&y=price&heat=cost_basis&range=90d");
    const last = Date.parse("2025-12-31") / 1000;
    const heat = await served("cost_basis", `s=${last - 89 * DAY}`);
    const fullest = (column: number) =>
      heat.buckets
        .map((bucket, row) => ({ ...bucket, tokens: heat.values[row * (heat.edges.length - 1) + column]! }))
        .sort((a, b) => b.tokens - a.tokens)[0]!;
    expect(await legend(page)).toBe(`most: ${cellText(fullest(89), heat, "ARIA")}`);
    // By keyboard, to the first day.
    await page.locator("#chart").focus();
    await page.keyboard.press("Home");
    expect(await legend(page)).toBe(`most: ${cellText(fullest(0), heat, "ARIA")}`);
    expect(await page.locator("#status").textContent()).toContain(cellText(fullest(0), heat, "ARIA"));
    const box = (await page.locator("#chart .u-over").boundingBox())!;
    const cell = page.locator("#chart .heat-cell");
    const [left, upper] = [0.4 * box.width, 0.5 * box.height];
    await page.mouse.move(box.x + left, box.y + upper);
    // The axis reaches over what nearly all tokens were bought at, and over the price.
    const told = (await cell.textContent())!;
    const texts = heat.buckets.map(({ from }) => {
      const at = cellAt(heat, columnAt(heat, last - 89 * DAY + 0.4 * 89 * DAY), from);
      return at && cellText(at, heat, "ARIA");
    });
    expect(texts).toContain(told);
    await page.mouse.move(box.x, box.y - 80);
    expect(await cell.isVisible()).toBe(false);
  });

  it("is shown at the pinned days, with the part in profit in another colour", async () => {
    const page = await visit("?a=ARIA&y=price&heat=cost_basis");
    const box = (await page.locator("#chart .u-over").boundingBox())!;
    await page.mouse.click(box.x + box.width - 2, box.y + 100);
    await button(page, "A year before").click();
    const panel = page.locator(".profile[aria-busy=false]");
    await panel.getByRole("button", { name: "Change" }).waitFor();
    const heads = await panel.locator("thead th").allTextContents();
    expect(heads).toEqual([
      "Cost basis distribution",
      expect.stringMatching(/^\d+ Dec 2024$/),
      expect.stringMatching(/^\d+ Dec 2025$/),
      "Change",
      "%",
    ]);
    for (const pin of [1, 2]) {
      const day = Date.parse(`${heads[pin]} UTC`) / 1000;
      const { values } = await served("cost_basis", `s=${day}&u=${day}`);
      const texts = await panel.locator(`tbody td:nth-child(${pin + 2})`).allTextContents();
      const sum = texts.reduce((sum, text) => sum + Number(text.replaceAll(",", "")), 0);
      const supply = values.reduce((sum, tokens) => sum + tokens, 0);
      // Each row is rounded to six digits.
      expect(Math.abs(sum / supply - 1)).toBeLessThan(1e-4);
    }
    const colors = await page.evaluate<string[]>(
      `[...document.querySelectorAll(".profile .bars i:last-child")].map((bar) => bar.style.background)`,
    );
    const price = Number(
      (await page.locator("[data-part=pins] tbody td:nth-child(3)").first().textContent())!.slice(1),
    );
    const ranges = await panel.locator("tbody th").allTextContents();
    const tops = ranges.map((text) =>
      Number(
        text
          .split("–")
          .at(-1)!
          .replace(/[^\d.]/g, ""),
      ),
    );
    for (const [row, color] of colors.entries()) {
      if (tops[row]! < 0.95 * price) expect(color, ranges[row]).toContain("--good");
      if (tops[row]! > 1.2 * price) expect(color, ranges[row]).toContain("--series-2");
    }
    expect(new Set(colors).size).toBe(2);
    expect(await violations(page, { within: "[data-part=pins]" })).toEqual([]);
    await screenshot(page, "cost-basis-at-a-date");
    await page.keyboard.press("Escape");
    expect(await page.locator(".profile").count()).toBe(0);
  });

  it("of months has an axis of its own, by week where the days are many", async () => {
    const page = await visit("?a=ARIA&y=price&scale=log&heat=acquired");
    const heat = await served("acquired", "r=week", 7 * DAY);
    const column = heat.edges.length - 2;
    const most = Math.max(...heat.buckets.map((_, row) => heat.values[row * (heat.edges.length - 1) + column]!));
    const cell = heat.buckets.map(({ from }) => cellAt(heat, column, from)!).find(({ tokens }) => tokens === most)!;
    expect(await legend(page)).toBe(`most: ${cellText(cell, heat, "ARIA")}`);
    await screenshot(page, "heatmap-months");
    await button(page, "Holders since").click();
    await drawn(page);
    expect(await legend(page)).toMatch(/^most: .* with holders since \w{3} \d{4}$/);
  });

  it("is part of embedded charts, pictures and boards", async () => {
    const { page } = await open();
    await page.goto(
      `${stage.url}/boards?a=ARIA&chart=${encodeURIComponent("y=price&heat=cost_basis")}#key=${stage.key}`,
    );
    await page.locator(".cell [data-part=frame][aria-busy=false] .uplot").waitFor();
    await expect.poll(() => pixelsOf(page, "--ramp-8")).toBeGreaterThan(100);
    const explorer = await visit("?a=ARIA&y=price&heat=cost_basis");
    await button(explorer, "Share").click();
    const downloading = explorer.waitForEvent("download");
    await button(explorer, "Download 1×").click();
    expect((await (await downloading).createReadStream()).readableLength).toBeDefined();
  });

  it("that a chart has no room for is left out, with a sentence", async () => {
    const page = await visit("?a=ARIA&y=sopr&heat=cost_basis");
    expect(await page.locator("#footnote .warning").textContent()).toContain("heat=cost_basis needs the price");
    expect(search(page)).toBe("?a=ARIA&y=sopr:total");
  });
});
