/** The explorer in Chromium where something is missing: a key, the service, a series, prices or data. */

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { ChangeLog } from "../../explorer/src/data/restatements.ts";
import { CHROMIUM, drawn, screenshot, violations } from "./browser.ts";
import { addressOf, rowsOf, setVisits } from "./visits.ts";

describe.skipIf(!CHROMIUM)("the explorer in Chromium, where something is missing", () => {
  const { visit, newPage, faults, forgetFaults, stage } = setVisits();

  it("asks for a key, says how to create one, and rejects a wrong one", async () => {
    const page = await newPage();
    await page.goto(`${stage().url}/`);
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
    await dialog.getByLabel("Key").fill(stage().key);
    await dialog.getByRole("button", { name: "Use key" }).click();
    await drawn(page);
    expect(await alert.isVisible()).toBe(false);
    // Data loaded with one key isn't shown with another.
    await page.getByRole("button", { name: "Key", exact: true }).click();
    await dialog.getByLabel("Key").fill("00000000-0000-4000-8000-000000000000");
    await dialog.getByRole("button", { name: "Use key" }).click();
    await alert.getByText("API key unknown").waitFor();
    expect(await page.locator(".uplot").count()).toBe(0);
    await expect.poll(() => rowsOf(page).count()).toBe(0);
  });

  it("enables only “Try again” while the service is down", async () => {
    const page = await newPage();
    await page.route("**/v3/metrics", (route) => route.abort());
    await page.goto(`${stage().url}/#key=${stage().key}`);
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

  it("is done when a script comes too late for what it was asked for", async () => {
    const page = await newPage();
    const held: (() => void)[] = [];
    await visit("?a=ARIA&y=price", page);
    await page.route("**/*.js", async (route) => {
      await new Promise<void>((resolve) => held.push(resolve));
      await route.continue();
    });
    await page.getByRole("tab", { name: "Code" }).click();
    await expect.poll(() => held.length).toBe(1);
    await page.getByRole("tab", { name: "Table" }).click();
    await page.getByRole("group", { name: "Resolution" }).getByText("Week").click();
    await drawn(page);
    held[0]!();
    await expect.poll(() => page.locator("[aria-busy=true]").count()).toBe(0);
  });

  it("takes a key from a link opened in a page that asks for one", async () => {
    const page = await newPage();
    await page.goto(`${stage().url}/?a=ARIA&y=sopr:total`);
    await page.getByRole("dialog", { name: "API key" }).waitFor();
    const { href } = await addressOf(page);
    // Only the fragment differs, so the page isn't reloaded.
    await page.goto(`${href}#key=${stage().key}`);
    await drawn(page);
    expect((await addressOf(page)).href).toBe(href);
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
    await page.goto(`${stage().url}/?y=market_cap#key=${stage().key}`);
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
    await page.goto(`${stage().url}/?y=realised_cap:users&y=market_cap#key=${stage().key}`);
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
    const log = await fetch(`${stage().url}/v3/assets/DUET/changes`);
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
    forgetFaults();
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
    await page.goto(`${stage().url}/?a=ARIA&y=volume&y=nothing&s=2035-01-01#key=${stage().key}`);
    const notice = page.locator("[data-part=notice]");
    await notice.getByText("No points in this range").waitFor();
    await screenshot(page, "empty");
    await notice.getByRole("button", { name: "Show all data" }).click();
    await drawn(page);
    expect(await rowsOf(page).count()).toBe(12);
    await page.goto(`${stage().url}/?a=ARIA&y=volume&y=nothing`);
    await drawn(page);
    expect(await page.locator("#footnote").textContent()).toContain("no series nothing");
    await page.goto(`${stage().url}/?a=NONE&y=supply&r=year`);
    await drawn(page);
    expect(await page.locator("#footnote").textContent()).toBe(
      "There is no asset NONE here. Showing ARIA instead. r=year isn't valid, so it is ignored.",
    );
  });
});
