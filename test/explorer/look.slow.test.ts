/** How the explorer looks: themes, phones, print and axe's rules. In Chromium, on the real Worker. */

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { CHROMIUM, drawn, pixelsOf, screenshot, violations } from "./browser.ts";
import { QUESTIONS_OF_ACTIONS } from "./commands/questions.ts";
import { freshPages } from "./fresh-pages.ts";

/** What each question finds first. Since there are studies, one of them answers what took a formula. */
const ANSWERS = new Map([
  ...QUESTIONS_OF_ACTIONS,
  ["correlation", "Scatter of two lines, with time as colour, and their correlation"],
]);

describe.skipIf(!CHROMIUM)("the look of the explorer in Chromium", () => {
  const { stage, open, visit } = freshPages();

  it.each(["light", "dark"] as const)(
    "has no violations of axe's rules in the command palette when %s",
    async (colorScheme) => {
      const { page } = await open({ colorScheme });
      // With a public key, without which no chart can be embedded.
      await page.route("**/explorer.json", async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), publicKey: stage.key } });
      });
      await page.goto(`${stage.url}/?y=sopr#key=${stage.key}`);
      await drawn(page);
      await page.keyboard.press("Control+k");
      expect(await violations(page)).toEqual([]);
      await screenshot(page, `palette-${colorScheme}`);
      await page.keyboard.type("whales");
      expect(await page.locator("[data-part=palette] [role=status]").textContent()).toContain("$10 million");
      expect(await violations(page, { within: "[data-part=palette]" })).toEqual([]);
      await screenshot(page, `palette-found-${colorScheme}`);
      await page.keyboard.press("Control+a");
      await page.keyboard.type("xyzzy");
      expect(await page.locator("[data-part=palette] [role=status]").textContent()).toBe(
        "Nothing matches “xyzzy”. These come nearest.",
      );
      for (const [question, first] of ANSWERS) {
        await page.locator("[data-part=palette] [data-part=input]").fill(question);
        const answer = page.locator("[data-part=palette] [role=option] >> nth=0").locator("span").first();
        expect([question, await answer.textContent()]).toEqual([question, first]);
      }
      await page.locator("[data-part=palette] [data-part=input]").fill("xyzzy");
      expect(await violations(page, { within: "[data-part=palette]" })).toEqual([]);
    },
  );

  it("draws a single line in a mark, a colour, a width and on a side of its own, and hides it", async () => {
    // Days without an event, whose mark has the colour of the first line.
    const page = await visit("?a=ARIA&y=volume&y=cex_inflow&scale=linear&range=90d");
    const search = () => new URL(page.url()).search;
    const opener = page.getByRole("button", { name: /inflow.* is drawn/i });
    const menu = page.getByRole("dialog", { name: /inflow.* is drawn/i });
    const choose = async (name: string) => {
      await menu.getByRole("button", { name, exact: true }).click();
      await drawn(page);
      // It stays open.
      expect(await menu.isVisible(), name).toBe(true);
      expect(await menu.locator(":focus").count(), name).toBe(1);
    };
    expect(await pixelsOf(page, "--series-4")).toBe(0);
    await opener.click();
    expect(await violations(page)).toEqual([]);
    await choose("Colour 4");
    const thin = await pixelsOf(page, "--series-4");
    expect(thin).toBeGreaterThan(50);
    await choose("Thick");
    expect(await pixelsOf(page, "--series-4")).toBeGreaterThan(thin);
    await choose("Bars");
    await choose("Right");
    expect(search()).toBe("?a=ARIA&y=volume:total&y=cex_inflow:all&range=90d&style=,bars.c4.thick.right&scale=linear");
    await screenshot(page, "style-menu");
    await choose("Hide");
    expect(await pixelsOf(page, "--series-4")).toBe(0);
    expect(search()).toContain("style=,bars.c4.thick.right.off");
    await choose("Show");
    await choose("Only this");
    expect(search()).toContain("style=off,bars.c4.thick.right");
    expect(await pixelsOf(page, "--series-1")).toBe(0);
    await page.keyboard.press("Escape");
    expect(await menu.isVisible()).toBe(false);
    await page.keyboard.press("Control+z");
    await drawn(page);
    expect(search()).toContain("style=,bars.c4.thick.right&");
  });

  it("shows whole rows of a family's legend in a small window, parts that are zero last", async () => {
    const page = await visit("?y=supply:*age:share", { viewport: { width: 1024, height: 768 } });
    const parts = page.locator(".parts");
    const tops = await parts.evaluate((list) => {
      const frame = list.getBoundingClientRect();
      const items = [...list.querySelectorAll("li")].map(
        (item) => [item.textContent!, item.getBoundingClientRect()] as const,
      );
      return items.map(([text, { top, bottom }]) => [
        text,
        top >= frame.top - 1 && bottom <= frame.bottom + 1,
        top < frame.bottom - 1,
      ]);
    });
    // None is cut, and those that are out of view are zero.
    for (const [text, isWhole, isSeen] of tops) expect([text, isWhole]).toEqual([text, isSeen]);
    for (const [text, isWhole] of tops) if (!isWhole) expect(text).toMatch(/0\u202f%/);
    expect(tops.filter(([, isWhole]) => isWhole).length).toBeGreaterThan(8);
    await screenshot(page, "family-1024");
  });

  it.each(["?y=sopr", "?y=supply:*age:share"])(
    "has the chart on the first screen of a phone in landscape: %s",
    async (search) => {
      const page = await visit(search, { viewport: { width: 844, height: 390 }, hasTouch: true });
      const { y, height } = (await page.locator("#chart .u-over").boundingBox())!;
      expect(y + 0.9 * height).toBeLessThan(390);
      expect(await violations(page)).toEqual([]);
      await page.locator("[data-part=open-metrics]").tap();
      expect(await page.locator("[data-part=search]").isVisible()).toBe(true);
      await screenshot(page, "landscape");
    },
  );

  it("prints the charts and the table in the light theme", async () => {
    const page = await visit("?y=market_cap", { colorScheme: "dark" });
    const colours = `(() => {
      const canvas = document.querySelector("#chart canvas");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const colors = new Set();
      for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 255) colors.add(data.slice(at, at + 3).join());
      return [...colors];
    })()`;
    const [light, dark] = ["31,79,216", "126,163,255"];
    expect(await page.evaluate(colours)).toContain(dark);
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    await page.emulateMedia({ media: "print" });
    expect(await page.evaluate(colours)).toContain(light);
    for (const part of ["#metrics", ".toolbar", "[data-part=views]", "#copy", ".bar nav"]) {
      expect(await page.locator(part).isVisible(), part).toBe(false);
    }
    for (const part of ["#title", "#chart canvas", "#series .value", "#table td"]) {
      expect(await page.locator(part).first().isVisible(), part).toBe(true);
    }
    await screenshot(page, "print");
    // A sheet of A4 and one of letter size, without margins of a centimetre.
    for (const width of [718, 740]) {
      await page.setViewportSize({ width, height: 1000 });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      const { x, width: drawnWidth, height } = (await page.locator("#chart canvas").boundingBox())!;
      expect(x + drawnWidth).toBeLessThanOrEqual(width);
      expect(height).toBeGreaterThan(200);
    }
    await page.emulateMedia({ media: "screen" });
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    expect(await page.evaluate(colours)).toContain(dark);
  });

  it.each([
    { name: "light", colorScheme: "light" },
    { name: "dark", colorScheme: "dark" },
    { name: "wide", colorScheme: "light", viewport: { width: 2200, height: 1200 } },
  ] as const)("has no violations of axe's rules when $name", async ({ name, ...options }) => {
    const page = await visit("", options);
    await screenshot(page, name);
    await expectAccessible(page);
  });

  const PHONE = { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } };

  it("fits on a phone, where the list of metrics opens and closes", async () => {
    const page = await visit("", { ...PHONE, colorScheme: "light" });
    await screenshot(page, "phone");
    await page.getByRole("button", { name: "Choose a metric" }).tap();
    await screenshot(page, "phone-metrics");
    expect(await violations(page)).toEqual([]);
    await page.getByLabel("Search metrics").fill("realised price");
    await page.locator(".metric-list .show").first().tap();
    await drawn(page);
    expect(await page.locator("#metric-panel").isVisible()).toBe(false);
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    await screenshot(page, "phone-below");
    await expectAccessible(page);
  });

  it("fits on a small dark phone, with the chart on the first screen", async () => {
    const small = { ...PHONE, viewport: { width: 360, height: 740 } };
    const page = await visit("", { ...small, colorScheme: "dark" });
    await screenshot(page, "phone-dark");
    const chart = (await page.locator("#chart").boundingBox())!;
    // Below the bar, the title, the range and the legend.
    expect(chart.y).toBeLessThan(320);
    expect(chart.y + 300).toBeLessThan(740);
    const rows = await page.evaluate<number>(`new Set(
      [...document.querySelectorAll(".toolbar > *")].filter((one) => one.offsetHeight > 0).map((one) => one.offsetTop),
    ).size`);
    expect(rows, "rows of the toolbar").toBe(1);
    const [opener, from] = [page.getByRole("button", { name: "Controls" }), page.getByLabel("From", { exact: true })];
    expect(await from.isVisible()).toBe(false);
    await opener.tap();
    expect(await from.isVisible()).toBe(true);
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "phone-sheet");
    await page.locator("[data-part=tools]").getByRole("button", { name: "Log", exact: true }).tap();
    await drawn(page);
    expect(new URL(page.url()).searchParams.get("scale")).toBe("log");
    // It stays open, and the chart can be seen above it.
    expect(await from.isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    expect(await from.isVisible()).toBe(false);
    expect(await page.evaluate("document.activeElement.dataset.part")).toBe("open-sheet");
    await opener.tap();
    await page.getByRole("button", { name: "Done" }).tap();
    expect(await from.isVisible()).toBe(false);
    await expectAccessible(page);
  });

  /** Checks the page, then the dialog for the key. */
  async function expectAccessible(page: Page): Promise<void> {
    expect(await violations(page)).toEqual([]);
    // Not innerWidth: on a phone, that grows with content that is too wide.
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    expect(width, "width of the content").toBeLessThanOrEqual(page.viewportSize()!.width);
    await page.locator("#key").click();
    expect(await violations(page, { within: "[data-part=key-dialog]" })).toEqual([]);
  }

  it("switches between light and dark, and remembers the choice", async () => {
    const page = await visit("", { colorScheme: "light" });
    const background = () => page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor");
    const light = await background();
    await page.getByRole("button", { name: "Dark theme" }).click();
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload();
    await drawn(page);
    expect(await background()).toBe(dark);
  });
});
