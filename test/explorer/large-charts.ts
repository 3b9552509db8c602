/**
 * Charts of many points, and what a person does with them: the tests draw them, the bench measures them. Buttons are found by
 * their place: to find them by their role is work of the page that takes longer than what is measured.
 */

import type { Download, Page } from "playwright-core";
import { METRICS, SINGLE_SERIES, selectorIn } from "../../data-schema/registry/metrics.ts";
import type { ServedDistribution } from "../../explorer/src/data/heat.ts";
import { drawn, type Stage } from "./browser.ts";

export interface LargeChart {
  /** Its query string. */
  search: string;
  /** Moves the crosshair over the whole chart, zooms, and changes what is drawn. */
  use(page: Page): Promise<void>;
}

const AGES = ["<1d", "1d-1w", "1w-1m", "1m-3m", "3m-6m", "6m-1y"];
const DAYS = 3_000;
const HOURS = 18_000;
const BLOCKS = 100_000;
const [HEAT_DAYS, BUCKETS] = [2_000, 300];
/** The explorer draws no chart of two builds. */
const BUILD = "0123456789abcdef";

/** The points of each resolution: Unix seconds of the first, seconds between two, and how many there are. */
const POINTS: Record<string, { start: number; step: number; rows: number }> = {
  block: { start: Date.UTC(2025, 11, 10) / 1000, step: 12, rows: BLOCKS },
  hour: { start: Date.UTC(2023, 11, 1) / 1000, step: 3_600, rows: HOURS },
  day: { start: Date.UTC(2017, 0, 1) / 1000, step: 86_400, rows: DAYS },
};

export const LARGE_CHARTS = {
  /** 24 series and four prices, in four panes. */
  "28 series of 3,000 days": {
    search: `?a=ARIA&${["supply", "supply_profit", "supply_loss", "num_addresses"]
      .map((metric, pane) => {
        const place = pane === 0 ? "" : pane + 1;
        return [...AGES.map((age) => `y${place}=${metric}:${age}`), `price${place}=log`].join("&");
      })
      .join("&")}`,
    use: async (page: Page) => {
      await sweep(page);
      await zoomByWheel(page);
    },
  },
  "two families, 30 series of 3,000 days": {
    search: "?a=ARIA&y=num_transfers:*size:stack&y2=supply:*age:share",
    use: async (page: Page) => {
      await sweep(page);
      await zoomByWheel(page);
      await page.locator(".parts button", { hasText: "Exchanges" }).click();
      await addressHas(page, "off%3Dcex");
    },
  },
  "52 series of 18,000 hours": {
    search:
      "?a=ARIA&r=hour&range=all&y=volume:*age:stack&y2=realised_profit:*age:share&y3=realised_loss:*age:lines&y4=volume_dollar:*age:stack",
    use: async (page: Page) => {
      await sweep(page);
      await zoomByWheel(page);
    },
  },
  "a heatmap of 2,000 days × 300 buckets": {
    search: "?a=ARIA&y=price&heat=cost_basis",
    use: async (page: Page) => {
      await sweep(page);
      await zoomByWheel(page);
    },
  },
  "100,000 blocks": {
    search: "?a=ARIA&y=volume&r=block&range=30d",
    use: async (page: Page) => {
      const { x, y } = await sweep(page);
      await page.mouse.move(x + 300, y);
      await page.mouse.down();
      await page.mouse.move(x + 700, y, { steps: 5 });
      await page.mouse.up();
      await addressHas(page, "z=");
      await page.locator("[data-part=reset]").click();
      await page.waitForURL(({ search }) => !search.includes("z="));
    },
  },
} satisfies Record<string, LargeChart>;

/** Opens a large chart, whose points are made up. */
export async function showLarge(page: Page, { url, key }: Stage, { search }: LargeChart): Promise<void> {
  await page.route("**/v3/series?**", (route) =>
    route.fulfill({
      contentType: "text/csv",
      headers: { "X-Soprano-Build": BUILD },
      body: madeUp(new URL(route.request().url()).searchParams),
    }),
  );
  await page.route("**/v3/distributions/**", (route) => route.fulfill({ json: madeUpCells() }));
  await page.goto(`${url}/${search}#key=${key}`);
  await drawn(page);
}

/** Opens the dialog for sharing, and downloads the picture at twice its size. */
export async function downloadPicture(page: Page): Promise<Download> {
  await page.locator("[data-part=share]").click();
  const downloading = page.waitForEvent("download");
  await page.locator("#share-picture button", { hasText: "Download 2×" }).click();
  return downloading;
}

/** The answer to a request for series: of each, as many points as the charts above are to have. */
function madeUp(query: URLSearchParams): string {
  const [asset, metrics, selectors] = ["a", "m", "c"].map((name) => (query.get(name) ?? "*").split(","));
  const series = metrics!.flatMap((metric) => {
    const own = selectorIn(METRICS.find(({ name }) => name === metric)!)?.values ?? [SINGLE_SERIES];
    const taken = own.filter((value) => own.length === 1 || selectors![0] === "*" || selectors!.includes(value));
    return taken.map((selector) => ({
      name: `${asset}:${metric}:${selector}`,
      isWhole: taken.length > 1 && /^(all|total)$/.test(selector),
    }));
  });
  const isByBlock = query.get("r") === "block";
  const { start, step, rows } = POINTS[query.get("r") ?? "day"]!;
  const lines = [["t", ...(isByBlock ? ["block"] : []), ...series.map(({ name }) => name)].join(",")];
  for (let row = 0; row < rows; row++) {
    const moment = [start + row * step, ...(isByBlock ? [row] : [])];
    const value = (i: number) =>
      1e6 * (2 + Math.sin((row + 40 * i) / 90)) * (1 + ((row * 7919 * (i + 1)) % 1000) / 3000);
    lines.push([...moment, ...series.map(({ isWhole }, i) => (isWhole ? 2e8 : value(i)))].join(","));
  }
  return `${lines.join("\n")}\n`;
}

/** The answer to a request for a distribution, with prices around those of the series above. */
function madeUpCells(): ServedDistribution & { build: string } {
  const { start, step, rows } = POINTS.day!;
  const edge = (bucket: number) => 1e6 * 10 ** ((bucket - BUCKETS / 2) / 40);
  const days = Array.from({ length: HEAT_DAYS }, (_, day) => rows - HEAT_DAYS + day);
  const held = (day: number, bucket: number) => 1e6 * (1 + Math.sin(day / 50 + bucket / 9));
  return {
    build: BUILD,
    buckets: Array.from({ length: BUCKETS }, (_, bucket) => ({ from: edge(bucket), to: edge(bucket + 1) })),
    t: days.map((day) => start + day * step),
    supply: days.map((day) => Array.from({ length: BUCKETS }, (_, bucket) => held(day, bucket))),
  };
}

/** Moves the crosshair from one end of the first pane to the other. Returns the pane's left edge, and where that was. */
async function sweep(page: Page): Promise<{ x: number; y: number }> {
  const box = (await page.locator(".u-over").first().boundingBox())!;
  for (let step = 0; step <= 20; step++) await page.mouse.move(box.x + (box.width * step) / 24, box.y + 40);
  return { x: box.x, y: box.y + 40 };
}

async function zoomByWheel(page: Page): Promise<void> {
  for (let step = 0; step < 5; step++) await page.mouse.wheel(0, -100);
  await addressHas(page, "z=");
}

async function addressHas(page: Page, text: string): Promise<void> {
  await page.waitForURL(({ search }) => search.includes(text));
}
