/** The explorer in Chromium, on the real Worker. */

import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { ChangeLog } from "../../explorer/src/data/restatements.ts";
import {
  CHROMIUM,
  chooseAsset,
  drawn,
  type OpenedPage,
  type Stage,
  screenshot,
  setStage,
  violations,
} from "./browser.ts";

/** Skipped where there is no Chromium. Install it, or name its path in CHROMIUM. */
describe.skipIf(!CHROMIUM)("the explorer in Chromium", () => {
  let stage: Stage;
  /** The page of most tests: a new one costs a process and an empty cache. */
  let shared: OpenedPage;
  let opened: OpenedPage[] = [];

  beforeAll(async () => {
    stage = await setStage();
    shared = await stage.open();
  });
  afterAll(() => stage?.close());
  afterEach(async () => {
    for (const { close } of opened) await close();
    opened = [];
    await shared.page.unrouteAll();
    shared.faults.length = 0;
  });

  async function newPage(options?: Parameters<Stage["open"]>[0]): Promise<Page> {
    const one = await stage.open(options);
    opened.push(one);
    return one.page;
  }

  let visits = 0;

  /** Opens the explorer with a key. */
  async function visit(search = "", page = shared.page): Promise<Page> {
    // The page drops unknown parameters. This one keeps a visit from differing in the fragment alone: that loads nothing.
    await page.goto(`${stage.url}/${search || "?"}&visit=${visits++}#key=${stage.key}`);
    await drawn(page);
    return page;
  }

  const faults = () => [shared, ...opened].flatMap((one) => one.faults);
  /** The page's own value: the driver's lags behind. */
  const address = async (page: Page) => new URL(await page.evaluate<string>("location.href"));
  const query = async (page: Page) => (await address(page)).searchParams;
  const series = (page: Page) => page.locator("#series li:not(.adder)");
  const rows = (page: Page) => page.locator("#table tbody tr");

  it("opens on the first example chart, and removes the key from the address", async () => {
    const page = await visit();
    expect(await page.locator("h1").textContent()).toBe("Market capitalisation and realised capitalisation");
    expect(await series(page).count()).toBe(2);
    expect(await rows(page).count()).toBe(12);
    expect((await address(page)).href).not.toContain(stage.key);
    expect((await address(page)).href).toBe(`${stage.url}/?a=ARIA&y=market_cap:total&y=realised_cap:total`);
    const [code, table] = ["Code", "Table"].map((name) => page.getByRole("tab", { name, exact: true }));
    await code!.click();
    await expect.poll(() => page.locator("#snippet").textContent()).toContain("YOUR_API_KEY");
    expect(await page.locator("#snippet").textContent()).not.toContain(stage.key);
    expect(await page.locator("#table").isVisible()).toBe(false);
    await page.getByLabel("Include my key").check();
    await expect.poll(() => page.locator("#snippet").textContent()).toContain(stage.key);
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
    const path = `/v1/metrics/volume?api_key=${stage.key}&a=ARIA&c=users&r=day&f=csv`;
    const lines = (await (await fetch(stage.url + path)).text()).trim().split("\n");
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
    const before = (await address(page)).href;
    await page.mouse.move(box.x + 200, box.y + 80);
    await page.mouse.down();
    await page.mouse.move(box.x + 400, box.y + 80, { steps: 4 });
    await page.mouse.up();
    expect((await address(page)).href).toBe(before);
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
    expect([...(await query(page))]).toEqual([
      ["a", "DUET"],
      ["y", "sopr:users"],
      ["r", "hour"],
      ["range", "30d"],
      ["scale", "linear"],
    ]);
    await page.goBack();
    await drawn(page);
    expect((await query(page)).get("a")).toBe("ARIA");
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
    expect((await query(page)).getAll("y")).toEqual(["cex_reserve:binance"]);
    await page.getByLabel("Search metrics").fill("mvrv");
    expect(await page.locator("[data-part=metric-list] .note").textContent()).toContain(
      "divided by realised capitalisation",
    );
    await page.keyboard.press("Enter");
    await drawn(page);
    expect((await query(page)).getAll("y")).toEqual(["=mvrv"]);
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
      await page.keyboard.type(words);
      await page.keyboard.press(key);
      expect(await input.isVisible()).toBe(false);
      await drawn(page);
    };
    await run("users");
    expect((await query(page)).getAll("y")).toEqual(["sopr:users"]);
    await run("by hour");
    expect((await query(page)).get("r")).toBe("hour");
    await run("last 30");
    expect((await query(page)).get("range")).toBe("30d");
    await run("exchange flows");
    expect((await query(page)).getAll("y")).toContain("cex_inflow:all");
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
    expect((await query(page)).getAll("y")).toEqual(["realised_price:total", "market_cap:total"]);
    await run("on-chain volume", "Alt+Enter");
    expect((await query(page)).getAll("y2")).toEqual(["volume:total"]);
    await run("7 days smooth");
    expect((await query(page)).get("smooth2")).toBe("7");
    expect(faults()).toEqual([]);
  });

  it("explains the symbols in formulas, and names the axis of each series if there are two", async () => {
    const page = await visit("?y=sopr");
    expect(await page.locator(".signs dt").allTextContents()).toEqual(["Σ", "x", "P", "a"]);
    expect(await page.locator(".axis").count()).toBe(0);
    await page.goto(`${stage.url}/?y=cex_inflow&y=cex_reserve_dollar`);
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
    const zoomed = (is: boolean) => expect.poll(async () => (await query(page)).has("z")).toBe(is);
    await drag();
    await zoomed(true);
    const zoom = (await query(page)).get("z")!;
    const [from = Number.NaN, to = Number.NaN] = zoom.split(",").map((text) => Date.parse(text));
    expect((to - from) / 86_400_000).toBeGreaterThan(200);
    expect((to - from) / 86_400_000).toBeLessThan(240);
    // What stands below the chart follows after it has been painted.
    const lastDay = () => expect.poll(() => rows(page).first().locator("th").textContent());
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
    expect(await series(page).count()).toBe(6);
    expect(await page.locator("#table thead th").nth(1).textContent()).toBe("Supply in profit, <1d");
    expect(await page.getByLabel(/^Compare with another series/).count()).toBe(0);
    expect((await query(page)).getAll("y")).toHaveLength(6);
    const another = page.getByRole("button", { name: "Compare with Supply", exact: true });
    expect(await another.getAttribute("aria-disabled")).toBe("true");
    await screenshot(page, "six-series");
    await page.getByRole("button", { name: "Remove SOPR, <1d" }).click();
    await drawn(page);
    expect(await series(page).count()).toBe(5);
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
    const link = await address(mine);
    expect(link.href).not.toContain(stage.key);
    const theirs = await visit(link.search, await newPage());
    expect((await address(theirs)).href).toBe(link.href);
    for (const page of [mine, theirs]) {
      await page.getByRole("tab", { name: "Code", exact: true }).click();
      await expect.poll(() => page.locator("#snippet").textContent()).toContain("curl");
    }
    for (const part of ["#title", "#series", "#table", "#snippet"]) {
      expect(await theirs.locator(part).textContent()).toBe(await mine.locator(part).textContent());
    }
    expect(faults()).toEqual([]);
  });

  it("asks for a key, says how to create one, and rejects a wrong one", async () => {
    const page = await newPage();
    await page.goto(`${stage.url}/`);
    const dialog = page.getByRole("dialog", { name: "API key" });
    await dialog.waitFor();
    expect(await dialog.textContent()).toContain("npx soprano keys create");
    await screenshot(page, "key");
    await dialog.getByLabel("Key").fill("nonsense");
    await dialog.getByRole("button", { name: "Use key" }).click();
    expect(await dialog.getByRole("alert").textContent()).toContain("This key isn't valid");
    await dialog.getByLabel("Key").fill("00000000-0000-4000-8000-000000000000");
    await dialog.getByRole("button", { name: "Use key" }).click();
    const alert = page.locator("[data-part=notice]");
    await alert.getByText("API key unknown").waitFor();
    await screenshot(page, "error");
    await alert.getByRole("button", { name: "Enter a key" }).click();
    await dialog.getByLabel("Key").fill(stage.key);
    await dialog.getByRole("button", { name: "Use key" }).click();
    await drawn(page);
    expect(await alert.isVisible()).toBe(false);
    // Data loaded with one key isn't shown with another.
    await page.getByRole("button", { name: "Key", exact: true }).click();
    await dialog.getByLabel("Key").fill("00000000-0000-4000-8000-000000000000");
    await dialog.getByRole("button", { name: "Use key" }).click();
    await alert.getByText("API key unknown").waitFor();
    expect(await page.locator(".uplot").count()).toBe(0);
    await expect.poll(() => rows(page).count()).toBe(0);
  });

  it("enables only “Try again” while the service is down", async () => {
    const page = await newPage();
    await page.route("**/v3/metrics", (route) => route.abort());
    await page.goto(`${stage.url}/#key=${stage.key}`);
    const again = page.locator("[data-part=notice]").getByRole("button", { name: "Try again" });
    await again.waitFor();
    await screenshot(page, "down");
    const controls =
      ":is(#metrics, .toolbar) :is(button:not([hidden]), input), #asset, [data-part=languages] button, [data-part=with-key], #copy, [data-part=download]";
    const enabled = page.locator(`:is(${controls}):enabled`);
    expect(await page.locator(controls).count()).toBeGreaterThan(10);
    expect(await enabled.count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await page.unroute("**/v3/metrics");
    await again.click();
    await drawn(page);
    expect(await enabled.count()).toBeGreaterThan(10);
  });

  it("takes a key from a link opened in a page that asks for one", async () => {
    const page = await newPage();
    await page.goto(`${stage.url}/?a=ARIA&y=sopr:total`);
    await page.getByRole("dialog", { name: "API key" }).waitFor();
    const { href } = await address(page);
    // Only the fragment differs, so the page isn't reloaded.
    await page.goto(`${href}#key=${stage.key}`);
    await drawn(page);
    expect((await address(page)).href).toBe(href);
    expect(await page.getByRole("dialog", { name: "API key" }).isVisible()).toBe(false);
  });

  it("shows a problem in the service's words, and tries again", async () => {
    const page = await newPage();
    const problem = {
      type: "/problems/store-unavailable",
      title: "Data store unavailable",
      status: 503,
      detail: "The data store cannot be read at the moment.",
    };
    await page.route("**/v3/series?**", (route) =>
      route.fulfill({ status: 503, headers: { "Retry-After": "5" }, json: problem }),
    );
    await page.goto(`${stage.url}/?y=market_cap#key=${stage.key}`);
    const alert = page.locator("[data-part=notice]");
    await alert.getByText("Data store unavailable").waitFor();
    expect(await alert.textContent()).toContain("Try again in 5 seconds.");
    await page.unroute("**/v3/series?**");
    await page.route("**/v3/series?**", (route) => route.abort());
    await alert.getByRole("button", { name: "Try again" }).click();
    await alert.getByText("No connection").waitFor();
    await page.unroute("**/v3/series?**");
    await alert.getByRole("button", { name: "Try again" }).click();
    await drawn(page);
  });

  it("draws the other series if one fails, and names the one that failed", async () => {
    const page = await newPage();
    await page.route(/m=market_cap/, (route) => route.abort());
    await page.goto(`${stage.url}/?y=realised_cap:users&y=market_cap#key=${stage.key}`);
    await drawn(page);
    expect(await page.locator("#footnote").textContent()).toContain("Market capitalisation, Total: No connection.");
    await page.locator("#chart").focus();
    await page.keyboard.press("Home");
    expect(await page.locator("#series .value").allTextContents()).toEqual([
      expect.stringMatching(/^\$[\d,.]+[kM]?$/),
      "No connection",
    ]);
  });

  it("marks where history was restated, as the log of changes tells it, and does without the log", async () => {
    const footnote = (page: Page) => page.locator("#footnote").textContent();
    /** The colours at the foot of the plot, a sixth and five sixths of its width from the left. */
    const colours = `(() => {
      const [over, canvas] = [".u-over", "#chart canvas"].map((one) => document.querySelector(one));
      const { left, bottom, width } = over.getBoundingClientRect();
      const box = canvas.getBoundingClientRect();
      const { data } = canvas.getContext("2d").getImageData(0, Math.floor(bottom - box.top + 2), canvas.width, 1);
      return [1 / 6, 5 / 6].map((share) => {
        const at = 4 * Math.round(left - box.left + width * share);
        return data.slice(at, at + 4).join();
      });
    })()`;
    const page = await newPage();
    const requests: string[] = [];
    page.on("request", (request) => requests.push(new URL(request.url()).pathname));
    await visit("?a=DUET&y=realised_price", page);
    const log = await fetch(`${stage.url}/v3/assets/DUET/changes`);
    const { changes } = (await log.json()) as ChangeLog;
    const { points } = changes[0]!.series.find(
      ({ resolution, metric }) => resolution === "day" && metric === "realised_price",
    )!;
    await expect.poll(() => footnote(page)).toContain(`${points} values of Realised price`);
    expect(await footnote(page)).toMatch(
      /changed, the first of \d+ \w+ 2025, by up to [\d.,]+\u202f%\. .*other prices\.$/,
    );
    const [before, within] = await page.evaluate<string[]>(colours);
    expect(within).not.toBe(before);
    await screenshot(page, "restated");
    // Once for all charts of the asset.
    await page.getByRole("group", { name: "Resolution" }).getByText("Week").click();
    await drawn(page);
    await expect.poll(() => footnote(page)).toContain("restated history");
    expect(requests.filter((path) => path.endsWith("/changes"))).toEqual(["/v3/assets/DUET/changes"]);
    // Nothing of it concerns the number of addresses.
    await visit("?a=ARIA&y=num_addresses", page);
    expect(await footnote(page)).toBe("");
    expect(faults()).toEqual([]);
    await page.route("**/changes", (route) => route.abort());
    const asked = page.waitForRequest("**/changes");
    await visit("?a=DUET&y=realised_price", page);
    await asked;
    expect(await footnote(page)).not.toContain("restated");
    expect(await page.locator("#series .value").textContent()).toMatch(/^\$/);
    opened.at(-1)!.faults.length = 0;
  });

  it("shades where the last price had to hold for more than a week, and says so", async () => {
    const page = await visit("?a=DUET&y=market_cap");
    expect(await page.locator("#footnote").textContent()).toMatch(
      /^Shaded: there is no price from \d+ \w+ 20\d\d to \d+ \w+ 20\d\d\. The last one before holds\./,
    );
    await screenshot(page, "price-gap");
    // A line of the canvas near the top of the chart, where there is no curve.
    const colours = await page.evaluate<string[]>(`(() => {
      const canvas = document.querySelector("#chart canvas");
      const { data } = canvas.getContext("2d").getImageData(0, Math.round(canvas.height * 0.045), canvas.width, 1);
      return [0.2, 0.5, 0.85].map((share) => {
        const at = 4 * Math.round((data.length / 4) * share);
        return String(data.slice(at, at + 4));
      });
    })()`);
    expect(colours[1]).not.toBe(colours[0]);
    expect(colours[2]).toBe(colours[0]);
    await visit("?a=DUET&y=volume");
    expect(await page.locator("#footnote").textContent()).not.toContain("no price");
    expect(faults()).toEqual([]);
  });

  it("reports an empty range, and names in a link that don't exist", async () => {
    const page = await newPage();
    await page.goto(`${stage.url}/?a=ARIA&y=volume&y=nothing&s=2035-01-01#key=${stage.key}`);
    const notice = page.locator("[data-part=notice]");
    await notice.getByText("No points in this range").waitFor();
    await screenshot(page, "empty");
    await notice.getByRole("button", { name: "Show all data" }).click();
    await drawn(page);
    expect(await rows(page).count()).toBe(12);
    await page.goto(`${stage.url}/?a=ARIA&y=volume&y=nothing`);
    await drawn(page);
    expect(await page.locator("#footnote").textContent()).toContain("no series nothing");
    await page.goto(`${stage.url}/?a=NONE&y=supply&r=year`);
    await drawn(page);
    expect(await page.locator("#footnote").textContent()).toBe(
      "There is no asset NONE here. Showing ARIA instead. r=year isn't valid, so it is ignored.",
    );
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
    const link = (await address(page)).href;
    await page.getByLabel("Time zone").selectOption("Asia/Tokyo");
    expect(await moment.textContent()).toBe("1 Jan 2026, 08:00–09:00 UTC+9");
    // The table follows once the charts are painted.
    await rows(page).first().locator("th").getByText("1 Jan 2026, 08:00 UTC+9").waitFor();
    expect((await address(page)).href).toBe(link);
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
