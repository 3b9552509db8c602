/** Several charts, their history and their looks, in Chromium on the real Worker. */

import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { findPython } from "../clients/pythons.ts";
import { CHROMIUM, chooseAsset, drawn, pixelsOf, screenshot, violations } from "./browser.ts";
import { freshPages } from "./fresh-pages.ts";

/** A Python with pandas. */
const PYTHON = findPython("pandas");

/** Skipped where there is no Chromium. Install it, or name its path in CHROMIUM. */
describe.skipIf(!CHROMIUM)("charts in Chromium", () => {
  const { stage, visit } = freshPages();

  /** The page's own value: the driver's lags behind. */
  const query = async (page: Page) => new URL(await page.evaluate<string>("location.href")).searchParams;
  const parameter = (page: Page, name: string) => expect.poll(async () => (await query(page)).get(name));
  const plots = (page: Page) => page.locator(".uplot");
  const over = async (page: Page, plot = 0) => (await page.locator(".u-over").nth(plot).boundingBox())!;
  /** The legend of a chart, counted from 1; the pointer over it shows the chart's controls. */
  const head = (page: Page, chart: number) => page.locator(".pane-head").nth(chart - 1);
  const pressed = (page: Page, group: string) =>
    page.getByRole("group", { name: group }).locator("[aria-pressed=true]").allTextContents();
  const zoomDays = async (page: Page) => {
    const [from = Number.NaN, to = Number.NaN] = ((await query(page)).get("z") ?? "")
      .split(",")
      .map((text) => Date.parse(`${text.padEnd(11, "T").slice(0, 19)}${text.length > 10 ? "Z" : "00:00Z"}`));
    return { from, to, days: (to - from) / 86_400_000 };
  };

  it("shows up to four charts below each other, with one crosshair and one range", async () => {
    const page = await visit("?y=market_cap&y=realised_cap");
    for (const metric of ["SOPR", "Supply", "Number of transfers"]) {
      await page.getByRole("button", { name: `${metric} in a chart below`, exact: true }).click({ force: true });
      await drawn(page);
    }
    await expect.poll(() => plots(page).count()).toBe(4);
    expect([...(await query(page)).keys()]).toEqual(["a", "y", "y", "y2", "y3", "y4"]);
    const another = page.getByRole("button", { name: "Exchange reserve in a chart below", exact: true });
    expect(await another.getAttribute("aria-disabled")).toBe("true");
    // One crosshair: over the second chart, all four show it at the same place.
    const box = await over(page, 1);
    await page.mouse.move(box.x + box.width / 3, box.y + 20);
    const places = await page.evaluate<number[]>(
      `[...document.querySelectorAll(".u-cursor-x")].map((line) => Math.round(line.getBoundingClientRect().x))`,
    );
    expect(places).toHaveLength(4);
    expect(Math.max(...places) - Math.min(...places)).toBeLessThanOrEqual(1);
    expect(await page.locator("[data-part=moment]").textContent()).not.toBe("31 Dec 2025 UTC");
    await screenshot(page, "four-charts");
    // One range: what is dragged over in the third chart is visible in all.
    const third = await over(page, 2);
    await page.mouse.move(third.x + third.width * 0.5, third.y + 20);
    await page.mouse.down();
    await page.mouse.move(third.x + third.width * 0.7, third.y + 20, { steps: 4 });
    await page.mouse.up();
    await expect.poll(async () => Math.round((await zoomDays(page)).days / 10)).toBe(22);
    // The last chart that was touched takes the next metric.
    await page.getByRole("button", { name: "Compare with Exchange reserve", exact: true }).click();
    await drawn(page);
    expect((await query(page)).getAll("y3")).toEqual(["supply:total", "cex_reserve:all"]);
    expect(await violations(page)).toEqual([]);
    await head(page, 2).hover();
    await page.getByRole("button", { name: "Remove chart 2" }).click();
    await drawn(page);
    expect((await query(page)).getAll("y2")).toEqual(["supply:total", "cex_reserve:all"]);
    expect(await plots(page).count()).toBe(3);
  });

  it("has one toolbar for the active chart; the others show theirs on hover and focus, without moving a chart", async () => {
    const page = await visit("?y=sopr&y2=supply&y3=market_cap&y3=realised_cap&y4=price");
    const groups = (chart: number) => page.getByRole("group", { name: new RegExp(` of chart ${chart}$`) }).count();
    const shown = async () => [await groups(1), await groups(2), await groups(3), await groups(4)];
    const plots = () =>
      page.evaluate("[...document.querySelectorAll('.u-over')].map((one) => one.getBoundingClientRect().top)");
    expect(await shown()).toEqual([expect.toSatisfy((count) => count > 5), 0, 0, 0]);
    const before = await plots();
    await head(page, 3).hover();
    expect(await shown()).toEqual([
      expect.toSatisfy((count) => count > 5),
      0,
      expect.toSatisfy((count) => count > 5),
      0,
    ]);
    expect(await plots()).toEqual(before);
    // They lie below the legend, and not over it.
    const [legend, look] = await Promise.all(
      [".series", ".look"].map((part) => page.locator(".pane").nth(2).locator(part).boundingBox()),
    );
    expect(look!.y).toBeGreaterThanOrEqual(legend!.y + legend!.height - 1);
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "toolbar-hover");
    await page.locator(".pane").nth(2).getByLabel("Compare with another asset").selectOption("DUET");
    await drawn(page);
    expect((await query(page)).getAll("y3")).toEqual([
      "market_cap:total",
      "realised_cap:total",
      "DUET.realised_cap:total",
    ]);
    await page.locator(".pane").nth(3).locator(".chart").focus();
    await page.mouse.move(0, 0);
    expect(await shown()).toEqual([0, 0, 0, expect.toSatisfy((count) => count > 5)]);
    // By keyboard, those of another chart come after its legend.
    await page.locator(".pane").nth(1).locator(".series button").last().focus();
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.closest('.pane')?.ariaLabel")).toMatch(/^Chart 2/);
    expect(await page.evaluate("document.activeElement.closest('.look') !== null")).toBe(true);
  });

  it("shows the lines' values at their axes, at the end and at the crosshair", async () => {
    const page = await visit("?y=market_cap&y=realised_cap&y=sopr");
    const atAxis = () => page.locator(".axis-value").allTextContents();
    expect(await atAxis()).toEqual([]);
    // A filled label of each line in the margin: of more pixels than its curve has there.
    expect(await pixelsOf(page, "--series-2")).toBeGreaterThan(400);
    const { x, y, width, height } = await over(page);
    await page.mouse.move(x + width * 0.6, y + height / 2);
    const legend = await page.locator("#series .value").allTextContents();
    expect(await atAxis()).toEqual(legend);
    const places = await page.locator(".axis-value").evaluateAll((all) =>
      all.map((one) => {
        const { left, right } = one.getBoundingClientRect();
        return [left, right];
      }),
    );
    expect(places.map(([left, right]) => (right! <= x ? "left" : left! >= x + width ? "right" : "over"))).toEqual([
      "left",
      "left",
      "right",
    ]);
    await page.mouse.move(x + width / 2, y - 200);
    expect(await atAxis()).toEqual([]);
  });

  it("names areas at their right edge, and makes the one under the pointer stand out", async () => {
    const page = await visit("?y=supply:*term:share");
    const { x, y, width, height } = await over(page);
    const veil = page.locator(".area-veil path");
    expect(await veil.getAttribute("d")).toBe(null);
    // Where no event has its mark.
    await page.mouse.move(x + width * 0.7, y + height * 0.98);
    const lowest = await veil.getAttribute("d");
    expect(lowest).toMatch(/^M0 0H/);
    const told = await page.locator(".heat-cell").textContent();
    // The lowest area is the first of the legend, with its share there.
    expect(told).toBe(
      (await page.locator(".parts li").first().textContent())!.replace(/ · .*/, "").replace(/(?<=\D)(?=\d)/, " "),
    );
    await screenshot(page, "area-hover");
    await page.mouse.move(x + width * 0.7, y + height * 0.02);
    expect(await veil.getAttribute("d")).not.toBe(lowest);
    await page.mouse.move(x + width / 2, y - 200);
    expect(await veil.getAttribute("d")).toBe("");
  });

  it("draws flows as bars, with a colour for each sign, and anything as one likes", async () => {
    const page = await visit("?y==cex_inflow-cex_outflow&range=90d&y2=volume&y3=market_cap");
    const mark = async (chart: number) => {
      await head(page, chart).hover();
      return pressed(page, `Drawn as of chart ${chart}`);
    };
    expect([await mark(1), await mark(2), await mark(3)]).toEqual([["Bars"], ["Bars"], ["Line"]]);
    expect(await pixelsOf(page, "--series-1")).toBeGreaterThan(500);
    expect(await pixelsOf(page, "--series-2")).toBeGreaterThan(500);
    await screenshot(page, "signed-bars");
    expect(await violations(page)).toEqual([]);
    await page.getByRole("group", { name: "Drawn as of chart 1" }).getByRole("button", { name: "Steps" }).click();
    await parameter(page, "mark").toBe("steps");
    expect(await pixelsOf(page, "--series-2")).toBeLessThan(100);
    await head(page, 3).hover();
    await page.getByRole("group", { name: "Drawn as of chart 3" }).getByRole("button", { name: "Bars" }).click();
    await parameter(page, "mark3").toBe("bars");
    await page.getByRole("group", { name: "Drawn as of chart 1" }).getByRole("button", { name: "Bars" }).click();
    await parameter(page, "mark").toBe(null);
  });

  it("goes on with the data where the dates end with the latest day", async () => {
    const page = await visit("?y=market_cap&range=1y");
    await page.getByLabel("From", { exact: true }).fill("2025-01-15");
    await parameter(page, "s").toBe("2025-01-15");
    await parameter(page, "u").toBe(null);
    // The field is left: its date is not a second entry of the history.
    const entries = await page.evaluate("history.length");
    await page.getByLabel("From", { exact: true }).press("Enter");
    await page.getByLabel("From", { exact: true }).blur();
    expect(await page.evaluate("history.length")).toBe(entries);
    await page.getByLabel("Until", { exact: true }).fill("2025-06-30");
    await parameter(page, "u").toMatch(/^2025-06-30/);
    // By the keyboard, a day at a time; what is no date changes nothing.
    await page.getByLabel("Until", { exact: true }).press("ArrowUp");
    await parameter(page, "u").toMatch(/^2025-07-01/);
    for (const wrong of ["03/04/2025", "2025-02-30"]) {
      await page.getByLabel("From", { exact: true }).fill(wrong);
      await page.getByLabel("From", { exact: true }).press("Enter");
      expect(await page.getByText(`${wrong} is no date: write it like 2026-11-20.`).first().isVisible()).toBe(true);
      expect(await page.getByLabel("From", { exact: true }).inputValue()).toBe("2025-01-15");
    }
    await parameter(page, "s").toBe("2025-01-15");
  });

  it("zooms by the wheel, pans with Shift, and tells the visible dates", async () => {
    const page = await visit("?y=market_cap&range=1y");
    expect(await pressed(page, "Range")).toEqual(["1Y"]);
    const box = await over(page);
    await page.mouse.move(box.x + box.width / 2, box.y + 60);
    await page.mouse.wheel(0, -500);
    await expect.poll(async () => Math.round((await zoomDays(page)).days)).toBe(182);
    expect(await pressed(page, "Range")).toEqual([]);
    const before = await zoomDays(page);
    const since = await page.getByLabel("From", { exact: true }).inputValue();
    expect(since).toBe(new Date(before.from).toISOString().slice(0, 10));
    await page.keyboard.down("Shift");
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.75, box.y + 60, { steps: 5 });
    await page.mouse.up();
    await page.keyboard.up("Shift");
    await expect.poll(async () => Math.round((before.from - (await zoomDays(page)).from) / 86_400_000)).toBe(46);
    expect(Math.round((await zoomDays(page)).days)).toBe(182);
    await page.locator("#chart").focus();
    await page.keyboard.press("Shift+ArrowRight");
    await expect.poll(async () => Math.round((before.from - (await zoomDays(page)).from) / 86_400_000)).toBe(9);
    // Back to the range, then to the whole history.
    await page.keyboard.press("Escape");
    await parameter(page, "z").toBe(null);
    expect(await pressed(page, "Range")).toEqual(["1Y"]);
    await page.mouse.dblclick(box.x + box.width / 2, box.y + 60);
    await parameter(page, "range").toBe(null);
    expect(await pressed(page, "Range")).toEqual(["All"]);
    // The whole history can't be zoomed out of: the wheel scrolls the page.
    await page.mouse.wheel(0, 300);
    await expect.poll(() => page.evaluate("scrollY")).toBeGreaterThan(100);
  });

  it("zooms with two fingers, and pans with one", async () => {
    const page = await visit("?y=market_cap", { hasTouch: true, viewport: { width: 820, height: 1100 } });
    const touch = await page.context().newCDPSession(page);
    const box = await over(page);
    const fingers = (type: string, ...places: number[]) =>
      touch.send("Input.dispatchTouchEvent", {
        type: type as "touchStart",
        touchPoints: places.map((place, id) => ({ x: box.x + box.width * place, y: box.y + 80, id })),
      });
    await fingers("touchStart", 0.4, 0.6);
    await fingers("touchMove", 0.3, 0.7);
    await fingers("touchMove", 0.2, 0.8);
    await fingers("touchEnd");
    await expect.poll(async () => Math.round((await zoomDays(page)).days / 10)).toBe(36);
    const { from } = await zoomDays(page);
    await fingers("touchStart", 0.5);
    await fingers("touchMove", 0.6);
    await fingers("touchMove", 0.75);
    await fingers("touchEnd");
    await expect.poll(async () => Math.round((from - (await zoomDays(page)).from) / 86_400_000 / 10)).toBe(9);
    expect(Math.round((await zoomDays(page)).days / 10)).toBe(36);
  });

  it("shows the whole history below, with a window to move", async () => {
    const page = await visit("?y=market_cap");
    const brush = page.getByRole("group", { name: "Whole history" });
    const box = (await brush.boundingBox())!;
    const y = box.y + box.height / 2;
    const drag = async (from: number, to: number) => {
      await page.mouse.move(box.x + box.width * from, y);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * to, y, { steps: 5 });
      await page.mouse.up();
    };
    await drag(0, 0.5);
    await expect.poll(async () => Math.round((await zoomDays(page)).days / 10)).toBe(55);
    await drag(0.75, 0.5);
    // The address follows the pointer late: only its last place gives a window that begins 27 × 10 days after 1 Jan 2023.
    const start = Date.UTC(2023, 0, 1);
    await expect.poll(async () => Math.round(((await zoomDays(page)).from - start) / 86_400_000 / 10)).toBe(27);
    const end = page.getByRole("slider", { name: "End of what is visible" });
    const before = (await zoomDays(page)).to;
    await end.focus();
    await page.keyboard.press("ArrowLeft");
    await expect.poll(async () => Math.round((before - (await zoomDays(page)).to) / 86_400_000)).toBe(11);
    expect(await end.getAttribute("aria-valuetext")).toMatch(/^\d+ \w+ 202\d$/);
    await screenshot(page, "brush");
    expect(await violations(page)).toEqual([]);
  });

  it("loads the hours that the window is moved to", async () => {
    const page = await visit("?y=volume&r=hour&range=30d");
    const window = page.locator(".brush-window");
    await window.waitFor();
    const box = (await page.locator("[data-part=brush]").boundingBox())!;
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await expect.poll(async () => (await query(page)).get("s")).toMatch(/^2024-0[67]/);
    await drawn(page);
    expect(requests.filter((url) => url.includes("/v3/series"))).toHaveLength(1);
    expect(await page.locator("[data-part=moment]").textContent()).toMatch(/ 2024, \d\d:00–\d\d:00 UTC/);
    expect(await page.locator("#status").textContent()).toMatch(/per hour, (69|7[012])\d points/);
  });

  it("shows weeks and months, each with its first and last day", async () => {
    const page = await visit("?y=volume&y2=market_cap");
    const resolution = (name: string) => page.getByRole("group", { name: "Resolution" }).getByText(name);
    const moment = page.locator("[data-part=moment]");
    const newest = page.locator("#table tbody tr").first();
    await page.getByRole("button", { name: "7D avg" }).first().waitFor();
    await resolution("Week").click();
    await drawn(page);
    expect((await query(page)).get("r")).toBe("week");
    // 2025 ends on a Wednesday: its last week is not over.
    expect(await moment.textContent()).toBe("22–28 Dec 2025 UTC");
    await page.getByRole("tab", { name: "Code", exact: true }).click();
    await expect.poll(() => page.locator("#snippet").textContent()).toContain("r=week");
    await page.getByRole("tab", { name: "Table", exact: true }).click();
    expect(await page.getByRole("button", { name: "7D avg" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "7D", exact: true }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "1Y" }).click();
    await parameter(page, "range").toBe("1y");
    await page.locator("#chart").focus();
    await page.keyboard.press("Home");
    expect(await moment.textContent()).toBe("23–29 Dec 2024 UTC");
    await screenshot(page, "weeks");
    await resolution("Month").click();
    await drawn(page);
    expect(await moment.textContent()).toBe("1–31 Dec 2025 UTC");
    expect(await newest.locator("th").textContent()).toBe("Dec 2025");
    expect(await page.locator("#status").textContent()).toMatch(/per month, 12 points, Jan 2025 to Dec 2025\.$/);
    await page.getByRole("button", { name: "All", exact: true }).click();
    await expect
      .poll(() => page.locator("#status").textContent())
      .toMatch(/per month, 36 points, Jan 2023 to Dec 2025\.$/);
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download CSV" }).click();
    const file = await downloading;
    expect(file.suggestedFilename()).toBe("ARIA_volume_market_cap_month.csv");
    const shown = (await readFile(await file.path(), "utf8")).trim().split("\n").slice(1);
    const api = `${stage.url}/v3/series?a=ARIA&m=volume&r=month&f=csv&api_key=${stage.key}`;
    const served = (await (await fetch(api)).text()).trim().split("\n").slice(1);
    expect(shown.map((line) => line.split(",").slice(0, 2).join())).toEqual(served);
    // The strip below shows the months, too: half of them.
    const box = (await page.locator("[data-part=brush]").boundingBox())!;
    await page.mouse.move(box.x + 1, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + 20, { steps: 3 });
    await page.mouse.up();
    await expect.poll(async () => Math.round((await zoomDays(page)).days / 10)).toBe(53);
    expect(await violations(page)).toEqual([]);
  });

  it("compares two assets, each 100 at the left edge", async () => {
    const page = await visit("?y=supply&range=30d");
    await page.getByLabel("Compare with another asset").selectOption("DUET");
    await drawn(page);
    expect((await query(page)).getAll("y")).toEqual(["supply:total", "DUET.supply:total"]);
    await page.getByRole("button", { name: "Index to 100" }).click();
    await parameter(page, "index").toBe("100");
    const values = await page.locator("#series .value").allTextContents();
    expect(values).toHaveLength(2);
    for (const value of values) expect(value).toMatch(/[+−]\d.*%/);
    await screenshot(page, "two-assets");
    await page.getByRole("tab", { name: "Code", exact: true }).click();
    await expect.poll(() => page.locator("#snippet").textContent()).toContain("a=ARIA,DUET&m=supply&c=total");
    // An axis is in tokens of the asset whose lines it has.
    await page.goto(`${stage.url}/?a=ARIA&y=sopr&y=DUET.supply`);
    await drawn(page);
    expect(await page.locator(".axis").allTextContents()).toEqual(["← left axis, ratio", "→ right axis, DUET"]);
    await page.goto(`${stage.url}/?a=ARIA&y=supply&y=DUET.supply`);
    await drawn(page);
    // The chart's own asset is named no longer once it is the only one.
    await chooseAsset(page, "DUET");
    await drawn(page);
    expect((await query(page)).getAll("y")).toEqual(["supply:total"]);
  });

  it("lays the price over any chart, on an axis of its own", async () => {
    const page = await visit("?y=volume&y2=num_transfers");
    await head(page, 2).hover();
    await page.getByRole("group", { name: "Price of chart 2" }).getByRole("button").click();
    await drawn(page);
    expect((await query(page)).get("price2")).toBe("linear");
    const price = page.locator("li.price");
    expect(await price.locator(".value").textContent()).toMatch(/^\$/);
    await page.getByLabel("Scale of the price").selectOption("log");
    await parameter(page, "price2").toBe("log");
    await screenshot(page, "price");
    await page.getByRole("button", { name: "Remove Price" }).click();
    await drawn(page);
    expect((await query(page)).get("price2")).toBe(null);
  });

  it("shows values as they were first published, and how they have been revised", async () => {
    const page = await visit("?y=supply&y2=supply&known2=revision");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page
      .getByRole("group", { name: "As first published of chart 1" })
      .getByText("First published", { exact: true })
      .click();
    await drawn(page);
    await parameter(page, "known").toBe("first");
    // It has been loaded for the revision below.
    expect(asked.filter((url) => url.includes("known="))).toEqual([]);
    // Nothing of this token has been restated.
    const values = await page.locator("li .value").allTextContents();
    expect(values.at(-1)).toBe("0");
    await screenshot(page, "first-published");
  });

  it("makes a rule of a line, and says when it would have fired", async () => {
    const page = await visit("?y==sma(sopr, 7)&y=volume");
    await page.getByRole("button", { name: "Alert…" }).click();
    const dialog = page.getByRole("dialog", { name: "Alert" });
    const rule = async () => JSON.parse(await dialog.getByLabel("Rule").inputValue()) as Record<string, unknown>;
    await dialog.getByLabel("Comparison").selectOption(">");
    await dialog.getByLabel("Level").fill("1");
    expect(await rule()).toEqual({
      name: "ARIA: sma(sopr, 7) > 1",
      assets: ["ARIA"],
      when: "sma(sopr, 7) > 1",
      post: "SLACK_URL",
      format: "slack",
    });
    expect(await dialog.getByRole("status").first().textContent()).toMatch(
      /^It would have fired: \d+ \w+ 20\d\d, .* and \d+ times before\.$/,
    );
    await dialog.getByLabel("Rows in a row").fill("3");
    expect(await rule()).toMatchObject({ for: 3 });
    await dialog.getByLabel("Line").selectOption("volume:total");
    expect(await rule()).toMatchObject({ when: expect.stringMatching(/^volume:total > \d/) });
    await dialog.getByLabel("Level").fill("1e30");
    expect(await dialog.getByRole("status").first().textContent()).toBe("It would not have fired.");
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "alert");
    await dialog.getByLabel("Line").selectOption("sma(sopr, 7)");
    await dialog.getByLabel("Comparison").selectOption(">");
    await dialog.getByLabel("Level").fill("1");
    await dialog.getByRole("button", { name: "Draw on the chart" }).click();
    await parameter(page, "alert").toBe("sma(sopr, 7) > 1~3");
    expect(await page.locator("#series .levels").textContent()).toBe("Alert: sma(sopr, 7) > 1");
    await screenshot(page, "alert-on-the-chart");
    await page.getByRole("button", { name: "Alert…" }).click();
    expect(await dialog.getByLabel("Rows in a row").inputValue()).toBe("3");
    await dialog.getByRole("button", { name: "Take off the chart" }).click();
    await parameter(page, "alert").toBe(null);
    // Averages are not what the line says.
    await page.getByRole("button", { name: "7D avg" }).click();
    await drawn(page);
    expect(await page.getByRole("button", { name: "Alert…" }).isDisabled()).toBe(true);
  });

  it("opens ratios on a log scale with a line at 1, and marks outliers", async () => {
    const page = await visit("?y=sopr");
    expect(await pressed(page, "Scale")).toEqual(["Log"]);
    expect(await page.locator("#footnote").textContent()).toMatch(/mark \d+ points beyond the scale/);
    await screenshot(page, "sopr");
    await page.getByRole("group", { name: "Scale" }).getByText("Linear").click();
    await parameter(page, "scale").toBe("linear");
    // So are those of flows, but not those of states.
    await page.goto(`${stage.url}/?y=volume`);
    await drawn(page);
    expect(await page.locator("#footnote").textContent()).toContain("beyond the scale");
    await page.goto(`${stage.url}/?y=market_cap`);
    await drawn(page);
    expect(await page.locator("#footnote").textContent()).not.toContain("beyond the scale");
  });

  it.skipIf(!PYTHON)("smooths as pandas does (needs Python with pandas)", async () => {
    for (const [search, rows] of [
      ["?y=sopr&y=volume:users", 7],
      ["?y=volume&r=hour&range=7d", 7 * 24],
    ] as const) {
      const page = await visit(search);
      await page.getByRole("button", { name: "7D avg" }).click();
      await drawn(page);
      expect((await query(page)).get("smooth")).toBe("7");
      const downloading = page.waitForEvent("download");
      await page.getByRole("button", { name: "Download CSV" }).click();
      const text = await readFile(await (await downloading).path(), "utf8");
      const [head = "", ...lines] = text.trim().split("\n");
      for (const [i, name] of head.split(",").slice(1).entries()) {
        const [metric, selector] = name.split(" ");
        const resolution = search.includes("hour") ? "hour" : "day";
        const meansOf = async (metric: string) => {
          const path = `/v1/metrics/${metric}?a=ARIA&c=${selector}&r=${resolution}&f=csv&api_key=${stage.key}`;
          return new Map(rollingMeans(await (await fetch(stage.url + path)).text(), rows));
        };
        // A ratio's is that of the sums, so that of the means, of its parts.
        const [above, below] = metric === "sopr" ? ["volume_dollar", "moved_coins_cost_basis"] : [metric!, null];
        const expected = await meansOf(above);
        for (const [time, mean] of below === null ? [] : await meansOf(below)) {
          const ratio = expected.get(time)! / mean;
          // Where nothing has cost anything, there is no ratio.
          if (Number.isFinite(ratio)) expected.set(time, ratio);
          else expected.delete(time);
        }
        const shown = lines
          .map((line) => line.split(","))
          .flatMap((cells) => (cells[i + 1] ? [[cells[0]!, Number(cells[i + 1])] as const] : []));
        expect(shown.length).toBeGreaterThan(resolution === "hour" ? 160 : 600);
        if (resolution === "day") expect(shown).toHaveLength(expected.size);
        for (const [time, value] of shown) {
          const mean = expected.get(time)!;
          expect(Math.abs(value - mean), `${name} ${time}`).toBeLessThanOrEqual(1e-12 * Math.abs(mean));
        }
      }
    }
  });

  it("lists keys and gestures", async () => {
    const page = await visit("?y=volume");
    await page.keyboard.press("?");
    const sheet = page.getByRole("dialog", { name: "Keyboard and gestures" });
    await sheet.waitFor();
    expect(await sheet.getByText("Show the whole history").isVisible()).toBe(true);
    expect(await violations(page, { within: "#help-sheet" })).toEqual([]);
    await screenshot(page, "help");
    await page.keyboard.press("Escape");
    expect(await sheet.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Keyboard and gestures" }).click();
    await sheet.getByRole("button", { name: "Close" }).click();
    expect(await sheet.isVisible()).toBe(false);
  });

  const AGES = ["<1d", "1d-1w", "1w-1m", "1m-3m", "3m-6m", "6m-1y"].map((age) => `y=supply_profit:${age}`).join("&");

  it.each([
    { name: "small-window", viewport: { width: 1024, height: 768 } },
    { name: "phone-six", viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  ])("shows the time axis of six series without scrolling: $name", async ({ name, ...options }) => {
    const page = await visit(`?${AGES}`, { ...options, colorScheme: "light" });
    await screenshot(page, name);
    for (const part of [".u-axis", "[data-part=brush]"]) {
      const box = (await page.locator(part).first().boundingBox())!;
      expect(box.y + box.height, part).toBeLessThanOrEqual(options.viewport.height);
    }
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(options.viewport.width);
    expect((await over(page)).height).toBeGreaterThan(150);
  });
});

/** Each time with its mean, by pandas, of the CSV of a series. */
function rollingMeans(csv: string, rows: number): [time: string, mean: number][] {
  const code = `
import json, sys, pandas as pd
v = pd.read_csv(sys.stdin, index_col="t", float_precision="round_trip")["v"]
print(json.dumps(list(v.rolling(${rows}).mean().dropna().items())))`;
  return JSON.parse(execFileSync(PYTHON!, ["-c", code], { input: csv, encoding: "utf8", maxBuffer: 1 << 28 }));
}
