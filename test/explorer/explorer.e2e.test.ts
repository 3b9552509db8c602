/** The explorer in Chromium, on the real Worker. */

import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { CHROMIUM, chooseAsset, drawn, screenshot, violations } from "./browser.ts";
import { addressOf, queryOf, rowsOf, seriesOf, setVisits } from "./visits.ts";

/** Skipped where there is no Chromium. Install it, or name its path in CHROMIUM. */
describe.skipIf(!CHROMIUM)("the explorer in Chromium", () => {
  const { visit, newPage, faults, stage } = setVisits();

  it("opens on the first example chart, and removes the key from the address", async () => {
    const page = await visit();
    expect(await page.locator("h1").textContent()).toBe("Market capitalisation and realised capitalisation");
    expect(await seriesOf(page).count()).toBe(2);
    expect(await rowsOf(page).count()).toBe(12);
    expect((await addressOf(page)).href).not.toContain(stage().key);
    expect((await addressOf(page)).href).toBe(`${stage().url}/?a=ARIA&y=market_cap:total&y=realised_cap:total`);
    const [code, table] = ["Code", "Table"].map((name) => page.getByRole("tab", { name, exact: true }));
    await code!.click();
    await expect.poll(() => page.locator("#snippet").textContent()).toContain("YOUR_API_KEY");
    expect(await page.locator("#snippet").textContent()).not.toContain(stage().key);
    expect(await page.locator("#table").isVisible()).toBe(false);
    await page.getByLabel("Include my key").check();
    await expect.poll(() => page.locator("#snippet").textContent()).toContain(stage().key);
    expect(await violations(page, { within: "[data-part=below]" })).toEqual([]);
    await code!.press("ArrowLeft");
    expect(await table!.getAttribute("aria-selected")).toBe("true");
    expect(await page.locator("#snippet").isVisible()).toBe(false);
    // The table is as wide as the chart.
    const [chart, points] = await Promise.all(["#frame", "#table"].map((part) => page.locator(part).boundingBox()));
    expect(points!.width).toBe(chart!.width);
    expect(await page.locator("#status").textContent()).toMatch(/ARIA, per day, 109\d points/);
    expect(faults()).toEqual([]);
  });

  it("shows the values that the API serves", async () => {
    const page = await visit("?y=volume:users&range=30d");
    const path = `/v1/metrics/volume?api_key=${stage().key}&a=ARIA&c=users&r=day&f=csv`;
    const lines = (await (await fetch(stage().url + path)).text()).trim().split("\n");
    const waiting = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download CSV" }).click();
    const download = await waiting;
    expect(download.suggestedFilename()).toBe("ARIA_volume_day.csv");
    const text = await readFile(await download.path(), "utf8");
    expect(text.trim().split("\n")).toEqual(["t,volume users", ...lines.slice(-30)]);
  });

  it("shows, exports and zooms nothing of the old chart while another is loading", async () => {
    const page = await visit("?y=market_cap");
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route(/m=sopr/, async (route) => {
      await answered;
      await route.continue();
    });
    await page.getByLabel("Search metrics").fill("sopr");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.locator("#series").getByText("…").waitFor();
    const box = (await page.locator(".u-over").boundingBox())!;
    const before = (await addressOf(page)).href;
    await page.mouse.move(box.x + 200, box.y + 80);
    await page.mouse.down();
    await page.mouse.move(box.x + 400, box.y + 80, { steps: 4 });
    await page.mouse.up();
    expect((await addressOf(page)).href).toBe(before);
    expect(await page.locator("#series .value").textContent()).toBe("…");
    expect(await page.getByRole("button", { name: "Download CSV" }).isDisabled()).toBe(true);
    answer();
    await drawn(page);
    expect(await page.locator("#series .value").textContent()).toMatch(/^\d+\.\d+$/);
    expect(await page.getByRole("button", { name: "Download CSV" }).isEnabled()).toBe(true);
    expect(faults()).toEqual([]);
  });

  it("changes metric, cohort, resolution, range, scale and asset", async () => {
    const page = await visit();
    await page.keyboard.press("/");
    await page.keyboard.type("sopr_loss");
    await page.keyboard.press("Enter");
    await drawn(page);
    expect(await page.locator("h1").textContent()).toBe("SOPR in loss");
    await page.getByLabel("Search metrics").fill("sopr");
    await page.keyboard.press("Enter");
    await drawn(page);
    expect(await page.locator("h1").textContent()).toBe("SOPR");
    await page.getByLabel("Address cohort of SOPR").selectOption("users");
    await page.getByRole("group", { name: "Resolution" }).getByText("Hour").click();
    await page.getByRole("group", { name: "Range" }).getByText("30D").click();
    await page.getByRole("group", { name: "Scale" }).getByText("Linear").click();
    await chooseAsset(page, "DUET");
    await drawn(page);
    expect([...(await queryOf(page))]).toEqual([
      ["a", "DUET"],
      ["y", "sopr:users"],
      ["r", "hour"],
      ["range", "30d"],
      ["scale", "linear"],
    ]);
    await page.goBack();
    await drawn(page);
    expect((await queryOf(page)).get("a")).toBe("ARIA");
    expect(await page.locator("#asset").textContent()).toBe("Asset: ARIAAria");
    expect(faults()).toEqual([]);
  });

  it("scrolls the list of metrics to the chart's group", async () => {
    const page = await visit();
    const inSight = (text: string) =>
      page.evaluate<boolean>(`(() => {
        const list = document.querySelector("[data-part=metric-list]").getBoundingClientRect();
        const item = [...document.querySelectorAll("[data-part=metric-list] .name")].find((name) => name.textContent === "${text}");
        const { top, bottom } = item.getBoundingClientRect();
        return top >= list.top && bottom <= Math.min(list.bottom, innerHeight);
      })()`);
    expect(await inSight("Market capitalisation")).toBe(true);
    expect(await inSight("SOPR")).toBe(true);
    await visit("?y=cex_outflow");
    const firstGroup = await page.evaluate<string>(`(() => {
      const { top } = document.querySelector("[data-part=metric-list]").getBoundingClientRect();
      const titles = [...document.querySelectorAll("[data-part=metric-list] h2")];
      return titles.find((title) => title.getBoundingClientRect().top >= top - 1).textContent;
    })()`);
    expect(firstGroup).toBe("Exchanges");
  });

  it("lets the Tab key stop once in the list of metrics", async () => {
    const page = await visit();
    const focused = () => page.evaluate<string | null>("document.activeElement.getAttribute('data-focus')");
    expect(await page.locator("[data-part=metric-list] [tabindex='0']").count()).toBe(1);
    await page.getByLabel("Search metrics").focus();
    for (const [keys, place] of [
      [["Tab"], "market_cap"],
      [["ArrowDown", "ArrowRight"], "add-realised_price"],
      [["ArrowUp", "ArrowUp"], "add-supply"],
      [["ArrowLeft", "End"], "liveliness"],
      [["Home"], "price"],
    ] as const) {
      for (const key of keys) await page.keyboard.press(key);
      expect(await focused(), keys.join(" ")).toBe(place);
    }
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.closest('[data-part=views]') !== null")).toBe(true);
    await page.keyboard.press("Shift+Tab");
    expect(await focused()).toBe("price");
    await page.keyboard.press("ArrowUp");
    expect(await page.evaluate("document.activeElement.dataset.part")).toBe("search");
  });

  it("shows the series that a search finds", async () => {
    const page = await visit();
    await page.getByLabel("Search metrics").fill("binance");
    await page.keyboard.press("Enter");
    await drawn(page);
    expect((await queryOf(page)).getAll("y")).toEqual(["cex_reserve:binance"]);
    await page.getByLabel("Search metrics").fill("mvrv");
    expect(await page.locator("[data-part=metric-list] .note").textContent()).toContain(
      "divided by realised capitalisation",
    );
    await page.keyboard.press("Enter");
    await drawn(page);
    expect((await queryOf(page)).getAll("y")).toEqual(["=mvrv"]);
    expect(await page.locator("#series .name").textContent()).toBe("MVRV");
    expect(faults()).toEqual([]);
  });

  it("finds metrics, cohorts, example charts and actions from the keyboard", async () => {
    const page = await visit("?y=sopr");
    const input = page.getByRole("combobox", { name: /^Find/ });
    const current = async () => {
      const id = await input.getAttribute("aria-activedescendant");
      const option = page.locator(`[id="${id}"]`);
      expect(await option.getAttribute("aria-selected")).toBe("true");
      return option.locator("span").first().textContent();
    };
    const run = async (words: string, key = "Enter") => {
      await page.keyboard.press("Control+k");
      // At once: each letter that is typed searches anew, as below.
      await page.keyboard.insertText(words);
      await page.keyboard.press(key);
      expect(await input.isVisible()).toBe(false);
      await drawn(page);
    };
    await run("users");
    expect((await queryOf(page)).getAll("y")).toEqual(["sopr:users"]);
    await run("by hour");
    expect((await queryOf(page)).get("r")).toBe("hour");
    await run("last 30");
    expect((await queryOf(page)).get("range")).toBe("30d");
    await run("exchange flows");
    expect((await queryOf(page)).getAll("y")).toContain("cex_inflow:all");
    await run("realised price");
    expect(await page.locator("h1").textContent()).toBe("Realised price");
    await page.keyboard.press("/");
    await page.keyboard.type("price");
    const first = await current();
    await page.keyboard.press("ArrowDown");
    expect(await current()).not.toBe(first);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    expect(await current()).toBe(
      await page.locator("#palette-list [role=option]").last().locator("span").first().textContent(),
    );
    await page.keyboard.press("Escape");
    expect(await input.isVisible()).toBe(false);
    // Shift adds.
    await page.getByRole("button", { name: "Find anything" }).click();
    await page.keyboard.type("market capitalisation");
    await page.keyboard.press("Shift+Enter");
    await drawn(page);
    expect((await queryOf(page)).getAll("y")).toEqual(["realised_price:total", "market_cap:total"]);
    await run("on-chain volume", "Alt+Enter");
    expect((await queryOf(page)).getAll("y2")).toEqual(["volume:total"]);
    await run("7 days smooth");
    expect((await queryOf(page)).get("smooth2")).toBe("7");
    expect(faults()).toEqual([]);
  });

  it("explains the symbols in formulas, and names the axis of each series if there are two", async () => {
    const page = await visit("?y=sopr");
    expect(await page.locator(".signs dt").allTextContents()).toEqual(["Σ", "x", "P", "a"]);
    expect(await page.locator(".axis").count()).toBe(0);
    await page.goto(`${stage().url}/?y=cex_inflow&y=cex_reserve_dollar`);
    await drawn(page);
    expect(await page.locator(".axis").allTextContents()).toEqual(["← left axis, ARIA", "→ right axis, USD"]);
  });

  it("zooms by dragging and by keys, and resets by button, double click and Escape", async () => {
    const page = await visit("?y=market_cap");
    const box = (await page.locator(".u-over").boundingBox())!;
    const at = (part: number) => [box.x + box.width * part, box.y + box.height / 2] as const;
    const drag = async () => {
      await page.mouse.move(...at(0.4));
      await page.mouse.down();
      await page.mouse.move(...at(0.6), { steps: 4 });
      await page.mouse.up();
    };
    const reset = page.getByRole("button", { name: "Reset zoom" });
    const zoomed = (is: boolean) => expect.poll(async () => (await queryOf(page)).has("z")).toBe(is);
    await drag();
    await zoomed(true);
    const zoom = (await queryOf(page)).get("z")!;
    const [from = Number.NaN, to = Number.NaN] = zoom.split(",").map((text) => Date.parse(text));
    expect((to - from) / 86_400_000).toBeGreaterThan(200);
    expect((to - from) / 86_400_000).toBeLessThan(240);
    // What stands below the chart follows after it has been painted.
    const lastDay = () => expect.poll(() => rowsOf(page).first().locator("th").textContent());
    await page.getByRole("tab", { name: "Code", exact: true }).click();
    await expect.poll(() => page.locator("#snippet").textContent()).toContain("&s=");
    await lastDay().not.toBe("31 Dec 2025");
    await screenshot(page, "zoomed");
    await reset.click();
    await zoomed(false);
    await lastDay().toBe("31 Dec 2025");

    await drag();
    await zoomed(true);
    await page.mouse.dblclick(...at(0.5));
    await zoomed(false);

    await page.locator("#chart").focus();
    await page.keyboard.press("Home");
    const first = await page.locator("[data-part=moment]").textContent();
    await page.keyboard.press("ArrowRight");
    expect(await page.locator("[data-part=moment]").textContent()).not.toBe(first);
    expect(await page.locator("#status").textContent()).toMatch(/^3 Jan 2023 UTC\. Market capitalisation, Total: \$/);
    await page.keyboard.press("+");
    await zoomed(true);
    await page.keyboard.press("Escape");
    expect(await reset.isVisible()).toBe(false);
    expect(faults()).toEqual([]);
  });

  it("compares up to six series in up to two units", async () => {
    const page = await visit("?y=supply_profit:<1d");
    for (const cohort of ["1d-1w", "1w-1m", "1m-3m", "3m-6m"]) {
      await page.getByLabel(/^Compare with another series/).selectOption(cohort);
      await drawn(page);
    }
    await page.getByRole("button", { name: "Compare with SOPR", exact: true }).click();
    await drawn(page);
    expect(await seriesOf(page).count()).toBe(6);
    expect(await page.locator("#table thead th").nth(1).textContent()).toBe("Supply in profit, <1d");
    expect(await page.getByLabel(/^Compare with another series/).count()).toBe(0);
    expect((await queryOf(page)).getAll("y")).toHaveLength(6);
    const another = page.getByRole("button", { name: "Compare with Supply", exact: true });
    expect(await another.getAttribute("aria-disabled")).toBe("true");
    await screenshot(page, "six-series");
    await page.getByRole("button", { name: "Remove SOPR, <1d" }).click();
    await drawn(page);
    expect(await seriesOf(page).count()).toBe(5);
    const heads = ["Time", "<1d", "1d-1w", "1w-1m", "1m-3m", "3m-6m"];
    expect(await page.locator("#table thead th").allTextContents()).toEqual(heads);
    expect(await page.locator("#table caption").textContent()).toMatch(/^Supply in profit: the latest 12 points/);
    await page.getByRole("button", { name: "Compare with SOPR", exact: true }).click();
    await drawn(page);
    await page.getByRole("button", { name: /^Remove Supply in profit, 1w-1m/ }).click();
    const third = page.getByRole("button", { name: "Compare with Number of addresses", exact: true });
    expect(await third.getAttribute("title")).toMatch(/third/);
    expect(faults()).toEqual([]);
  });

  it("shows the same chart to anyone who opens its link", async () => {
    const mine = await visit("?y=cex_inflow:binance&y=cex_outflow:binance&range=1y");
    await mine.getByRole("group", { name: "Scale" }).getByText("Log").click();
    const link = await addressOf(mine);
    expect(link.href).not.toContain(stage().key);
    const theirs = await visit(link.search, await newPage());
    expect((await addressOf(theirs)).href).toBe(link.href);
    for (const page of [mine, theirs]) {
      await page.getByRole("tab", { name: "Code", exact: true }).click();
      await expect.poll(() => page.locator("#snippet").textContent()).toContain("curl");
    }
    for (const part of ["#title", "#series", "#table", "#snippet"]) {
      expect(await theirs.locator(part).textContent()).toBe(await mine.locator(part).textContent());
    }
    expect(faults()).toEqual([]);
  });

  it("shows numbers to read in the legend and in full in the table, a column in one format", async () => {
    const page = await visit("?y=market_cap&y=sopr&range=30d");
    const values = page.locator("#series .value");
    expect(await values.allTextContents()).toEqual([
      expect.stringMatching(/^\$\d\.\d{2}B$/),
      expect.stringMatching(/^\d\.\d{3,4}$/),
    ]);
    expect(await values.first().getAttribute("title")).toMatch(/^\$\d(,\d{3}){3}(\.\d+)?$/);
    const decimals = async (column: number) => {
      const texts = await page.locator(`#table td:nth-of-type(${column})`).allTextContents();
      return [...new Set(texts.filter((text) => text !== "–").map((text) => text.split(".")[1]?.length))];
    };
    expect(await decimals(1)).toEqual([undefined]);
    expect(await decimals(2)).toEqual([expect.any(Number)]);
    expect(await page.locator("[data-part=as-of]").textContent()).toMatch(/^data up to 31 Dec 2025, \d+ days ago$/);
  });

  it("shows times of day in the reader's time zone, which the browser keeps and the link doesn't", async () => {
    const page = await visit("?y=volume&r=hour&range=7d", await newPage());
    const moment = page.locator("[data-part=moment]");
    expect(await moment.textContent()).toBe("31 Dec 2025, 23:00–00:00 UTC");
    const link = (await addressOf(page)).href;
    await page.getByLabel("Time zone").selectOption("Asia/Tokyo");
    expect(await moment.textContent()).toBe("1 Jan 2026, 08:00–09:00 UTC+9");
    // The table follows once the charts are painted.
    await rowsOf(page).first().locator("th").getByText("1 Jan 2026, 08:00 UTC+9").waitFor();
    expect((await addressOf(page)).href).toBe(link);
    await page.reload();
    await drawn(page);
    expect(await moment.textContent()).toBe("1 Jan 2026, 08:00–09:00 UTC+9");
    // A day is a day of UTC everywhere.
    await page.getByRole("group", { name: "Resolution" }).getByText("Day").click();
    await drawn(page);
    expect(await moment.textContent()).toBe("31 Dec 2025 UTC");
    await page.getByLabel("Time zone").selectOption("UTC");
    expect(await page.evaluate("localStorage.length")).toBe(0);
  });
});
