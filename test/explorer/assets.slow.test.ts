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
  const sortBy = (page: Page, title: string) => page.locator("thead .sort").filter({ hasText: title }).last().click();

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

  it("takes a column by formula, a filter and an order, and keeps them in the link and for Ctrl Z", async () => {
    const page = await visit();
    await page.keyboard.press("f");
    await page.keyboard.type("mvrv_zs");
    // The completion has the rest.
    await page.getByRole("option", { name: /mvrv_zscore/ }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await sortBy(page, "MVRV z-score");
    const cells = page.locator("tbody tr").locator("td:nth-child(4) a");
    await expect.poll(() => cells.count()).toBe(2);
    const [t] = (await page.evaluate<string[]>(
      "[...document.querySelectorAll('tbody td:nth-child(4) a')].map(({ title, textContent }) => textContent)",
    ))!;
    const series = await fetch(`${stage.url}/v3/series?a=ARIA,DUET&m=mvrv_zscore&last=1`, {
      headers: { "X-Api-Key": stage.key },
    });
    const { series: expected } = (await series.json()) as { series: { v: number[] }[] };
    const largest = Math.max(...expected.map(({ v }) => v.at(-1)!));
    expect(Number(t!.replace("−", "-"))).toBeCloseTo(largest, 3);
    await page.getByRole("button", { name: "Percentile" }).click();
    expect(await page.locator("thead [aria-sort]").textContent()).toContain("by percentile");
    await page.getByLabel("Add a column or a filter").fill("price > ");
    await page.keyboard.press("Enter");
    expect(await page.locator("#add-error").textContent()).toMatch(/./);
    // Hand-made: between both prices.
    const prices = await page
      .locator("tbody td:nth-child(2)")
      .evaluateAll((all) => all.map((one) => Number(one.getAttribute("title")!.split(". ")[0]!.replace(/[$,]/g, ""))));
    expect(prices.every((price) => price > 0)).toBe(true);
    await page.getByLabel("Add a column or a filter").fill(`price < ${(prices[0]! + prices[1]!) / 2}`);
    await page.keyboard.press("Enter");
    await expect.poll(() => symbols(page)).toHaveLength(1);
    const filtered = await symbols(page);
    const other = await open();
    await other.page.goto(`${page.url()}#key=${stage.key}`);
    await expect.poll(() => symbols(other.page)).toEqual(filtered);
    expect(await other.page.locator("thead [aria-sort]").textContent()).toContain("MVRV z-score");
    await page.locator("tbody th a").focus();
    await page.keyboard.press("Control+z");
    await expect.poll(() => symbols(page)).toHaveLength(2);
    await page.getByRole("button", { name: "Remove MVRV z-score" }).click();
    expect(await page.locator("thead th").count()).toBe(2 + SCREENER_COLUMNS.length);
  });

  it("computes own columns for the rows in sight alone, and says what fails", async () => {
    const { page, faults } = await open();
    const assets = Array.from({ length: 300 }, (_, i) => ({
      asset: `T${i}`,
      name: `Token ${i}`,
      t: "2026-01-01T00:00:00",
      closes: [],
    }));
    await page.route("**/v3/screener", (route) => route.fulfill({ json: { assets } }));
    let asked = 0;
    let isBroken = true;
    await page.route("**/v3/series*", (route) => {
      if (isBroken) return route.abort();
      const names = new URL(route.request().url()).searchParams.get("a")!.split(",");
      asked += names.length;
      return route.fulfill({
        json: { t: [1_767_225_600], series: names.map((asset) => ({ asset, v: [Number(asset.slice(1))] })) },
      });
    });
    await page.goto(`${stage.url}/assets?sort=asset&order=asc&x=z=price/2&x=foo#key=${stage.key}`);
    await page.getByText("z couldn't be computed for all assets").waitFor();
    expect(await page.getByText("“foo” can't be read").textContent()).toContain("foo");
    isBroken = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("row", { name: "T0 " }).getByText("$0", { exact: true }).waitFor();
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThan(60);
    // A filter by it needs it of all.
    await page.getByLabel("Add a column or a filter").fill("z < 12");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator("#count").textContent()).toBe("12 of 300 assets");
    expect(asked).toBe(300);
    expect(faults.splice(0).every((fault) => fault.includes("ERR_FAILED"))).toBe(true);
  });

  it("keeps a watchlist, and shows that of a link without touching the reader's own", async () => {
    const page = await visit();
    await page.getByRole("button", { name: "Watchlist" }).click();
    expect(await page.locator("[data-part=problem]").textContent()).toContain("Your watchlist is empty");
    await page.getByRole("button", { name: "Watch DUET" }).click();
    await page.getByRole("button", { name: "Watchlist" }).click();
    expect(await symbols(page)).toEqual(["DUET"]);
    expect(new URL(page.url()).search).toBe("?watch=DUET");
    await page.goto(`${stage.url}/assets?watch=ARIA,NONE#key=${stage.key}`);
    await expect.poll(() => symbols(page)).toEqual(["ARIA"]);
    await page.getByText("The watchlist of this link has 2 assets.").waitFor();
    expect(await page.getByRole("button", { name: "Watch ARIA" }).getAttribute("aria-pressed")).toBe("false");
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Show yours" }).click();
    await expect.poll(() => symbols(page)).toEqual(["DUET"]);
    await page.goBack();
    await page.getByRole("button", { name: "Star them, too" }).click();
    expect(await page.getByRole("button", { name: "Watch ARIA" }).getAttribute("aria-pressed")).toBe("true");
    expect(await page.evaluate("localStorage.getItem('soprano-watchlist')")).toBe('["DUET","ARIA","NONE"]');
  });

  it("says what each column is", async () => {
    const page = await visit();
    await page.getByRole("button", { name: "Columns", exact: true }).click();
    const guide = page.getByRole("dialog", { name: "What the columns are" });
    for (const { title, description } of SCREENER_COLUMNS) {
      expect(await guide.locator("div", { has: page.getByText(title, { exact: true }) }).textContent()).toContain(
        description,
      );
    }
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "assets-columns");
  });

  it("leads to the chart of an asset by the picker of all pages, on the keyboard", async () => {
    const page = await visit({ viewport: { width: 390, height: 844 } });
    await page.keyboard.press("a");
    const box = page.getByRole("combobox", { name: "Find an asset" });
    await box.waitFor();
    expect(await page.getByRole("option").count()).toBe(2);
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "asset-picker-phone");
    await box.fill("zebra");
    expect(await page.locator(".picker-note").textContent()).toBe(
      "No asset has “zebra” in its symbol, name or contract.",
    );
    const { assets } = (await (await fetch(`${stage.url}/v3/assets`)).json()) as {
      assets: { symbol: string; contract: string }[];
    };
    await box.fill(assets.find(({ symbol }) => symbol === "DUET")!.contract.slice(0, 12));
    await page.keyboard.press("Enter");
    await page.waitForURL(/\?a=DUET/);
    await page.goBack();
    await page.locator("tbody tr").first().waitFor();
    let arrive = () => {};
    const arrival = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    await page.route("**/v3/assets", async (route) => {
      await arrival;
      await route.continue();
    });
    const asked = page.waitForRequest("**/v3/assets");
    await page.locator("#asset").click();
    await asked;
    // It is there before the assets are; so Escape ends it.
    expect(await page.locator(".picker-note").textContent()).toBe("The assets are on their way.");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".picker").count()).toBe(0);
    const answered = page.waitForResponse("**/v3/assets");
    arrive();
    await answered;
    expect(await page.locator("dialog[open]").count()).toBe(0);
    expect(await page.evaluate("document.activeElement.id")).toBe("asset");
    await page.unroute("**/v3/assets");
    await page.keyboard.press("a");
    await box.fill("duet");
    await expect.poll(() => page.getByRole("option").count()).toBe(1);
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
