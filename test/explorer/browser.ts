/** Headless Chromium on a Soprano of two small simulated tokens. */

import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { build } from "../../builder/build/build.ts";
import { serve } from "../../builder/serve/serve.ts";
import { simulate } from "../../builder/simulate/simulate.ts";
import { createKey } from "../../builder/store/api-keys.ts";
import { openLocalState } from "../../builder/store/local.ts";
import { silentProgress } from "../../builder/terminal/progress.ts";
import { newFolder } from "../folders.ts";

const PLACES = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Where there is a Chromium; undefined when there is none. */
export const CHROMIUM = PLACES.find((path) => path && existsSync(path));

if (!CHROMIUM) {
  console.warn(
    "No Chromium is found (apt-get install chromium, or name one in CHROMIUM): the explorer's tests in a browser are skipped.",
  );
}

/** Pictures of the page, for people to look at. */
const SCREENSHOTS = fileURLToPath(new URL("screenshots", import.meta.url));

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export interface Stage {
  url: string;
  key: string;
  /** A page of its own: no key, no memory, nothing stored. */
  open(options?: BrowserContextOptions): Promise<VisitedPage>;
  close(): Promise<void>;
}

/** A page, and what went wrong on it. */
export interface VisitedPage {
  page: Page;
  /** Errors and warnings of the console, policy violations among them, and requests to elsewhere. */
  faults: string[];
  close(): Promise<void>;
}

export async function setStage(): Promise<Stage> {
  const folder = newFolder();
  const persist = join(folder, "state");
  const state = await openLocalState(persist);
  const tokens = [
    { symbol: "ARIA", name: "Aria", seed: 1, transfers: 20_000, days: 3 * 365 },
    { symbol: "DUET", name: "Duet", seed: 2, transfers: 2_000, days: 365 },
  ];
  for (const token of tokens) {
    const { assetPath } = await simulate({ ...token, out: join(folder, token.symbol) });
    await build(assetPath, state.objects, { threads: 1, progress: silentProgress() });
  }
  const { key } = await createKey(state.keys, { name: "tests" });
  await state.close();
  const server = await serve({ port: 0, persist });
  const browser = await chromium.launch({ executablePath: CHROMIUM!, args: FLAGS });
  await mkdir(SCREENSHOTS, { recursive: true });
  return {
    url: server.url,
    key,
    open: (options) => open(browser, server.url, options),
    async close() {
      await browser.close();
      await server.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function open(browser: Browser, origin: string, options: BrowserContextOptions = {}): Promise<VisitedPage> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 960 },
    timezoneId: "Asia/Tokyo",
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith("http") && url.origin !== origin) faults.push(`asked for ${request.url()}`);
  });
  return { page, faults, close: () => context.close() };
}

/** Waits until the series of the address are drawn. */
export async function drawn(page: Page): Promise<void> {
  await page.locator("#frame[aria-busy=false] .uplot").waitFor();
}

export function screenshot(page: Page, name: string): Promise<unknown> {
  return page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
}
