/** Pins, undo and a lost connection, in Chromium on the real Worker. */

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { CHROMIUM, drawn, pixelsOf, screenshot, violations } from "./browser.ts";
import { freshPages } from "./fresh-pages.ts";

const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };

/** Clicks on the first plot, at a share of its width. */
async function clickPlot(page: Page, at: number): Promise<void> {
  const box = (await page.locator("#chart .u-over").boundingBox())!;
  await page.mouse.click(box.x + at * box.width, box.y + box.height / 2);
}

const pinned = (page: Page) => page.locator("[data-part=pins] tbody tr").allTextContents();
const search = (page: Page) => new URL(page.url()).search;

describe.skipIf(!CHROMIUM)("pins", () => {
  const { visit } = freshPages();

  it("give an exact number to copy, in a click and Ctrl C", async () => {
    const page = await visit("?y=sopr:total&s=2025-03-01&u=2025-03-11", CLIPBOARD);
    await clickPlot(page, 0.5);
    await expect.poll(() => pinned(page)).toHaveLength(1);
    expect(await page.locator("[data-part=pins] thead").textContent()).toBe("Pinned6 Mar 2025");
    await page.keyboard.press("Control+c");
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(copied).toMatch(/^\d\.\d{10,}$/);
    const shown = await page.locator("[data-part=pins] tbody td").textContent();
    expect(Number(copied).toFixed(shown!.split(".")[1]!.length)).toBe(shown);
    // The plot has a line there, and the table a mark.
    const line = await pixelsOf(page, "--ink");
    expect(line).toBeGreaterThan(100);
    expect(await page.locator("#table tr.pinned th").textContent()).toBe("6 Mar 2025");
    await expect.poll(() => search(page)).toContain("&pin=2025-03-06");
    const other = await visit(search(page));
    await expect.poll(() => pinned(other)).toEqual(await pinned(page));
    expect(await pixelsOf(other, "--ink")).toBe(line);
    expect(await other.locator("#table tr.pinned th").textContent()).toBe("6 Mar 2025");
    await page.keyboard.press("Escape");
    expect(await page.locator("[data-part=pins]").isVisible()).toBe(false);
    expect(await pixelsOf(page, "--ink")).toBe(0);
    await page.keyboard.press("Control+z");
    await expect.poll(() => pinned(page)).toHaveLength(1);
    await page.keyboard.press("Control+z");
    await expect.poll(() => page.locator("[data-part=pins]").isVisible()).toBe(false);
    expect(search(page)).not.toContain("pin=");
  });

  it("are days on which something happened, which marks on the chart tell, too", async () => {
    const page = await visit("?a=ARIA&y=price&s=2024-02-20&u=2024-03-20&pin=2024-03-01&day=open");
    const marks = page.locator(".event button");
    await expect.poll(() => marks.count()).toBe(2);
    expect(await marks.first().getAttribute("aria-label")).toBe("1 Mar 2024: Listing on an exchange");
    const card = page.locator(".event-card").first();
    expect(await card.isVisible()).toBe(false);
    await marks.first().hover();
    expect(await card.isVisible()).toBe(true);
    const link = card.getByRole("link", { name: "Listing on an exchange" });
    expect(await link.getAttribute("href")).toBe("https://example.org/listing");
    await marks.nth(1).focus();
    expect(await page.locator(".event-card").nth(1).textContent()).toBe("3 Mar 2024 Unlock");
    const panel = page.locator("[data-part=day][aria-busy=false]");
    await expect.poll(() => panel.locator(".day-events").textContent()).toBe("1 Mar 2024 Listing on an exchange");
    expect(await panel.locator("h2").textContent()).toBe("What happened: 1 Mar 2024");
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "events");
    const accents = await pixelsOf(page, "--accent");
    await page.getByRole("button", { name: "Events", exact: true }).click();
    await expect.poll(() => marks.count()).toBe(0);
    expect(await pixelsOf(page, "--accent")).toBeLessThan(accents);
    expect(search(page)).toContain("events=off");
    await panel.getByRole("button", { name: "Close" }).click();
    await expect.poll(() => search(page)).not.toContain("day=");
    expect(await page.locator("[data-part=day]").isVisible()).toBe(false);
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+z");
    await expect.poll(() => marks.count()).toBe(2);
    await panel.locator(".day-events").waitFor();
    // All three years: the two events share a mark.
    await page.goto(page.url().replace(/&s=.*$/, "&pin=2025-06-01"));
    await expect.poll(() => marks.count()).toBe(2);
    expect(await marks.first().getAttribute("aria-label")).toBe("1 Mar 2024: Listing on an exchange, and 1 more");
  });

  it("compare the parts of a family by bars, in any order", async () => {
    const page = await visit("?a=ARIA&y=supply:*value:stack&r=week");
    await clickPlot(page, 0.3);
    await clickPlot(page, 0.9);
    await expect.poll(async () => (await pinned(page)).length).toBeGreaterThan(7);
    const panel = page.locator("[data-part=pins]");
    const numbers = async (column: number) => {
      const texts = await panel.locator(`tbody tr td:nth-child(${column})`).allTextContents();
      return texts.map((text) => Number(text.replaceAll(",", "")));
    };
    // Behind the name and the bars: the earlier and the later pin. The whole has no bar.
    const [before, now] = [await numbers(3), await numbers(4)];
    const most = Math.max(...before.slice(1), ...now.slice(1));
    const widths = await page.evaluate<number[][]>(`[...document.querySelectorAll("[data-part=pins] .bars")]
      .map((cell) => [...cell.querySelectorAll("i")].map((bar) => bar.getBoundingClientRect().width / cell.clientWidth))`);
    expect(widths[0]).toEqual([]);
    const gap = 18;
    const room = await page.evaluate<number>(`document.querySelector("[data-part=pins] .bars").clientWidth`);
    for (const [row, pair] of widths.entries()) {
      if (row === 0) continue;
      const expected = [before[row]!, now[row]!].map((value) => (value / most) * (1 - gap / room));
      for (const [pin, width] of pair.entries()) expect(width).toBeCloseTo(expected[pin]!, 2);
    }
    const sort = panel.getByRole("button", { name: "Change" });
    await sort.click();
    expect(await panel.locator("th[aria-sort]").getAttribute("aria-sort")).toBe("descending");
    const sorted = await Promise.all([numbers(3), numbers(4)]).then(([a, b]) => b.map((value, row) => value - a[row]!));
    expect(sorted).toEqual(sorted.toSorted((a, b) => b - a));
    expect(sorted).toHaveLength(now.length);
    await page.keyboard.press("Enter");
    expect(await panel.locator("th[aria-sort]").getAttribute("aria-sort")).toBe("ascending");
    await page.keyboard.press("Enter");
    expect(await numbers(4)).toEqual(now);
    expect(await violations(page, { within: "[data-part=pins]" })).toEqual([]);
  });

  it("take a note, which is part of the link, the chart and the picture", async () => {
    const page = await visit("?y=sopr:total&s=2025-03-01&u=2025-03-31", CLIPBOARD);
    await clickPlot(page, 0.5);
    await page.getByRole("button", { name: "Note", exact: true }).click();
    await page.keyboard.type("Listing, finally");
    const before = await pixelsOf(page, "--accent-wash");
    await page.keyboard.press("Enter");
    await expect.poll(() => decodeURIComponent(search(page))).toMatch(/&note=2025-03-\d\d,,Listing, finally$/);
    expect(await page.locator("[data-part=pins]").isVisible()).toBe(false);
    await expect.poll(() => pixelsOf(page, "--accent-wash")).toBeGreaterThan(before + 500);
    expect(await page.locator("[data-part=remarks] li").textContent()).toMatch(/^\d+ Mar 2025Listing, finally×$/);
    // A stretch, by keyboard alone.
    await page.locator("#chart").focus();
    for (const key of ["Home", "Enter", "End", "Enter"]) await page.keyboard.press(key);
    await page.getByRole("button", { name: "Note", exact: true }).press("Enter");
    await page.keyboard.type("The whole month");
    await page.keyboard.press("Enter");
    await expect.poll(() => decodeURIComponent(search(page))).toContain("note=2025-03-01,2025-03-31,The whole month");
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "notes");
    const other = await visit(new URL(page.url()).search);
    expect(await other.locator("[data-part=remarks] li").count()).toBe(2);
    await other.getByRole("button", { name: "Remove the note “The whole month”" }).click();
    await expect.poll(() => decodeURIComponent(search(other))).not.toContain("month");
    await other.keyboard.press("Control+z");
    await expect.poll(() => decodeURIComponent(search(other))).toContain("month");
  });

  it("say what has changed between two points, for each line, and copy as a table", async () => {
    const page = await visit("?y=market_cap&y=realised_cap&s=2025-03-01&u=2025-03-11", CLIPBOARD);
    await clickPlot(page, 0.98);
    await clickPlot(page, 0.02);
    await expect
      .poll(() => page.locator("[data-part=pins] thead").textContent())
      .toBe("Pinned1 Mar 202511 Mar 2025Change%");
    const cells = await page.locator("[data-part=pins] tbody tr").first().locator("td").allTextContents();
    const [before, now] = cells.map((text) => Number(text.replace(/[$,]/g, "")));
    expect(cells[3]).toBe(
      `${now! < before! ? "−" : "+"}${Number(Math.abs(100 * (now! / before! - 1)).toPrecision(3))}\u202f%`,
    );
    await page.locator("[data-part=pins] button", { hasText: "Copy" }).click();
    const lines = (await page.evaluate<string>("navigator.clipboard.readText()")).split("\n");
    expect(lines.map((line) => line.split("\t").length)).toEqual([3, 3, 3]);
    expect(lines[1]).toMatch(/^2025-03-01T00:00:00\t\d/);
    expect(await violations(page, { within: "[data-part=pins]" })).toEqual([]);
    await screenshot(page, "pins");
    // A third pin takes the place of the earliest; a click on a pin removes it.
    await clickPlot(page, 0.5);
    await expect.poll(() => page.locator("[data-part=pins] thead").textContent()).toContain("6 Mar 2025");
    await clickPlot(page, 0.5);
    await expect.poll(() => page.locator("[data-part=pins] thead").textContent()).not.toContain("6 Mar 2025");
  });

  it("are set by a tap on a phone, in the dark", async () => {
    const options = { viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme: "dark" } as const;
    const page = await visit("?y=supply:*age:share&range=1y", options);
    const box = (await page.locator("#chart .u-over").boundingBox())!;
    await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
    await expect.poll(async () => (await pinned(page)).length).toBeGreaterThan(10);
    await page.getByRole("button", { name: "30 days before" }).tap();
    await expect.poll(() => page.locator("[data-part=pins] thead th").count()).toBe(5);
    expect(await violations(page, { within: "[data-part=charts]" })).toEqual([]);
    // The table scrolls by itself: the page does not.
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    await page.locator("[data-part=pins]").scrollIntoViewIfNeeded();
    await screenshot(page, "pins-phone");
  });

  it("are set by the keyboard, and are not in the way of a zoom", async () => {
    const page = await visit("?y=sopr:total&range=90d");
    await page.locator("#chart").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await expect.poll(() => pinned(page)).toHaveLength(1);
    // The table goes as far back, and scrolls there.
    const row = page.locator("#table tr.pinned");
    expect(await row.locator("th").textContent()).toBe(
      await page.locator("#table tbody tr").last().locator("th").textContent(),
    );
    expect(await row.evaluate((tr) => tr.getBoundingClientRect().bottom)).toBeLessThanOrEqual(
      await page.locator("#table").evaluate((host) => host.getBoundingClientRect().bottom + 1),
    );
    const box = (await page.locator("#chart .u-over").boundingBox())!;
    await page.mouse.move(box.x + 0.5 * box.width, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.7 * box.width, box.y + 20, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => page.locator("[data-part=reset]").isVisible()).toBe(true);
    // Pinned as before, and out of view.
    expect(await page.locator("[data-part=pins] thead th").count()).toBe(2);
    expect(await pixelsOf(page, "--ink")).toBe(0);
  });
});

