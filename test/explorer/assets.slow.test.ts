/** The table of assets in Chromium, on the real Worker. */

import { describe, expect, it } from "vitest";
import { SCREENER_COLUMNS } from "../../data-schema/stored/screener.ts";
import { CHROMIUM, screenshot, violations } from "./browser.ts";
import { freshPages } from "./fresh-pages.ts";

describe.skipIf(!CHROMIUM)("the table of assets in Chromium", () => {
  const { stage, open } = freshPages();

  async function visit(options?: Parameters<typeof open>[0]) {
    const { page } = await open(options);
    await page.goto(`${stage.url}/assets#key=${stage.key}`);
    await page.locator("tbody tr").first().waitFor();
    return page;
  }
  type Page = Awaited<ReturnType<typeof visit>>;
  const symbols = (page: Page) => page.locator("tbody th a").allTextContents();
  const sortBy = (page: Page, title: string) => page.locator("thead").getByRole("button", { name: title }).click();

  it("sorts by any column, finds assets, and leads to charts", async () => {
    const page = await visit();
    expect(page.url()).not.toContain("key");
    const all = await symbols(page);
    expect(all.length).toBeGreaterThan(1);
    for (const { title } of SCREENER_COLUMNS) {
      await sortBy(page, title);
      const head = page.locator(`thead th[aria-sort]`);
      expect(await head.count()).toBe(1);
      expect(await head.textContent()).toContain(title);
      expect((await symbols(page)).toSorted()).toEqual(all.toSorted());
    }
    await sortBy(page, "Asset");
    expect(await symbols(page)).toEqual(all.toSorted());
    await page.keyboard.press("Enter");
    expect(await symbols(page)).toEqual(all.toSorted().toReversed());

    await page.getByLabel("Search assets").fill("duet");
    expect(await symbols(page)).toEqual(["DUET"]);
    expect(await page.locator("#count").textContent()).toBe(`1 of ${all.length} assets`);
    await page.getByLabel("Search assets").fill("");

    const week = await page.locator("tbody .change").allTextContents();
    await page.getByRole("button", { name: "30 days" }).and(page.locator("#change button")).click();
    expect(await page.locator("tbody .change").allTextContents()).not.toEqual(week);

    const [row] = await page.locator("tbody tr").filter({ hasText: "ARIA" }).all();
    await row!.locator("td a").nth(2).click();
    await page.locator(".uplot").waitFor();
    const { searchParams } = new URL(page.url());
    expect([searchParams.get("a"), searchParams.get("y")]).toEqual(["ARIA", "=mvrv"]);
    await page.getByRole("link", { name: "Assets" }).click();
    await page.locator("tbody tr").first().waitFor();
  });

  it.each(["light", "dark"] as const)("has no violations of axe's rules, and fits a phone, %s", async (colorScheme) => {
    const page = await visit({ colorScheme, viewport: { width: 1440, height: 800 } });
    expect(await violations(page)).toEqual([]);
    await screenshot(page, `assets-${colorScheme}`);
    await page.setViewportSize({ width: 390, height: 844 });
    // The table scrolls, and not the page.
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    expect(await violations(page)).toEqual([]);
    await screenshot(page, `assets-${colorScheme}-phone`);
  });

  it("shows a thousand assets, and what is missing as missing", async () => {
    const { page } = await open();
    const fields = (v: number) => ({ v, "1d": 0, "7d": -v / 10, "30d": null, pct: (v % 100) / 100 });
    const missing = { v: null, "1d": null, "7d": null, "30d": null, pct: null };
    const assets = Array.from({ length: 1_000 }, (_, i) => ({
      asset: `T${i}`,
      name: `Token ${i}`,
      t: "2026-01-01T00:00:00",
      closes: Array.from({ length: 30 }, (_, day) => (day % 7 === i % 7 ? null : Math.sin(i + day))),
      ...Object.fromEntries(
        SCREENER_COLUMNS.map(({ name }, c) => [name, (i + c) % 10 === 0 ? missing : fields((i * 7919) % 1009)]),
      ),
    }));
    await page.route("**/v3/screener", (route) => route.fulfill({ json: { assets } }));
    await page.goto(`${stage.url}/assets#key=${stage.key}`);
    await page.locator("tbody tr").first().waitFor();
    expect(await page.locator("tbody tr").count()).toBe(1_000);
    // Missing values come last, and are never 0.
    await sortBy(page, "MVRV");
    const order = await symbols(page);
    const isMissing = (symbol: string) => (Number(symbol.slice(1)) + 2) % 10 === 0;
    expect(order.slice(-100).every(isMissing)).toBe(true);
    expect(order.slice(0, -100).some(isMissing)).toBe(false);
    const value = (symbol: string) => (Number(symbol.slice(1)) * 7919) % 1009;
    const values = order.slice(0, -100).map(value);
    expect(values).toEqual(values.toSorted((a, b) => b - a));
    expect(await page.locator("tbody tr").last().locator("td").nth(3).textContent()).toBe("–");
    await page.locator("tbody tr").last().scrollIntoViewIfNeeded();
    await screenshot(page, "assets-thousand");
  });

  it("says why there is nothing to see, and tries again", async () => {
    const { page, faults } = await open();
    let isUp = false;
    await page.route("**/v3/screener", (route) => (isUp ? route.continue() : route.abort()));
    await page.goto(`${stage.url}/assets#key=${stage.key}`);
    await page.getByText("The service can't be reached.").waitFor();
    isUp = true;
    await page.getByRole("button", { name: "Try again" }).click();
    await page.locator("tbody tr").first().waitFor();
    expect(await page.locator("[data-part=notice]").isHidden()).toBe(true);
    // The browser tells of the connection that the test broke.
    expect(faults.splice(0)).toEqual(["Failed to load resource: net::ERR_FAILED"]);
  });
});
