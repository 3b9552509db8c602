/** Assets at the edges in Chromium: one without known exchanges, and one with the longest names, in windows of all sizes. */

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { CHROMIUM, drawn, screenshot, violations } from "./browser.ts";
import type { Token } from "./built-tokens.ts";
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
const LONG: Token = {
  symbol: "WRAPPEDLIQUIDSTAKING",
  name: "Wrapped liquid staking receipt token",
  seed: 4,
  transfers: 1_000,
  days: 60,
  gap: [],
};
const TOKENS = [SOLO, LONG];
const TEXT =
  "No address on ethereum is listed as an exchange's for SOLO. What exchanges hold and move can't be told, and would show as 0.";

describe.skipIf(!CHROMIUM)("a chart of exchanges in Chromium", () => {
  const { stage, open, visit } = freshPages(TOKENS);

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
    const other = await visit(`?a=${LONG.symbol}&y=cex_reserve`);
    expect(await other.locator(".notice").isVisible()).toBe(false);
  });
});

/** Phones, tablets and screens; 640×400 and 720×480 are 1280×800 and 1440×960 at 200 %. */
const SIZES = [
  [320, 568],
  [360, 740],
  [390, 844],
  [568, 320],
  [600, 360],
  [640, 400],
  [720, 480],
  [768, 1024],
  [1024, 768],
  [1280, 720],
  [1440, 960],
  [1920, 1080],
] as const;

const FORMULA = encodeURIComponent("=(sma(market_cap,30)-ema(realised_cap,90))/std(market_cap,365)");

/** Two charts below each other, and four of long lines. */
const CHARTS = [
  `/?a=${LONG.symbol}&y=sopr&y2=price`,
  `/?a=SOLO&y=supply:*age&y2=sopr:6m-1y&y2=${FORMULA}&y3=market_cap&y3=${LONG.symbol}.market_cap&y4=price&price4=log`,
];
const OTHERS = [`/boards/valuation?a=${LONG.symbol}`, "/boards", "/assets", `/holders?a=${LONG.symbol}`, "/status"];
const TEXTS = ["/methodology", "/docs"];

/**
 * The controls whose centre belongs to something else, also after they have been scrolled to; those of an open dialog, if
 * there is one. The API reference is Scalar's below our bar.
 */
const COVERED = `(() => {
  const title = (one) => one && (one.tagName + " " + (one.getAttribute("aria-label") ?? one.textContent).trim()).slice(0, 60);
  const inside = document.querySelector("dialog:modal") ?? document;
  const controls = [...inside.querySelectorAll("a, button, input, select, textarea, summary, [role=tab]")];
  const covered = controls.flatMap((one) => {
    const isSkipped = one.disabled || one.closest("#docs, .skip") || !one.checkVisibility({ visibilityProperty: true });
    if (isSkipped || !one.getClientRects()[0]?.width) return [];
    const hit = () => {
      const { left, right, top, bottom } = one.getClientRects()[0];
      return document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    };
    const isHit = () => one.contains(hit()) || hit()?.closest("label")?.control === one;
    if (isHit()) return [];
    one.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    return isHit() ? [] : title(one) + " is under " + title(hit());
  });
  scrollTo(0, 0);
  const beyond = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  return beyond > 0 ? [...covered, "The page is " + beyond + " pixels wider than the window."] : covered;
})()`;

const FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";

describe.skipIf(!CHROMIUM)("in a window of any size, the centre of each control is its own", () => {
  const { stage, open } = freshPages(TOKENS);

  async function visit(path: string): Promise<Page> {
    const { page } = await open();
    await page.goto(`${stage.url}${path}#key=${stage.key}`);
    await page.waitForLoadState("networkidle");
    if (path.startsWith("/?")) await drawn(page);
    return page;
  }

  it.each([...CHARTS, ...OTHERS, ...TEXTS])("on %s", async (path) => {
    const page = await visit(path);
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      await page.evaluate(FRAMES);
      expect(await page.evaluate<string[]>(COVERED), `${width} × ${height}`).toEqual([]);
    }
  });

  it("in each dialog of a chart", async () => {
    const page = await visit(CHARTS[0]!);
    for (const [width, height] of [
      [320, 568],
      [568, 320],
      [720, 480],
    ] as const) {
      await page.setViewportSize({ width, height });
      for (const name of ["Saved", "Alert…", "Share", "Keyboard and gestures", "Key", "+ Formula"]) {
        const opener = page.getByRole("button", { name, exact: true }).first();
        // What isn't beside the chart is in the sheet.
        const sheet = page.getByRole("button", { name: "Controls" });
        const isInSheet = !(await opener.isVisible());
        if (isInSheet) await sheet.click();
        await opener.click();
        await page.locator("dialog:modal").waitFor();
        expect(await page.evaluate<string[]>(COVERED), `${name}, ${width} × ${height}`).toEqual([]);
        await page.keyboard.press("Escape");
        await page.locator("dialog:modal").waitFor({ state: "detached" });
        if (isInSheet) await sheet.click();
      }
    }
  });
});
