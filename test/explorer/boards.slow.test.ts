/** Boards in Chromium on the real Worker: by mouse, by keyboard, in links and in files. */

import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { CHROMIUM, chooseAsset, drawn, SCREENSHOTS, screenshot, violations } from "./browser.ts";
import { freshPages } from "./fresh-pages.ts";

/** Waits until the charts that are near the window are drawn. */
async function boardDrawn(page: Page, count: number): Promise<void> {
  await expect.poll(() => page.locator(".cell").count()).toBe(count);
  const isDrawn = () =>
    page.evaluate<boolean>(`[...document.querySelectorAll(".cell")]
      .filter((cell) => cell.getBoundingClientRect().top < innerHeight)
      .every((cell) => cell.querySelector("[data-part=frame][aria-busy=false] .uplot"))`);
  await expect.poll(isDrawn, { timeout: 20_000 }).toBe(true);
}

const search = (page: Page) => decodeURIComponent(decodeURIComponent(new URL(page.url()).search));
const titles = (page: Page) => page.locator(".cell [data-part=open]").allTextContents();

describe.skipIf(!CHROMIUM)("a board", () => {
  const { stage, open } = freshPages();

  async function visit(path: string, options?: Parameters<typeof open>[0]): Promise<Page> {
    const { page } = await open(options);
    await page.goto(`${stage.url}${path}#key=${stage.key}`);
    return page;
  }

  const cell = (page: Page, title: string) => page.locator(".cell", { hasText: title });
  const plot = async (chart: Locator) => (await chart.locator(".u-over").boundingBox())!;

  it.each(["light", "dark"] as const)("that is deployed is whole, in %s", async (colorScheme) => {
    const page = await visit("/boards/valuation?a=ARIA", { colorScheme });
    await boardDrawn(page, 6);
    expect(await page.title()).toBe("Valuation · ARIA · Soprano");
    expect(await page.locator("main [aria-current=page]").textContent()).toBe("Valuation");
    expect(await violations(page)).toEqual([]);
    await screenshot(page, `board-${colorScheme}`);
    await page.mouse.move(700, 600);
    for (let turn = 0; turn < 4; turn++) await page.mouse.wheel(0, 500);
    await page.locator(".cell").last().locator(".uplot").waitFor();
    // The wheel scrolls, and zooms nothing.
    expect(page.url()).toBe(`${stage.url}/boards/valuation?a=ARIA`);
  });

  it("says where the supply is, also of an asset without kinds of contracts", async () => {
    const page = await visit("/boards/where-the-supply-is?a=ARIA");
    await boardDrawn(page, 6);
    expect(await page.title()).toBe("Where the supply is · ARIA · Soprano");
    await screenshot(page, "board-supply");
    await page.mouse.move(700, 600);
    for (let turn = 0; turn < 6; turn++) await page.mouse.wheel(0, 500);
    await page.locator(".cell").last().locator(".uplot").waitFor();
    expect(await page.locator(".cell [role=alert]").count()).toBe(0);
    await cell(page, "Beside them").getByRole("link", { name: "Beside them" }).click();
    await drawn(page);
    expect(search(page)).toBe("?a=ARIA&y=supply:*kind:lines&scale=log");
    const parts = page.getByRole("list", { name: "Parts of Supply by kind" }).getByRole("button");
    expect(await parts.allTextContents()).toEqual(["Users", "Smart contracts", "Exchanges"]);
    expect(await page.locator(".overlap").textContent()).toContain("don’t add up");
    expect(await violations(page)).toEqual([]);
  });

  it("has one crosshair and one range", async () => {
    const page = await visit("/boards/valuation?a=ARIA");
    await boardDrawn(page, 6);
    const moments = () => page.locator(".cell .moment").allTextContents();
    const before = (await moments())[0];
    const box = await plot(page.locator(".cell").nth(0));
    await page.mouse.move(box.x + box.width / 3, box.y + 50);
    await expect.poll(moments).not.toContain(before);
    const shown = (await moments()).slice(0, 4);
    // A pixel of the narrower plots is another day.
    const dates = shown.map((text) => Date.parse(text.replace(" UTC", "")));
    for (const date of dates) expect(Math.abs(date - dates[0]!)).toBeLessThan(5 * 86_400_000);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + 50, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => search(page)).toMatch(/z=202[34]-/);
    expect(await page.locator(".cell [data-part=reset]:visible").count()).toBeGreaterThanOrEqual(4);
    await page.locator("[data-part=range] button[value='90d']").click();
    await expect.poll(() => search(page)).toBe("?a=ARIA&range=90d");
    expect(await page.locator(".cell [data-part=reset]:visible").count()).toBe(0);
    await chooseAsset(page, "DUET");
    await boardDrawn(page, 6);
    await expect.poll(() => search(page)).toBe("?a=DUET&range=90d");
    await page.goBack();
    await boardDrawn(page, 6);
    expect(await page.locator("#asset").textContent()).toBe("Asset: ARIAAria");
  });

  it("is made, arranged and undone by keyboard, and kept by the browser", async () => {
    const page = await visit("/boards");
    await page.locator("[data-part=add]:focus").waitFor();
    for (const words of ["sopr", "supply by age", "xyzzy"]) {
      await page.locator("[data-part=add]").fill(words);
      await page.keyboard.press("Enter");
    }
    await expect.poll(() => page.locator("[data-part=state]").textContent()).toBe("Nothing is called “xyzzy”.");
    await boardDrawn(page, 2);
    expect(await titles(page)).toEqual(["SOPR", "Supply by age"]);
    await page.getByLabel("Name of the board").fill("Mine");
    await page.keyboard.press("Enter");
    expect(await page.locator("h1").textContent()).toBe("Mine");
    await cell(page, "SOPR").getByRole("button", { name: "Move on" }).press("Enter");
    expect(await titles(page)).toEqual(["Supply by age", "SOPR"]);
    await page.locator(":focus").press("Enter");
    expect(await titles(page), "it is the last already").toEqual(["Supply by age", "SOPR"]);
    const height = async () => (await plot(cell(page, "SOPR"))).height;
    const medium = await height();
    await cell(page, "SOPR").getByRole("button", { name: "Change the height" }).press("Enter");
    await expect.poll(height).toBeGreaterThan(medium + 50);
    await page.locator("[data-part=columns] button[value='3']").press("Enter");
    expect(search(page)).toBe("?title=Mine&columns=3&a=ARIA&chart=y=supply:*age:share&chart=y=sopr:total&height=tall");
    expect(await violations(page)).toEqual([]);
    await cell(page, "SOPR").getByRole("button", { name: "Remove from the board" }).press("Enter");
    expect(await titles(page)).toEqual(["Supply by age"]);
    await cell(page, "Supply").getByRole("button", { name: "Remove from the board" }).press("Enter");
    expect(await page.getByText("An empty board.").isVisible()).toBe(true);
    await page.getByRole("button", { name: "Undo" }).click();
    await boardDrawn(page, 1);
    await page.keyboard.press("Control+z");
    await boardDrawn(page, 2);
    await page.keyboard.press("Control+z");
    await expect.poll(() => search(page)).not.toContain("columns=3");
    await page.keyboard.press("Control+Shift+z");
    await expect.poll(() => search(page)).toContain("columns=3");
    await page.goto(`${stage.url}/boards/holders`);
    await page.getByRole("link", { name: "Mine" }).click();
    await page.waitForURL(/\/boards\?title=Mine/);
  });

  it("is one of several, none of which another one replaces", async () => {
    const page = await visit("/boards");
    const own = () => page.locator("[data-part=own] a").allTextContents();
    const add = async (words: string) => {
      await page.locator("[data-part=add]").fill(words);
      await page.keyboard.press("Enter");
    };
    for (const words of ["sopr", "volume", "price", "supply"]) await add(words);
    await boardDrawn(page, 4);
    await page.getByRole("link", { name: "New board" }).click();
    await expect.poll(() => page.locator(".cell").count()).toBe(0);
    expect(await own()).toEqual(["Board"]);
    await add("sopr");
    await boardDrawn(page, 1);
    expect(await own()).toEqual(["Board", "Board 2"]);
    expect(await page.locator("main [aria-current=page]").textContent()).toBe("Board 2");
    await page.getByLabel("Name of the board").fill("Board");
    await page.keyboard.press("Enter");
    expect(await page.locator("[data-part=state]").textContent()).toBe("You have a board “Board” already.");
    await page.getByRole("button", { name: "Delete" }).click();
    expect(await own()).toEqual(["Board"]);
    expect(await page.locator("[data-part=state]").textContent()).toBe("Board “Board 2” deleted.Undo");
    await page.getByRole("button", { name: "Undo" }).click();
    await boardDrawn(page, 1);
    expect(await own()).toEqual(["Board", "Board 2"]);
    expect(await violations(page)).toEqual([]);
    await page.getByRole("link", { name: "Board", exact: true }).click();
    await boardDrawn(page, 4);
    await screenshot(page, "boards-own");
  });

  it("says what of its link can't be read, and draws nothing else in its place", async () => {
    const cut = await visit("/boards?title=Mine&chart=y%3Dsop");
    await expect.poll(() => cell(cut, "Not a chart").count()).toBe(1);
    expect(await cell(cut, "Not a chart").locator("[role=alert]").textContent()).toBe(
      "This chart can’t be readThere is no series sop, so it isn't shown.",
    );
    expect(await cut.locator(".uplot").count()).toBe(0);
    await chooseAsset(cut, "DUET");
    expect(await cell(cut, "Not a chart").count()).toBe(1);
    const none = await visit("/boards?title=Mine&columns=3&chart=%");
    await expect.poll(() => none.locator("[data-part=problem]").textContent()).toContain("no chart that can be read");
    expect(await none.locator("[data-part=problem]").isVisible()).toBe(true);
    expect(await violations(none)).toEqual([]);
  });

  it("lets a chart alone, which comes back as it was changed", async () => {
    const page = await visit("/boards/holders?a=ARIA&range=1y");
    await boardDrawn(page, 6);
    await page.getByRole("link", { name: "Concentration" }).click();
    await drawn(page);
    expect(search(page)).toBe("?a=ARIA&y=herfindahl:total&range=1y");
    await page.getByRole("button", { name: "Bars", exact: true }).click();
    await page.getByRole("link", { name: "← Holders" }).click();
    await boardDrawn(page, 6);
    expect(search(page)).toContain("y=herfindahl:total&mark=bars");
    expect(await page.locator("h1").textContent()).toBe("Holders");
    await page.goto(`${stage.url}/`);
    await drawn(page);
    expect(await page.locator(".board-back").count()).toBe(0);
  });

  it("takes a chart from the explorer", async () => {
    const page = await visit("/?a=ARIA&y=sopr&range=1y");
    await drawn(page);
    await page.getByRole("button", { name: "Saved", exact: true }).click();
    await page.getByRole("button", { name: "Add to board", exact: true }).click();
    await boardDrawn(page, 1);
    expect(search(page)).toBe("?title=Board&a=ARIA&range=1y&chart=y=sopr:total");
  });

  it("leaves as a file and comes back", async () => {
    const page = await visit("/boards/exchange-stress");
    await boardDrawn(page, 4);
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe("exchange-stress.json");
    const path = (await download.path())!;
    expect(JSON.parse(await readFile(path, "utf8")).charts).toHaveLength(4);
    const other = await visit("/boards");
    await other.locator("[data-part=file]").setInputFiles(path);
    await boardDrawn(other, 4);
    expect(await other.locator("h1").textContent()).toBe("Exchange stress");
    await other.locator("[data-part=file]").setInputFiles({
      name: "x.json",
      mimeType: "application/json",
      buffer: Buffer.from("[]"),
    });
    await expect.poll(() => other.locator("[data-part=state]").textContent()).toContain("holds no board");
  });

  it("is printed whole, also what is below the window, on A4 and letter paper", async () => {
    const page = await visit("/boards/valuation?a=ARIA", { viewport: { width: 1440, height: 500 } });
    await boardDrawn(page, 6);
    await page.evaluate("globalThis.print = () => { globalThis.isPrinted = true; }");
    await page.keyboard.press("Control+p");
    await expect.poll(() => page.evaluate("globalThis.isPrinted")).toBe(true);
    expect(await page.locator(".cell .uplot").count()).toBe(6);
    await page.emulateMedia({ media: "print" });
    for (const part of [".board-bar", ".cell-actions", "[data-part=boards]", ".bar nav"]) {
      expect(await page.locator(part).first().isVisible(), part).toBe(false);
    }
    for (const [format, width] of [
      ["A4", 718],
      ["Letter", 740],
    ] as const) {
      await page.setViewportSize({ width, height: 1000 });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      const boxes = await page.evaluate<[right: number, height: number][]>(
        `[...document.querySelectorAll(".cell canvas")].map((one) => one.getBoundingClientRect()).map(({ right, height }) => [right, height])`,
      );
      for (const [right, height] of boxes) {
        expect(right).toBeLessThanOrEqual(width);
        expect(height).toBeGreaterThan(100);
      }
      const margin = "1cm";
      const pdf = await page.pdf({ format, margin: { top: margin, right: margin, bottom: margin, left: margin } });
      expect(pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)!.length, format).toBeLessThanOrEqual(3);
    }
    await screenshot(page, "board-print");
  });

  it("has texts, which are written, arranged and undone, and is a picture of both sizes", async () => {
    const page = await visit("/boards?a=ARIA&title=Report&chart=y%3Dsopr&chart=y%3Dsupply:*age:share");
    await boardDrawn(page, 2);
    await page.getByRole("button", { name: "+ Text" }).click();
    const written = "# The week\nSOPR **fell**, see [the chart](/?y=sopr) <b>\n\n- one\n- two";
    await page.getByRole("textbox", { name: "Text", exact: true }).fill(written);
    expect(await violations(page, { within: ".grid" })).toEqual([]);
    // The focus leaves it for another control: nothing is lost.
    await page.locator("[data-part=columns] button[value='2']").focus();
    const cell = page.locator(".text-cell");
    await expect
      .poll(() => cell.locator(".markdown").innerHTML())
      .toBe(
        '<h2>The week</h2><p>SOPR <strong>fell</strong>, see <a href="/?y=sopr">the chart</a> &lt;b&gt;</p><ul><li>one</li><li>two</li></ul>',
      );
    await expect.poll(() => new URL(page.url()).searchParams.getAll("chart").at(-1)).toBe(`text:${written}`);
    await cell.getByRole("button", { name: "Move back" }).press("Enter");
    await cell.getByRole("button", { name: "As wide as a chart" }).press("Enter");
    await expect.poll(() => new URL(page.url()).searchParams.getAll("chart")[1]).toBe(`text-column:${written}`);
    await page.keyboard.press("Control+z");
    await expect.poll(() => page.locator(".text-cell.wide").count()).toBe(1);
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "board-text");
    await cell.getByRole("button", { name: "Change the text" }).press("Enter");
    const field = page.getByRole("textbox", { name: "Text", exact: true });
    await field.press("Escape");
    expect(await cell.locator("h2").textContent()).toBe("The week");
    // What is being written stays with its board when another one takes its place, which isn't touched.
    await page.getByRole("button", { name: "+ Text" }).click();
    await field.fill("Half a");
    const charts = () => new URL(page.url()).searchParams.getAll("chart");
    const before = charts();
    await page.goBack();
    await expect.poll(charts).not.toEqual(before);
    expect(charts()).not.toContain("text:Half a");
    await page.keyboard.press("Control+z");
    await expect.poll(charts).toEqual([...before, "text:Half a"]);
    await page.keyboard.press("Control+z");
    await expect.poll(charts).toEqual(before);
    expect(await cell.locator("h2").textContent()).toBe("The week");
    const sizes: number[][] = [];
    let downloads = 0;
    page.on("download", () => downloads++);
    for (const name of ["PNG", "PNG 2×"]) {
      const downloading = page.waitForEvent("download");
      // The second press of two is the first one's.
      await page.getByRole("button", { name, exact: true }).dblclick();
      const download = await downloading;
      expect(download.suggestedFilename()).toBe("report.png");
      const picture = await readFile((await download.path())!);
      await copyFile((await download.path())!, join(SCREENSHOTS, `board-picture-${sizes.length + 1}.png`));
      sizes.push([picture.readUInt32BE(16), picture.readUInt32BE(20)]);
    }
    const [[width, height], twice] = sizes as [[number, number], number[]];
    expect(downloads).toBe(2);
    expect(width).toBe(2 * 680 + 16 + 2 * 28);
    expect(height).toBeGreaterThan(500);
    for (const [i, size] of [width, height].entries()) expect(Math.abs(twice[i]! - 2 * size)).toBeLessThanOrEqual(2);
    expect(await page.locator("[data-part=state]").textContent()).toBe("Picture downloaded.");
    await cell.getByRole("button", { name: "Remove from the board" }).click();
    expect(await page.locator("[data-part=state]").textContent()).toBe("Text removed.Undo");
  });

  it("has one column on a phone", async () => {
    const page = await visit("/boards/activity-and-age", { viewport: { width: 390, height: 844 }, hasTouch: true });
    await boardDrawn(page, 8);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    const boxes = await Promise.all([0, 1].map((place) => page.locator(".cell").nth(place).boundingBox()));
    expect(boxes[0]!.x).toBe(boxes[1]!.x);
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "board-phone");
  });
});
