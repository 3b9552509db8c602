/** Charts of exchanges in Chromium, of a token of which no exchange is known. */

import { describe, expect, it } from "vitest";
import { CHROMIUM, screenshot, type Token, violations } from "./browser.ts";
import { freshPages } from "./fresh-pages.ts";

const SOLO: Token = {
  symbol: "SOLO",
  name: "Solo",
  seed: 3,
  transfers: 1_000,
  days: 60,
  gap: [],
  lacksExchanges: true,
};
const KNOWN: Token = { symbol: "KNOW", name: "Known", seed: 4, transfers: 1_000, days: 60, gap: [] };
const TEXT =
  "No address on ethereum is listed as an exchange's for SOLO. What exchanges hold and move can't be told, and would show as 0.";

describe.skipIf(!CHROMIUM)("a chart of exchanges in Chromium", () => {
  const { stage, open, visit } = freshPages([SOLO, KNOWN]);

  async function look(search: string, options?: Parameters<typeof open>[0]) {
    const { page } = await open(options);
    await page.goto(`${stage.url}/${search}#key=${stage.key}`);
    await page.locator("#frame[aria-busy=false]").waitFor();
    return page;
  }

  it.each(["light", "dark"] as const)("says that no exchange is known in place of a zero, %s", async (colorScheme) => {
    const page = await look("?a=SOLO&y=cex_reserve", { colorScheme });
    const notice = page.locator(".notice");
    await notice.waitFor();
    expect(await notice.locator("p").allTextContents()).toEqual(["No exchange is known", TEXT]);
    expect(await notice.locator("button").count()).toBe(0);
    expect(await page.locator(".uplot").count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await screenshot(page, `no-exchanges-${colorScheme}`);
  });

  it.each(["y=cex_reserve:*exchange", "y==cex_inflow - cex_outflow", "y=supply:cex"])(
    "%s says so, too",
    async (line) => {
      const page = await look(`?a=SOLO&${line.replaceAll(" ", "%20")}`);
      await page.locator(".notice").waitFor();
      expect(await page.locator(".notice").textContent()).toBe(`No exchange is known${TEXT}`);
    },
  );

  it("says it below the other lines of a chart", async () => {
    const page = await visit("?a=SOLO&y=cex_reserve&y=supply");
    expect(await page.locator("#footnote").textContent()).toContain(
      `Exchange reserve, All: No exchange is known. ${TEXT}`,
    );
    expect(await page.locator(".notice").isVisible()).toBe(false);
    await screenshot(page, "no-exchanges-beside");
  });

  it("draws other families, and exchanges where there are some", async () => {
    const page = await visit("?a=SOLO&y=supply:*group");
    expect(await page.locator("#footnote").textContent()).not.toContain("No exchange");
    const other = await visit("?a=KNOW&y=cex_reserve");
    expect(await other.locator(".notice").isVisible()).toBe(false);
  });
});
