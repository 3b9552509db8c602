/** The pages beside the explorer in Chromium, on the real Worker: the API reference and the methodology. */

import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, type OpenedPage, type Stage, screenshot, setStage, violations } from "./browser.ts";

/** Skipped where there is no Chromium. Install it, or name its path in CHROMIUM. */
describe.skipIf(!CHROMIUM)("the pages beside the explorer in Chromium", () => {
  let stage: Stage;
  let opened: OpenedPage[] = [];

  beforeAll(async () => {
    stage = await setStage([]);
  });
  afterAll(() => stage?.close());
  afterEach(async () => {
    expect(opened.flatMap(({ faults }) => faults)).toEqual([]);
    for (const { close } of opened) await close();
    opened = [];
  });

  async function visit(path: string): Promise<Page> {
    const one = await stage.open();
    opened.push(one);
    await one.page.goto(stage.url + path);
    return one.page;
  }

  /** Checks axe's rules in both themes and on a phone. */
  async function expectAccessible(page: Page): Promise<void> {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      expect(await violations(page), colorScheme).toEqual([]);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await violations(page), "phone").toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(0);
  }

  it("describes the API at /docs, without violations of axe's rules", async () => {
    const page = await visit("/docs");
    await page.locator("h1", { hasText: "Soprano" }).waitFor();
    // Its requests, as curl and others would send them.
    await expect.poll(() => page.content()).toContain("YOUR_API_KEY");
    expect(await page.content()).not.toMatch(/YOUR_(?!API_KEY)/);
    // Scalar renders a section once it is near.
    const sectionsAfterScrolling = async () => {
      await page.mouse.wheel(0, 800);
      return page.getByRole("button", { name: /^Show More: / }).count();
    };
    await expect.poll(sectionsAfterScrolling, { timeout: 20_000 }).toBeGreaterThan(7);
    // Its bar is that of all pages.
    await page.setViewportSize({ width: 1440, height: 900 });
    const dark = page.getByRole("button", { name: "Dark theme" });
    for (const isDark of [true, false]) {
      await dark.click();
      expect(await page.evaluate("document.body.classList.contains('dark-mode')")).toBe(isDark);
    }
    await page.keyboard.press("a");
    await page.getByRole("combobox", { name: "Find an asset" }).waitFor();
    await page.keyboard.press("Escape");
    await screenshot(page, "docs");
    await expectAccessible(page);
    await screenshot(page, "docs-phone");
  });

  it("explains the numbers at /methodology, without violations of axe's rules", async () => {
    const page = await visit("/methodology#sopr");
    const row = page.locator("#sopr");
    expect(await row.textContent()).toBe("soprratioΣ x·P / Σ x·a");
    // Below the bar, not under it.
    expect((await row.boundingBox())!.y).toBeGreaterThan(60);
    await page.emulateMedia({ colorScheme: "dark" });
    const picture = page.locator("img:visible").first();
    expect(await page.locator("img:visible").count()).toBe(4);
    await picture.scrollIntoViewIfNeeded();
    await expect.poll(() => page.evaluate("document.querySelector('img.dark').naturalWidth")).toBeGreaterThan(400);
    await screenshot(page, "methodology");
    await expectAccessible(page);
    await screenshot(page, "methodology-phone");
  });

  it("prints the methodology in the light theme, without what only a screen needs", async () => {
    const page = await visit("/methodology");
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect(await page.locator("nav:visible").count()).toBe(0);
    expect(await page.locator("img.light:visible").count()).toBe(4);
    expect(await page.locator("img.dark:visible").count()).toBe(0);
    expect(await page.evaluate("getComputedStyle(document.querySelector('main')).color")).toBe("rgb(26, 28, 33)");
  });

  it("leads from a metric's definition to its chart, and back", async () => {
    const page = await visit("/methodology");
    expect(await page.locator("#realised_cap a").getAttribute("href")).toBe("/?y=realised_cap");
    await page.getByRole("link", { name: "API", exact: true }).click();
    await page.getByRole("link", { name: "Methodology" }).click();
    await page.getByRole("heading", { name: "Methodology", level: 1 }).waitFor();
  });
});
