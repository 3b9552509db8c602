/** Families as one picture, in Chromium on the real Worker. */

import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { CHROMIUM, drawn, pixelsOf, screenshot, violations } from "./browser.ts";
import { freshPages } from "./fresh-pages.ts";

/** Skipped where there is no Chromium. Install it, or name its path in CHROMIUM. */
describe.skipIf(!CHROMIUM)("families in Chromium", () => {
  const { stage, open, visit } = freshPages();

  /** The page's own value: the driver's lags behind. */
  const shown = async (page: Page) => new URL(await page.evaluate<string>("location.href")).searchParams.get("y");
  const address = (page: Page) => expect.poll(() => shown(page));
  const part = (page: Page, name: string) => page.locator(".parts").getByRole("button", { name, exact: true });
  const values = (page: Page) => page.locator(".parts .value").allTextContents();
  /** The shares of parts, as the legend writes them: `12.4 % · 1.24M`. */
  const shares = async (page: Page) => (await values(page)).map((text) => Number(/[\d.]+(?=\s%)/.exec(text)?.[0]));
  const add = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);

  it("draws all parts of a series at a choice, in one request, and as shares of the whole", async () => {
    const one = await open();
    const { page } = one;
    const requests: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/v3/series")) requests.push(decodeURIComponent(request.url()));
    });
    await page.goto(`${stage.url}/?y=supply#key=${stage.key}`);
    await drawn(page);
    await page.getByRole("combobox", { name: "Whole family of Supply" }).selectOption("age");
    await drawn(page);
    await address(page).toBe("supply:*age:stack");
    expect(requests).toHaveLength(2);
    expect(requests[1]).toContain("m=supply&c=");
    expect(await page.locator("h1").textContent()).toContain("Supply by age");
    expect(await page.locator(".parts li").count()).toBe(13);
    expect(add(await shares(page))).toBeCloseTo(100, 0);
    // No scale but a linear one suits areas, and they begin at zero.
    expect(await page.getByRole("group", { name: "Scale" }).count()).toBe(0);
    await page.getByRole("button", { name: "100 %" }).click();
    await drawn(page);
    await address(page).toBe("supply:*age:share");
    expect(add(await shares(page))).toBeCloseTo(100, 0);
    // The whole is in the legend, and the first column of the table.
    const total = await page.locator(".whole .value").textContent();
    expect(total).toMatch(/^\d+(\.\d+)?M$/);
    expect(await page.locator("#table th[scope=col]").nth(1).textContent()).toBe("Total");
    // All that the page has loaded for it, it has kept.
    expect(requests).toHaveLength(2);
  });

  it("switches parts off and on, by mouse and keyboard, and shows one alone", async () => {
    const page = await visit("?y=supply:*age:share");
    await part(page, "Exchanges").click();
    await address(page).toBe("supply:*age:share:off=cex");
    expect(await part(page, "Exchanges").getAttribute("aria-pressed")).toBe("false");
    expect(await values(page)).toHaveLength(12);
    // The focus stays, and the arrow keys move it.
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Exchanges");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Space");
    await address(page).toBe("supply:*age:share:off=sc,cex");
    await page.keyboard.press("Space");
    await address(page).toBe("supply:*age:share:off=cex");
    await page.keyboard.press("Shift+Enter");
    await address(page).toBe("supply:*age:share:only=sc");
    expect(await values(page)).toHaveLength(1);
    await screenshot(page, "family-only");
    expect(await violations(page)).toEqual([]);
    const menu = page.getByRole("combobox", { name: "What is shown of Supply by age" });
    expect(await menu.inputValue()).toBe("sc");
    await menu.selectOption("2y-3y");
    await address(page).toBe("supply:*age:share:only=2y-3y");
    await menu.selectOption({ label: "All parts" });
    await address(page).toBe("supply:*age:share");
    expect(await values(page)).toHaveLength(13);
  });

  it("names the values under the crosshair, for screen readers too", async () => {
    const page = await visit("?y=market_cap:*value:stack");
    await page.locator("#chart").focus();
    for (let step = 0; step < 10; step++) await page.keyboard.press("PageDown");
    await expect.poll(() => page.locator("#status").textContent()).toContain("Market capitalisation, $10M+: ");
    expect(await page.locator("#status").textContent()).toContain("Market capitalisation, Total: $");
    expect(add(await shares(page))).toBeCloseTo(100, 0);
  });

  it("shows the ten largest exchanges and the rest, which follow what is visible", async () => {
    const page = await visit("?y=cex_reserve:*exchange:stack");
    const names = () => page.locator(".parts li button").allTextContents();
    expect(await names()).toHaveLength(11);
    expect((await names()).at(-1)).toBe("The rest");
    const all = await shares(page);
    expect(all.slice(0, 10)).toEqual(all.slice(0, 10).toSorted((a, b) => b - a));
    expect(add(all)).toBeCloseTo(100, 0);
    // A hundred days after the first, others may be larger: whatever they are, they are in order, and add up.
    await page.goto(`${stage.url}/?y=cex_reserve:*exchange:stack&z=2023-01-02,2023-04-12`);
    await drawn(page);
    const before = await shares(page);
    expect(before.slice(0, -1)).toEqual(before.slice(0, -1).toSorted((a, b) => b - a));
    expect(add(before)).toBeCloseTo(100, 0);
  });

  it("offers lines alone where parts don't add up", async () => {
    const page = await visit("?y=sopr:*age:share");
    await address(page).toBe("sopr:*age:lines");
    expect(await page.getByRole("button", { name: "Stacked" }).count()).toBe(0);
    expect(await page.getByRole("group", { name: "Scale" }).count()).toBe(1);
    await page.getByRole("combobox", { name: "Families of SOPR" }).selectOption("value");
    await drawn(page);
    await address(page).toBe("sopr:*value:lines");
  });

  it("is found by what people call it, in the list, the palette, the views and a metric's description", async () => {
    const page = await visit("?y=sopr");
    await page.locator("[data-part=search]").fill("hodl waves");
    await page.keyboard.press("Enter");
    await drawn(page);
    await address(page).toBe("supply:*age:share");
    await page.locator("[data-part=search]").fill("");
    await page.keyboard.press("Control+k");
    await page.keyboard.insertText("supply by wealth");
    await page.keyboard.press("Enter");
    await drawn(page);
    await address(page).toBe("supply:*value:share");
    await page.locator("[data-part=views]").getByRole("link", { name: "Exchange reserves" }).click();
    await drawn(page);
    await address(page).toBe("cex_reserve:*exchange:stack");
    await page.goto(`${stage.url}/?y=volume`);
    await drawn(page);
    await page.locator("[data-part=about]").getByRole("link", { name: "by balance" }).click();
    await drawn(page);
    await address(page).toBe("volume:*balance:stack");
  });

  it("downloads what is drawn", async () => {
    const page = await visit("?y=supply:*value:share:off=sc,cex&range=30d");
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("[data-part=download]").click()]);
    const lines = (await readFile(await download.path(), "utf8")).trimEnd().split("\n");
    expect(lines[0]).toBe(
      `t,supply total,${["$0-100", "$100-1k", "$1k-10k", "$10k-100k", "$100k-1M", "$1M-10M", "$10M+"].map((usd) => `supply ${usd} share`).join(",")}`,
    );
    expect(lines).toHaveLength(31);
  });

  it("shows waves with the price over them in two clicks, on a log scale, apart from all colours", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await visit("", { colorScheme });
      await page.getByRole("link", { name: "Supply by age", exact: true }).click();
      await drawn(page);
      const before = await pixelsOf(page, "--ink");
      await page.getByRole("button", { name: "Price", exact: true }).last().click();
      await drawn(page);
      await expect.poll(() => page.evaluate("location.search")).toContain("price=log");
      // A line of two pixels, as wide as the chart.
      expect((await pixelsOf(page, "--ink")) - before).toBeGreaterThan(500);
      await screenshot(page, `waves-with-price-${colorScheme}`);
    }
  });

  // A dark phone has the layout of the one and the colours of the other.
  it.each([
    ["wide", ["light", "dark"], { width: 1440, height: 960 }],
    ["phone", ["light"], { width: 390, height: 844 }],
  ] as const)("fits a %s window in %j, without violations", async (name, colorSchemes, viewport) => {
    for (const colorScheme of colorSchemes) {
      const page = await visit("?y=supply:*age:share", { viewport, colorScheme });
      for (const [title, search] of Object.entries({
        age: "y=supply:*age:share",
        value: "y=market_cap:*value:stack&price=log",
        exchanges: "y=cex_reserve:*exchange:stack",
        sopr: "y=sopr:*age",
        holders: "y=num_addresses:*value:lines&scale=log",
      })) {
        await page.goto(`${stage.url}/?${search}`);
        await drawn(page);
        await screenshot(page, `family-${title}-${name}-${colorScheme}`);
        // The rest of the page is the same for all.
        expect(await violations(page, title === "age" ? {} : { within: "#frame" })).toEqual([]);
      }
    }
  });
});
