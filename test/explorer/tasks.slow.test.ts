/**
 * What analysts do, in as many actions as it may take: a click, a key, or a typed text with Enter, counted from the first
 * page. In Chromium on the real Worker.
 */

import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { CHROMIUM, drawn, screenshot, violations } from "./browser.ts";
import { freshPages } from "./fresh-pages.ts";

/** A person at a page, whose actions are counted. */
class Analyst {
  actions = 0;
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async #acted(): Promise<void> {
    this.actions++;
    await drawn(this.page);
  }

  async click(target: Locator): Promise<void> {
    await target.click();
    await this.#acted();
  }

  async choose(menu: Locator, label: string): Promise<void> {
    await menu.selectOption({ label });
    await this.#acted();
  }

  async press(key: string): Promise<void> {
    await this.page.keyboard.press(key);
    await this.#acted();
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
    await this.page.keyboard.press("Enter");
    await this.#acted();
  }
}

const search = (page: Page) => decodeURIComponent(new URL(page.url()).search);

describe.skipIf(!CHROMIUM)("an analyst", () => {
  const { visit } = freshPages();
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const view = (page: Page, name: string) => page.locator("[data-part=views]").getByText(name, { exact: true });
  const legend = (page: Page) => page.locator("#series .name").allTextContents();

  /** @param most actions, at most */
  const task = (name: string, most: number, work: (analyst: Analyst, page: Page) => Promise<void>) =>
    it(`${name}: ${most} actions`, async () => {
      const page = await visit("", { permissions: ["clipboard-read", "clipboard-write"] });
      const analyst = new Analyst(page);
      await work(analyst, page);
      expect(analyst.actions).toBeLessThanOrEqual(most);
    });

  task("sees SOPR of both terms with the price", 5, async (analyst, page) => {
    await analyst.press("/");
    await analyst.type("sopr by term");
    await analyst.click(button(page, "Price"));
    expect(search(page)).toMatch(/y=sopr:\*term/);
    expect(await legend(page)).toEqual(expect.arrayContaining([expect.stringContaining("Price")]));
  });

  task("sees the supply by age with the price on a log scale", 3, async (analyst, page) => {
    await analyst.click(view(page, "Supply by age"));
    await analyst.click(button(page, "Price"));
    expect(search(page)).toContain("y=supply:*age:share");
    expect(await page.locator("#series li.price select").inputValue()).toBe("log");
  });

  task("compares MVRV of two assets from a date on", 5, async (analyst, page) => {
    await analyst.press("/");
    await analyst.type("mvrv");
    await analyst.choose(page.getByLabel("Compare with another asset"), "DUET");
    await analyst.click(button(page, "=100"));
    await page.locator("[data-part=since]").fill("2025-11-20");
    await analyst.press("Enter");
    expect(search(page)).toMatch(/y==mvrv&y==DUET.mvrv/);
    expect(search(page)).toMatch(/s=2025-11-20/);
    expect(await page.locator("#series .value").allTextContents()).toEqual([
      expect.stringContaining("%"),
      expect.stringContaining("%"),
    ]);
  });

  task("sees a week of netflow as bars of both signs", 3, async (analyst, page) => {
    await analyst.click(view(page, "Exchange netflow"));
    await analyst.click(page.locator("#range button[value='7d']"));
    await analyst.click(button(page, "Bars"));
    expect(search(page)).toMatch(/y==netflow.*range=7d/);
    expect(await button(page, "Bars").getAttribute("aria-pressed")).toBe("true");
  });

  task("sees the drawdown", 3, async (analyst, page) => {
    await analyst.press("/");
    await analyst.type("drawdown");
    expect(search(page)).toContain("y==drawdown");
  });

  task("sees the z-score of MVRV with its zones", 3, async (analyst, page) => {
    await analyst.press("/");
    await analyst.type("z-score");
    expect(search(page)).toContain("y==mvrv_zscore");
    expect(await page.locator("#series .levels").textContent()).toBe("Below cost (below 0)Far above cost (above 3)");
  });

  task("sees what was first published beside today's values", 3, async (analyst, page) => {
    await analyst.click(view(page, "SOPR"));
    await analyst.click(button(page, "Both"));
    expect(search(page)).toContain("known=both");
    await page.locator("#series .name", { hasText: "first published" }).first().waitFor();
    expect(await page.locator("#footnote").textContent()).toContain("Nothing was revised");
  });

  task("draws a line and a zone of their own", 9, async (analyst, page) => {
    await analyst.press("/");
    await analyst.type("nvt signal");
    await analyst.click(button(page, "+ Level"));
    const dialog = page.getByRole("dialog", { name: "Levels and zones" });
    await analyst.click(dialog.getByRole("button", { name: "+ Line" }));
    await page.keyboard.type("sma(nvt, 90)");
    await analyst.click(dialog.getByLabel("Name").last());
    await page.keyboard.type("Its mean");
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "levels-dialog");
    await analyst.press("Enter");
    expect(search(page)).toMatch(/zone=~45~green~Oversold&zone=150~~red~Overbought&level=sma\(nvt,.90\)~grey~Its.mean/);
    await page.locator("#series .levels", { hasText: "Its mean (at sma(nvt, 90))" }).waitFor();
    expect(await page.locator("#footnote").textContent()).not.toContain("Level");
    await page.keyboard.press("Control+z");
    await page.locator("#series .levels", { hasText: "Its mean" }).waitFor({ state: "detached" });
    // Nothing is drawn of what can't be read.
    await button(page, "+ Level").click();
    await dialog.getByRole("button", { name: "+ Line" }).click();
    await page.keyboard.type("no_metric");
    await page.keyboard.press("Enter");
    expect(await dialog.locator("[data-part=error]").textContent()).toContain("There is no metric no_metric.");
  });

  task("sees a week by hour", 3, async (analyst, page) => {
    await analyst.click(view(page, "SOPR"));
    await analyst.click(page.locator("#range button[value='7d']"));
    await analyst.click(page.locator("[data-part=resolution] button[value=hour]"));
    expect(search(page)).toMatch(/r=hour/);
    expect(await page.locator("#range button[aria-pressed=true]").textContent()).toBe("7D");
  });

  task("compares wealth now with that of a year ago", 3, async (analyst, page) => {
    await analyst.click(view(page, "Supply by wealth"));
    const box = (await page.locator("#chart .u-over").boundingBox())!;
    await page.mouse.click(box.x + box.width - 2, box.y + box.height / 2);
    analyst.actions++;
    await analyst.click(button(page, "A year before"));
    const pins = page.locator("[data-part=pins]");
    // A pixel is a day or more.
    expect(await pins.locator("thead").textContent()).toMatch(/^Pinned(\d+) Dec 2024\1 Dec 2025Change%$/);
    expect(await pins.locator("tbody tr").count()).toBeGreaterThan(7);
    // The bars, both values, and the change in two forms.
    expect(await pins.locator("tbody tr").first().locator("td").count()).toBe(5);
    expect(await pins.locator(".bars i").count()).toBeGreaterThan(12);
    expect(await violations(page, { within: "[data-part=pins]" })).toEqual([]);
    await screenshot(page, "wealth-a-year-ago");
  });

  task("copies an exact number", 2, async (analyst, page) => {
    const box = (await page.locator("#chart .u-over").boundingBox())!;
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    analyst.actions++;
    await analyst.press("Control+c");
    expect(await page.evaluate("navigator.clipboard.readText()")).toMatch(/\t\d+\.\d{4,}/);
  });

  task("shares a board of four charts by a link", 6, async (analyst, page) => {
    await page.getByRole("link", { name: "Boards" }).click();
    analyst.actions++;
    await page.locator("[data-part=add]:focus").waitFor();
    for (const words of ["sopr", "mvrv", "exchange netflow", "supply by age"]) {
      await page.keyboard.type(words);
      await page.keyboard.press("Enter");
      analyst.actions++;
    }
    await button(page, "Copy link").click();
    analyst.actions++;
    await page.locator("[data-part=state]").getByText("Link copied.").waitFor();
    const link = await page.evaluate<string>("navigator.clipboard.readText()");
    await page.goto("about:blank");
    await page.goto(link);
    await expect.poll(() => page.locator(".cell [data-part=frame][aria-busy=false] .uplot").count()).toBe(4);
    expect(await page.locator(".cell [data-part=open]").allTextContents()).toEqual([
      "SOPR",
      "MVRV",
      "Netflow to exchanges",
      "Supply by age",
    ]);
  });
});
