/**
 * What analysts do, in as many actions as it may take: a click, a key, or a typed text with Enter, counted from the first
 * page. In Chromium on the real Worker.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { CHROMIUM, drawn, SCREENSHOTS, screenshot, violations } from "./browser.ts";
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
  const { stage, visit } = freshPages();
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
    await analyst.click(button(page, "Index to 100"));
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

  const study = (page: Page) => page.locator(".study:visible");
  const studied = (page: Page, title: string) => study(page).locator("strong", { hasText: title }).waitFor();

  task("sees this drawdown against the earlier ones", 3, async (analyst, page) => {
    await analyst.press("/");
    await analyst.type("price");
    await analyst.click(button(page, "Cycles"));
    await study(page).locator("tbody tr.summary").waitFor();
    expect(search(page)).toBe("?a=ARIA&y=price&study=cycles:high");
    expect(await study(page).locator("thead").textContent()).toMatch(/^Deepestafter daysover after daysOn day \d+$/);
    // A slow reader of the API looks for the last row at which the price was the highest so far.
    const response = await fetch(`${stage.url}/v3/series?a=ARIA&m=price`, { headers: { "X-Api-Key": stage.key } });
    const { series } = (await response.json()) as { series: { v: number[] }[] };
    const prices = series[0]!.v;
    const high = prices.lastIndexOf(Math.max(...prices));
    const below = 100 * (1 - prices.at(-1)! / prices[high]!);
    const text = (await study(page).locator("p").textContent())!;
    expect(text).toContain(`Day ${prices.length - 1 - high} of this drawdown: `);
    expect(Number(/: ([\d.]+)\u202f%/.exec(text)![1])).toBeCloseTo(below, 1);
  });

  task("sees seasonality by month", 3, async (analyst, page) => {
    await analyst.press("/");
    await analyst.type("price");
    await analyst.click(button(page, "Seasonality"));
    await study(page).locator("tbody").waitFor();
    expect(search(page)).toBe("?a=ARIA&y=price&study=seasons:month:change");
    const heads = await study(page).locator("tbody th").allTextContents();
    expect(heads.slice(-3)).toEqual([expect.stringMatching(/^20\d\d$/), "Mean", "Median"]);
    expect(await study(page).locator("tbody tr").first().locator("td").count()).toBe(12);
  });

  task("sees a scatter of two metrics", 4, async (analyst, page) => {
    await analyst.press("/");
    await analyst.type("mvrv");
    await analyst.click(button(page, "Price"));
    await analyst.click(button(page, "Scatter"));
    await study(page).locator("canvas").waitFor();
    expect(search(page)).toMatch(/^\?a=ARIA&y==mvrv&price=\w+&study=scatter$/);
    const figures = await study(page).locator("tbody tr").first().locator("td").allTextContents();
    for (const figure of figures.slice(0, 2)) expect(figure).toMatch(/^\u2212?[01]\.\d{3}$/);
  });

  it.each([
    ["light", 1440, 960],
    ["dark", 390, 844],
  ] as const)("can read each study: in %s, %i × %i", async (colorScheme, width, height) => {
    const titles = {
      "cycles:high": "Drawdowns of Price",
      "cycles:year": "Years of Price",
      "cycles:2024-01-01": "Since 1 Jan 2024",
      "seasons:month:mean": "Price by month: mean",
      scatter: "Realised price, Total by Price",
      histogram: "Histogram of Price",
    };
    const page = await visit("?a=ARIA&y=price&y=realised_price", { colorScheme, viewport: { width, height } });
    for (const [text, title] of Object.entries(titles)) {
      // The browser's own buttons do so.
      await page.evaluate(`history.pushState(null, "", "?a=ARIA&y=price&y=realised_price&study=${text}");
        dispatchEvent(new PopStateEvent("popstate"))`);
      await drawn(page);
      await studied(page, title);
      expect(await violations(page, { within: ".study" }), text).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), text).toBe(true);
      await study(page).scrollIntoViewIfNeeded();
      await screenshot(page, `study-${text.replace(/:.*/, "")}-${colorScheme}-${width}`);
    }
  });

  it("takes a study along: by hand, undone, in a picture, on a board and back", async () => {
    const page = await visit("?a=ARIA&y=price");
    await page.keyboard.press("/");
    await page.keyboard.insertText("seasonality");
    await page.keyboard.press("Enter");
    await button(page, "Hour × weekday").click();
    await study(page).locator("tbody tr").nth(25).waitFor();
    expect(search(page)).toBe("?a=ARIA&y=price&r=hour&study=seasons:hour:change");
    await page.keyboard.press("Control+z");
    await studied(page, "Price by month");
    await button(page, "Cycles").click();
    const dates = page.getByLabel("Dates at which cycles begin");
    await dates.fill("2025-01-01, 2024-01-01");
    await dates.press("Enter");
    await studied(page, "Price since each date");
    await expect.poll(() => search(page)).toBe("?a=ARIA&y=price&study=cycles:2024-01-01,2025-01-01");
    // A key in a field is a letter.
    await page.locator("#title").click();
    const height = (png: Buffer) => png.readUInt32BE(20);
    const picture = async (name: string) => {
      const waiting = page.waitForEvent("download");
      await page.keyboard.press("/");
      await page.keyboard.insertText("download picture 1200");
      await page.keyboard.press("Enter");
      const download = await waiting;
      await download.saveAs(join(SCREENSHOTS, `${name}.png`));
      return readFile(await download.path());
    };
    const withStudy = height(await picture("picture-study"));
    await page.getByRole("button", { name: "Close this study" }).click();
    await study(page).waitFor({ state: "hidden" });
    expect(withStudy).toBeGreaterThan(height(await picture("picture-plain")) + 320);
    await page.keyboard.press("Control+z");
    await study(page).locator("canvas").waitFor();
    await button(page, "Saved").click();
    await button(page, "Add to board").click();
    await study(page).locator("canvas").waitFor();
    expect(decodeURIComponent(search(page))).toContain("study=cycles:2024-01-01,2025-01-01");
    expect(await violations(page, { within: ".study" })).toEqual([]);
    await screenshot(page, "study-on-a-board");
    await page.locator(".cell [data-part=open]").click();
    await studied(page, "Price since each date");
  });

  task("copies an exact number", 2, async (analyst, page) => {
    const box = (await page.locator("#chart .u-over").boundingBox())!;
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    analyst.actions++;
    await analyst.press("Control+c");
    expect(await page.evaluate("navigator.clipboard.readText()")).toMatch(/\t\d+\.\d{4,}/);
  });

  task("screens assets by an own formula with a filter, and shares that", 5, async (analyst, page) => {
    await page.getByRole("link", { name: "Assets" }).click();
    analyst.actions++;
    const table = page.locator("#table tbody tr");
    await table.first().waitFor();
    await page.keyboard.press("f");
    analyst.actions++;
    for (const text of ["sma(sopr, 30)", "sma(sopr, 30) > 0"]) {
      await page.keyboard.type(text);
      await page.keyboard.press("Enter");
      analyst.actions++;
    }
    await button(page, "Copy link").click();
    analyst.actions++;
    await button(page, "Copied").waitFor();
    const link = await page.evaluate<string>("navigator.clipboard.readText()");
    await page.goto("about:blank");
    await page.goto(link);
    await expect.poll(() => page.locator("#count").textContent()).toBe("2 assets");
    expect(await page.locator("thead").textContent()).toContain("sma(sopr, 30)");
    expect(await page.getByRole("list", { name: "Filters" }).textContent()).toContain("sma(sopr, 30) > 0");
  });

  task("makes a watchlist of three", 4, async (analyst, page) => {
    const assets = ["A", "B", "C", "D"].map((asset) => ({ asset, name: asset, t: null, closes: [] }));
    await page.route("**/v3/screener", (route) => route.fulfill({ json: { assets } }));
    await page.getByRole("link", { name: "Assets" }).click();
    analyst.actions++;
    for (const asset of ["A", "C", "D"]) {
      await page.getByRole("button", { name: `Watch ${asset}` }).click();
      analyst.actions++;
    }
    await page.reload();
    await button(page, "★ Watchlist").click();
    expect(await page.locator("#table tbody th a").allTextContents()).toEqual(["A", "C", "D"]);
    expect(search(page)).toBe("?watch=A,C,D");
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
      await page.keyboard.insertText(words);
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
      await page.keyboard.insertText(words);
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
