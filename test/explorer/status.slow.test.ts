/** The page /status in Chromium, on the real Worker. */

import { describe, expect, it } from "vitest";
import { CHROMIUM, screenshot, violations } from "./browser.ts";
import { freshPages } from "./fresh-pages.ts";

describe.skipIf(!CHROMIUM)("the status in Chromium", () => {
  const { stage, open } = freshPages();

  async function visit(options?: Parameters<typeof open>[0]) {
    const opened = await open(options);
    await opened.page.goto(`${stage.url}/status`);
    await opened.page.locator("tbody tr").first().waitFor();
    return opened;
  }

  it("shows what /v3/status says, without a key", async () => {
    const { page } = await visit();
    const { assets } = (await (await fetch(`${stage.url}/v3/status`)).json()) as { assets: { symbol: string }[] };
    expect(await page.locator("tbody th a").allTextContents()).toEqual(assets.map(({ symbol }) => symbol));
    // The data of the tests ended long ago.
    expect(await page.locator("[data-part=state]").textContent()).toBe("Some assets are late.");
    expect(await page.locator("tbody td.is-late").first().textContent()).toMatch(/^\d+ days, late$/);
    expect(await page.locator("tbody tr").first().textContent()).toContain("at most 30 hours");
  });

  it("keeps the last state while the server can't be reached, and says so", async () => {
    const { page, faults } = await open();
    await page.clock.install();
    let isUp = true;
    await page.route("**/v3/status", (route) => (isUp ? route.continue() : route.abort()));
    await page.goto(`${stage.url}/status`);
    await page.locator("tbody tr").first().waitFor();
    isUp = false;
    await page.clock.fastForward(61_000);
    const notice = page.locator("[data-part=notice]");
    await notice.waitFor();
    expect(await page.locator("tbody tr").count()).toBeGreaterThan(0);
    isUp = true;
    await notice.getByRole("button", { name: "Try again" }).click();
    await notice.waitFor({ state: "hidden" });
    // The browser tells of the connection that the test broke.
    expect(faults.splice(0)).toEqual(["Failed to load resource: net::ERR_FAILED"]);
  });

  it.each([
    ["light", { width: 1440, height: 800 }],
    ["dark", { width: 1024, height: 768 }],
    ["light", { width: 390, height: 844 }],
  ] as const)("has no violations of accessibility rules, %s, %o", async (colorScheme, viewport) => {
    const { page } = await visit({ colorScheme, viewport });
    expect(await violations(page)).toEqual([]);
    await screenshot(page, `status-${colorScheme}-${viewport.width}`);
  });
});