describe.skipIf(!CHROMIUM)("undo", () => {
  const { visit } = freshPages();

  it("takes back and repeats what changed the chart, one zoom at a time", async () => {
    const page = await visit("?y=sopr:total");
    const first = search(page);
    await page.locator("#range button[value='90d']").click();
    await drawn(page);
    const ninety = search(page);
    expect(ninety).not.toBe(first);
    await page.locator("#chart").focus();
    await page.keyboard.press("+");
    await expect.poll(() => search(page)).not.toBe(ninety);
    const zoomed = search(page);
    await page.keyboard.press("Control+z");
    await expect.poll(() => search(page)).toBe(ninety);
    await page.keyboard.press("Control+z");
    await expect.poll(() => search(page)).toBe(first);
    await page.keyboard.press("Control+Shift+z");
    await expect.poll(() => search(page)).toBe(ninety);
    await page.keyboard.press("Control+y");
    await expect.poll(() => search(page)).toBe(zoomed);
    await drawn(page);
    await page.keyboard.press("Control+y");
    expect(search(page)).toBe(zoomed);
    expect(await page.locator("#status").textContent()).toBe("Nothing to redo.");
  });
});

describe.skipIf(!CHROMIUM)("a lost connection", () => {
  const { stage } = freshPages();

  it("leaves the last chart, dimmed, and what was asked for comes by itself", async () => {
    // Its requests that fail are faults of the page, too, so it is not one of those that may have none.
    const { page, close } = await stage.open();
    await page.goto(`${stage.url}/?y=sopr:total#key=${stage.key}`);
    await drawn(page);
    let asked = 0;
    await page.route("**/v3/series?**", (route) => {
      asked++;
      return asked > 2 ? route.continue() : route.abort();
    });
    await page.locator("[data-part=views]").getByText("Market cap and realised cap", { exact: true }).click();
    const banner = page.locator("[data-part=offline]");
    await banner.waitFor();
    expect(await page.locator("#frame").getAttribute("aria-busy")).toBe("true");
    expect(await page.locator("#chart .uplot").count()).toBe(1);
    expect(await page.locator("[data-part=notice]").isVisible()).toBe(false);
    expect(await violations(page, { within: "[data-part=charts]" })).toEqual([]);
    await screenshot(page, "offline");
    await banner.waitFor({ state: "hidden" });
    await drawn(page);
    expect(await page.locator("#series .value").first().textContent()).toMatch(/^\$/);
    expect(asked).toBeGreaterThan(2);
    await close();
  });
});
