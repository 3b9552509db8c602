/** The bars around the price, on their board and below a chart, in Chromium on the real Worker. */

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { CHROMIUM, screenshot, violations } from "./browser.ts";
import { freshPages } from "./fresh-pages.ts";

const DESK = { width: 1440, height: 1200 };
const PHONE = { width: 390, height: 1200 };

interface Served {
  buckets: { name: string }[];
  price: number[];
  at: number[];
  supply: number[][];
  num_addresses: number[][];
}

describe.skipIf(!CHROMIUM)("what was bought around the price", () => {
  const { stage, open, visit } = freshPages();

  const ask = async <Answer>(path: string) =>
    (await (await fetch(`${stage.url}${path}`, { headers: { "X-Api-Key": stage.key } })).json()) as Answer;
  const around = (page: Page) => page.locator(".around:visible");
  const barsDrawn = (page: Page) => around(page).locator("tbody tr").first().waitFor();

  it.each([
    ["light", DESK],
    ["dark", DESK],
    ["light", PHONE],
    ["dark", PHONE],
  ] as const)("is on a board, in %s, %o", async (colorScheme, viewport) => {
    const { page } = await open({ colorScheme, viewport });
    await page.goto(`${stage.url}/boards/around-the-price?a=ARIA#key=${stage.key}`);
    await barsDrawn(page);
    await page.locator(".cell .uplot").first().waitFor();
    expect(await page.title()).toBe("Around the price · ARIA · Soprano");
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await screenshot(page, `around-${colorScheme}-${viewport.width}`);
    await page.getByRole("link", { name: "Cost basis bands" }).scrollIntoViewIfNeeded();
    await page.locator(".cell", { hasText: "Cost basis bands" }).locator(".uplot").waitFor();
    await screenshot(page, `bands-${colorScheme}-${viewport.width}`);
  });

  it("says what the API does, and how far it is to half of the supply", async () => {
    const page = await visit("?a=ARIA&y=price&around=5");
    await barsDrawn(page);
    const served = await ask<Served>("/v3/distributions/cost_basis?a=ARIA&around=5&last=1");
    expect(await around(page).locator("tbody tr").count()).toBe(served.buckets.length);
    const classes = await around(page)
      .locator("tbody tr")
      .evaluateAll((rows) => rows.map(({ className }) => className));
    const place = served.at[0]!;
    const expected = served.buckets.map(({ name }, i) => {
      const side = i === place ? "at" : i < place ? "in" : "out";
      return name === "below" || name === "above" ? `${side} outer` : side;
    });
    expect(classes).toEqual(expected.reverse());
    const [addresses] = await around(page).locator("tbody tr").last().locator("td").last().allTextContents();
    expect(Number(addresses!.replaceAll(",", ""))).toBe(served.num_addresses[0]![0]);
    const { series } = await ask<{ series: { v: number[] }[] }>("/v3/series?a=ARIA&m=cost_basis_p50&last=1");
    const [median, price] = [series[0]!.v[0]!, served.price[0]!];
    const text = (await around(page).locator("p").textContent())!;
    expect(text).toContain(median > price ? "would have to rise by" : "could fall by");
    expect(text).toContain(`${Number((100 * Math.abs(median / price - 1)).toPrecision(3))}\u202f%`);
    await page.getByRole("button", { name: "In the money", exact: true }).click();
    await around(page)
      .waitFor({ state: "detached" })
      .catch(() => {});
    expect(await around(page).count()).toBe(0);
    expect(new URL(page.url()).search).toBe("?a=ARIA&y=price");
  });
});
