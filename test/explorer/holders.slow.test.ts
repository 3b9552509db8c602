/** The pages of holders in Chromium, on the real Worker. */

import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { CHROMIUM, chooseAsset, drawn, screenshot, violations } from "./browser.ts";
import { freshPages } from "./fresh-pages.ts";

interface Row {
  address: string;
  balance: number;
  unrealised_profit: number;
  label: string | null;
}

describe.skipIf(!CHROMIUM)("the pages of holders in Chromium", () => {
  const { stage, open, visit } = freshPages();

  async function holders(path = "", options?: Parameters<typeof open>[0]) {
    const { page } = await open(options);
    await page.goto(`${stage.url}/holders${path}#key=${stage.key}`);
    await ready(page);
    return page;
  }
  type Page = Awaited<ReturnType<typeof holders>>;
  const ready = (page: Page) => page.locator("#table[aria-busy=false] tbody tr").first().waitFor();
  const sizeOf = (text: string) => text.split("x").map(Number) as [width: number, height: number];
  const addresses = (page: Page) =>
    page.locator("#table tbody th a").evaluateAll((links) => links.map((link) => link.getAttribute("title")!));
  const search = (page: Page) => new URL(page.url()).search;
  const rowsOf = async (query: string): Promise<Row[]> => {
    const response = await fetch(`${stage.url}/v3/holders?${query}`, { headers: { "X-Api-Key": stage.key } });
    return ((await response.json()) as { holders: Row[] }).holders;
  };
  const addressesOf = async (query: string) => (await rowsOf(query)).map(({ address }) => address);

  it("answers in two steps who are the ten largest holders under water", async () => {
    const page = await visit("");
    await page.getByRole("link", { name: "Holders", exact: true }).click();
    await ready(page);
    await page.getByRole("combobox", { name: "Show" }).selectOption("Unrealised loss");
    await page.waitForURL(/order=asc/);
    await ready(page);
    const expected = await rowsOf("a=ARIA&sort=unrealised_profit&order=asc&limit=10");
    expect(expected.every((row) => row.unrealised_profit < 0)).toBe(true);
    await expect.poll(async () => (await addresses(page)).slice(0, 10)).toEqual(expected.map((row) => row.address));
  });

  it("keeps order, group, asset and page in the link, and goes back and forward through them", async () => {
    const page = await holders();
    const largest = await addressesOf("a=ARIA");
    expect(await addresses(page)).toEqual(largest);
    await page.locator("thead").getByRole("button", { name: "Cost" }).click();
    await expect.poll(() => addresses(page)).toEqual(await addressesOf("a=ARIA&sort=cost"));
    expect(await page.locator("thead th[aria-sort]").textContent()).toContain("Cost");
    await page.keyboard.press("Enter");
    await expect.poll(() => addresses(page)).toEqual(await addressesOf("a=ARIA&sort=cost&order=asc"));
    await page.getByRole("button", { name: "Users", exact: true }).click();
    await expect.poll(() => addresses(page)).toEqual(await addressesOf("a=ARIA&sort=cost&order=asc&group=users"));
    await page.getByRole("button", { name: "Next 100" }).click();
    const second = await addressesOf("a=ARIA&sort=cost&order=asc&group=users&offset=100");
    await expect.poll(() => addresses(page)).toEqual(second);
    expect(search(page)).toBe("?sort=cost&order=asc&group=users&page=2");
    expect(await page.locator("[data-part=count]").textContent()).toBe("Ranks 101 to 200");
    await page.reload();
    await ready(page);
    expect(await addresses(page)).toEqual(second);
    for (let step = 0; step < 4; step++) await page.goBack();
    await expect.poll(() => addresses(page)).toEqual(largest);
    expect(search(page)).toBe("");
    await page.goForward();
    await expect.poll(() => addresses(page)).toEqual(await addressesOf("a=ARIA&sort=cost"));
    await chooseAsset(page, "DUET");
    await expect.poll(() => addresses(page)).toEqual(await addressesOf("a=DUET&sort=cost"));
  });

  it("filters by exchange and by own cohort, and saves the rows as the API has them", async () => {
    const { page } = await open();
    // The tokens of these tests have no own cohorts: the page is told of one.
    await page.route("**/v3/assets", async (route) => {
      const response = await route.fetch();
      const { assets } = await response.json();
      assets[0].cohorts = [{ selector: "@team" }];
      await route.fulfill({ response, json: { assets } });
    });
    await page.route("**/v3/holders?*", async (route) => {
      const response = await route.fetch();
      const list = await response.json();
      for (const [i, row] of list.holders.entries()) if ("cohorts" in row && i % 7 === 3) row.cohorts = ["team"];
      await route.fulfill({ response, json: list });
    });
    await page.goto(`${stage.url}/holders#key=${stage.key}`);
    await ready(page);
    await page.getByRole("combobox", { name: "Exchange" }).selectOption("binance");
    const labelled = (await rowsOf("a=ARIA&group=cex&limit=1000")).filter(({ label }) => label === "binance");
    expect(labelled.length).toBeGreaterThan(1);
    await expect.poll(() => addresses(page)).toEqual(labelled.map(({ address }) => address));
    expect(await page.locator("[data-part=count]").textContent()).toMatch(/^\d+ of ranks 1 to \d+$/);
    await page.getByRole("combobox", { name: "Exchange" }).selectOption("Any");
    await page.getByRole("combobox", { name: "Own cohort" }).selectOption("@team");
    const team = (await addressesOf("a=ARIA&limit=1000")).filter((_, i) => i % 7 === 3);
    await expect.poll(() => addresses(page)).toEqual(team);
    expect(search(page)).toBe("?cohort=team");
    expect(await page.locator("#table tbody tr").first().textContent()).toContain("@team");
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "CSV" }).click();
    const download = await saved;
    expect(download.suggestedFilename()).toBe("ARIA_holders.csv");
    const [head, ...lines] = (await readFile(await download.path(), "utf8")).trimEnd().split("\n");
    const answer = await fetch(`${stage.url}/v3/holders?a=ARIA&limit=4&f=csv`, { headers: { "X-Api-Key": stage.key } });
    const csv = await answer.text();
    expect(head).toBe(csv.split("\n")[0]);
    expect(lines.length).toBe(team.length);
    // The API's own line, but for the cohort that the test has added.
    expect(lines[0]).toBe(`${csv.split("\n")[4]!}team`);
  });

  it("draws the year of the largest with six requests, and shows the largest of a day", async () => {
    const page = await holders();
    const paths: string[] = [];
    page.on("request", (request) => paths.push(new URL(request.url()).search));
    await expect.poll(() => page.locator("#table tbody svg").count()).toBeGreaterThan(90);
    const [first] = await addresses(page);
    const days = await rowsOf("a=ARIA&at=2025-12-31&limit=1");
    expect(days[0]!.address).toBe(first);
    await page.getByRole("combobox", { name: "Show" }).selectOption("Newest");
    await page.waitForURL(/first_seen/);
    await ready(page);
    // Only its own: lists of days are kept.
    expect(paths.filter((query) => query.includes("&at=")).length).toBeLessThanOrEqual(6);
    await page.getByLabel("At the close of").fill("2025-03-01");
    await expect.poll(() => addresses(page)).toEqual(await addressesOf("a=ARIA&at=2025-03-01"));
    expect(search(page)).toBe("?at=2025-03-01");
    expect(await page.getByRole("combobox", { name: "Show" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Back to the last close" }).click();
    await expect.poll(() => addresses(page)).toEqual(await addressesOf("a=ARIA"));
  });

  it("finds an address from any page, and shows what it holds, its ranks and its page in the chain's explorer", async () => {
    const [{ address, balance }] = (await rowsOf("a=ARIA&limit=1")) as [Row];
    const page = await visit("");
    const isThere = () => page.waitForURL(`**/holders/${address}`);
    await page.getByLabel("Search metrics").fill(address);
    await page.keyboard.press("Enter");
    await isThere();
    await page.getByRole("link", { name: "Assets" }).click();
    await page.getByLabel("Search assets").fill(address);
    await page.keyboard.press("Enter");
    await isThere();
    await page.getByRole("link", { name: "Charts" }).click();
    await drawn(page);
    await page.keyboard.press("Control+k");
    await page.keyboard.insertText(`https://etherscan.io/address/${address}`);
    await page.keyboard.press("Enter");
    await isThere();
    await ready(page);
    expect(await page.locator("h1").textContent()).toContain(address);
    expect(await page.locator("#table tbody th a").allTextContents()).toEqual(["ARIA"]);
    const first = await page.locator("#table tbody td").first().textContent();
    expect(Number.parseFloat(first!)).toBeCloseTo(balance / 1e6, 0);
    const there = page.getByRole("link", { name: "etherscan.io" });
    expect(await there.getAttribute("href")).toBe(`https://etherscan.io/address/${address}`);
    const ranks = page.locator("[data-part=ranks] tbody tr");
    await ranks.first().waitFor();
    expect(await ranks.count()).toBe(12);
    expect(await ranks.first().textContent()).toMatch(/^31 Dec 20251[1-9]/);
    await page.getByLabel("Find an address").fill("0x12");
    await page.keyboard.press("Enter");
    await page.getByText("An address is 0x and 40 digits").waitFor();
    await page.getByLabel("Find an address").fill(`0x${"1".repeat(40)}`);
    await page.keyboard.press("Enter");
    await page.getByText("This address has never held any of the 2 assets here.").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("link", { name: "See who does" }).click();
    await ready(page);
  });

  it("says in the API's words why there is nothing, what to do about it, and tries again", async () => {
    const { page, faults } = await open();
    const detail = "This build of ARIA is older than holders: its next build has them.";
    let isOld = true;
    await page.route("**/v3/holders?*", (route) =>
      isOld
        ? route.fulfill({ status: 400, json: { type: "/problems/unavailable-metric", title: "Not yet there", detail } })
        : route.continue(),
    );
    await page.goto(`${stage.url}/holders#key=${stage.key}`);
    await page.getByText(detail).waitFor();
    expect(await page.locator("#table").isHidden()).toBe(true);
    isOld = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await ready(page);
    await page.goto(`${stage.url}/holders?a=DUET&page=90`);
    await page.getByText("The list ends before this page.").waitFor();
    await page.getByRole("button", { name: "First page" }).click();
    await ready(page);
    await page.goto(`${stage.url}/holders?a=DUET&cohort=nobody`);
    await page.getByText(/^None of these \d+ addresses fits\./).waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await ready(page);
    expect(search(page)).toBe("?a=DUET");
    await page.goto(`${stage.url}/holders?a=ARIA&at=1999-01-01`);
    await page.getByText("ARIA has data of the days from").waitFor();
    // The browser tells of the failures that the test made.
    expect(new Set(faults.splice(0)).size).toBe(1);
  });

  it.each([
    ["light", ["1440x900", "768x1024", "844x390"]],
    ["dark", ["390x844", "1024x768"]],
  ] as const)("has no violations of accessibility rules, and fits any window, %s", async (colorScheme, sizes) => {
    const [width, height] = sizeOf(sizes[0]);
    const viewport = { width, height };
    const page = await holders("?sort=unrealised_profit&order=asc&label=binance", { colorScheme, viewport });
    // What the order is of is in view, on a phone, too, and stays there when the lines of balances come.
    await page.locator("[data-balances] svg").first().waitFor();
    const sorted = (await page.locator("thead [aria-sort]").boundingBox())!;
    expect(sorted.x + sorted.width).toBeLessThanOrEqual(width);
    const fits = async (name: string) => {
      for (const size of sizes) {
        const [width, height] = sizeOf(size);
        await page.setViewportSize({ width, height });
        expect(await page.evaluate("document.documentElement.scrollWidth"), size).toBe(width);
        expect(await violations(page), size).toEqual([]);
        await screenshot(page, `${name}-${colorScheme}-${width}`);
      }
    };
    await page.locator("#table tbody svg").first().waitFor();
    await fits("holders");
    await page.locator("#table tbody th a").first().click();
    await page.locator("[data-part=ranks] tbody tr").first().waitFor();
    await fits("address");
  });
});
