/**
 * `npm run pictures URL`: takes the README's and the docs' pictures of the explorer, each for both themes. URL is the address that `npm start`
 * prints. Needs Chromium, at the path in CHROMIUM or at /usr/bin/chromium.
 */

import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const FOLDER = new URL("../docs/images/", import.meta.url);

interface Picture {
  name: string;
  search: string;
  /** The whole page, in a window of this height, instead of the chart alone. */
  pageHeight?: number;
}

const PICTURES: Picture[] = [
  { name: "explorer", search: "?a=ARIA&y=supply:*age:share&y2==mvrv&price2=log", pageHeight: 1000 },
  { name: "sopr", search: "?a=ARIA&y=sopr:total&y=sopr:users&s=2023-10-01&u=2025-06-30&scale=log" },
  { name: "realised-cap", search: "?a=ARIA&y=market_cap:total&y=realised_cap:total" },
  { name: "exchanges", search: "?a=ARIA&y=cex_inflow:all&y=cex_outflow:all&y=cex_reserve_dollar:all&range=1y" },
];

const address = new URL(process.argv[2] ?? "http://127.0.0.1:8787/");
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  for (const scheme of ["light", "dark"] as const) {
    for (const { name, search, pageHeight } of PICTURES) {
      const context = await browser.newContext({
        viewport: { width: 1440, height: pageHeight ?? 900 },
        colorScheme: scheme,
      });
      const page = await context.newPage();
      await page.goto(new URL(`/${search}${address.hash}`, address).href);
      await page.locator("#frame[aria-busy=false] .uplot").first().waitFor();
      const file = `${name}-${scheme}.png`;
      const target = pageHeight ? page : page.locator("#frame");
      await target.screenshot({ path: fileURLToPath(new URL(file, FOLDER)) });
      await context.close();
      console.log(`docs/images/${file}`);
    }
  }
} finally {
  await browser.close();
}
