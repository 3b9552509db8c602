/**
 * `npm run pictures URL [NAME...]`: takes the README's and the docs' pictures of the explorer, each for both themes, and the one on cards of links; or those
 * that are named. URL is the address that `npm start -- --end 2025-12-31` prints: the docs speak of these dates. The picture `lots` needs `"lots": ["fifo",
 * "lifo", "hifo"]` in .demo/ARIA/asset.json, and a build of it with `--persist .demo/state`. Needs Chromium, at the path in CHROMIUM or at /usr/bin/chromium.
 */

import { fileURLToPath } from "node:url";
import { type BrowserContextOptions, chromium, type Page } from "playwright-core";

const FOLDER = new URL("../docs/images/", import.meta.url);

interface Picture {
  name: string;
  search: string;
  /** The whole page, in a window of this height, instead of the chart alone. */
  pageHeight?: number;
  /** Another page than the explorer's. */
  path?: string;
  /** Whether the last day and that of a year before are pinned. */
  isPinned?: true;
}

const PICTURES: Picture[] = [
  { name: "explorer", search: "?a=ARIA&y=supply:*age:share&y2==mvrv&price2=log", pageHeight: 1000 },
  { name: "board", path: "boards/valuation", search: "?a=ARIA", pageHeight: 840 },
  { name: "lots", path: "boards/which-cost-basis", search: "?a=ARIA", pageHeight: 960 },
  { name: "heatmap", search: "?a=ARIA&y=price&heat=cost_basis" },
  { name: "at-a-date", search: "?a=ARIA&y=price&heat=cost_basis", isPinned: true },
  { name: "sopr", search: "?a=ARIA&y=sopr:total&y=sopr:users&s=2023-10-01&u=2025-06-30&scale=log" },
  { name: "realised-cap", search: "?a=ARIA&y=market_cap:total&y=realised_cap:total" },
  { name: "exchanges", search: "?a=ARIA&y=cex_inflow:all&y=cex_outflow:all&y=cex_reserve_dollar:all&range=1y" },
];

/** On the card of every link: nothing in it tells the asset or the metric. Its policy lets only this program add styles. */
const CARD = {
  file: new URL("src/card.png", import.meta.url),
  search: "?a=ARIA&y=supply:*term:share&r=week",
  /** 1200 × 630 pixels, with text that is still readable at a third of that. */
  window: { viewport: { width: 600, height: 315 }, deviceScaleFactor: 2, colorScheme: "light", bypassCSP: true },
  style: `
    .bar > :not(.mark, .tagline), .metrics, .first-screen > :not(.card), .toolbar, .pane-head, .series, .brush, .footnote, .below, .foot
      { display: none !important }
    .page, main, .first-screen, .card { display: block; margin: 0; padding: 0; border: 0; border-radius: 0; box-shadow: none }
    .bar { flex-wrap: nowrap; height: 76px; padding: 0 24px; border: 0 }
    .mark { font-size: 30px }
    .mark svg { width: 36px; height: 36px }
    .tagline { display: block; flex: auto; width: auto; font-size: 17px }
    .panes { height: 239px }
    .chart { flex: 1; height: auto }
  `,
} as const;

/** A few hours after the last day, as on a page that is kept up to date. */
const NOW = Date.parse("2026-01-01T06:00:00Z");

const [url = "http://127.0.0.1:8787/", ...names] = process.argv.slice(2);
const address = new URL(url);
const wanted = PICTURES.filter(({ name }) => names.length === 0 || names.includes(name));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  for (const scheme of ["light", "dark"] as const) {
    for (const { name, path = "", search, pageHeight, isPinned } of wanted) {
      // The bar at the top covers what has to be scrolled.
      const height = pageHeight ?? (isPinned ? 1700 : 900);
      const window = { viewport: { width: 1440, height }, colorScheme: scheme };
      const page = await open(path + search, window);
      if (isPinned) await pinYear(page);
      const file = `${name}-${scheme}.png`;
      const target = pageHeight ? page : page.locator(isPinned ? "[data-part=charts]" : "#frame");
      await target.screenshot({ path: fileURLToPath(new URL(file, FOLDER)) });
      await page.close();
      console.log(`docs/images/${file}`);
    }
  }
  if (names.length === 0) await takeCard();
} finally {
  await browser.close();
}

async function takeCard(): Promise<void> {
  const page = await open(CARD.search, CARD.window);
  await page.addStyleTag({ content: CARD.style });
  // The chart follows its new size in the next frame.
  await page.waitForTimeout(1000);
  await page.screenshot({ path: fileURLToPath(CARD.file) });
  console.log("explorer/src/card.png");
}

/** Pins the last day, and that of a year before. */
async function pinYear(page: Page): Promise<void> {
  await page.locator("#chart").focus();
  for (const key of ["End", "Enter"]) await page.keyboard.press(key);
  await page.getByRole("button", { name: "A year before" }).click();
  await page.locator(".profile[aria-busy=false] tbody tr").first().waitFor();
}

/** The explorer with a chart, or a board, in a window of its own. */
async function open(path: string, window: BrowserContextOptions): Promise<Page> {
  const page = await browser.newPage(window);
  await page.clock.setFixedTime(NOW);
  await page.goto(new URL(`/${path}${address.hash}`, address).href);
  await page.locator("[data-part=frame][aria-busy=false] .uplot").first().waitFor();
  // A board draws its charts one after the other.
  await page.waitForLoadState("networkidle");
  return page;
}
