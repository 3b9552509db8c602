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

  task("sees the z-score of MVRV", 3, async (analyst, page) => {
    await analyst.press("/");
    await analyst.type("z-score");
    expect(search(page)).toContain("y==mvrv_zscore");
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

  task("sees the largest transfers of a pinned day", 2, async (analyst, page) => {
    const box = (await page.locator("#chart .u-over").boundingBox())!;
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    analyst.actions++;
    await analyst.click(button(page, "What happened"));
    const panel = page.locator("[data-part=day][aria-busy=false]");
    const day = /pin=([\d-]+)/.exec(search(page))![1]!;
    const answer = await page.request.get(
      `${new URL(page.url()).origin}/v3/transfers/largest?a=ARIA&s=${day}&u=${day}`,
      { headers: { "X-Api-Key": await page.evaluate<string>("sessionStorage.getItem('soprano-key') ?? ''") } },
    );
    const { transfers } = await answer.json();
    const rows = panel.getByRole("table", { name: "Largest transfers" }).locator("tbody tr");
    await expect.poll(() => rows.count()).toBe(transfers.length);
    expect(transfers.length).toBeGreaterThan(0);
    expect(await panel.getByRole("table", { name: "Largest changes" }).locator("tbody tr").count()).toBe(12);
    expect(await violations(page, { within: "[data-part=day]" })).toEqual([]);
    await screenshot(page, "what-happened");
  });

  task("makes a board of four charts with a text as PDF", 9, async (analyst, page) => {
    await page.evaluate("globalThis.print = () => {}");
    await page.getByRole("link", { name: "Boards" }).click();
    analyst.actions++;
    await page.locator("[data-part=add]:focus").waitFor();
    for (const [i, words] of ["sopr", "mvrv", "exchange netflow", "supply by age"].entries()) {
      await page.keyboard.type(words);
      await page.keyboard.press("Enter");
      analyst.actions++;
      await expect.poll(() => page.locator(".cell").count()).toBe(i + 1);
    }
    await button(page, "+ Text").click();
    await page.keyboard.type("## The week\nHolders sold at a **loss**.");
    await button(page, "Done").click();
    analyst.actions += 3;
    await page.evaluate("globalThis.print = () => { globalThis.isPrinted = true; }");
    await button(page, "PDF").click();
    analyst.actions++;
    await expect.poll(() => page.evaluate("globalThis.isPrinted")).toBe(true);
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: 718, height: 1000 });
    expect(await page.locator(".markdown h3").textContent()).toBe("The week");
    expect(await page.locator(".cell .uplot").count()).toBe(4);
    const source = page.locator("[data-part=source]");
    expect(await source.textContent()).toMatch(
      /ARIA · Aria · data up to 31 Dec 2025 · build [0-9a-f]{16} · made on \d+ \w+ \d{4} · source: Soprano, .*\/boards\?/,
    );
    expect(await source.isVisible()).toBe(true);
    const pdf = await page.pdf({ format: "A4" });
    expect(pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)!.length).toBeLessThanOrEqual(3);
    await screenshot(page, "board-pdf");
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
