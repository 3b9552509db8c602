/** Headless Chromium on a local Soprano with two small simulated tokens. */

import { existsSync } from "node:fs";
import { cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import axe from "axe-core";
import { type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { bundledProgram, serve } from "../../builder/serve/serve.ts";
import { newFolder } from "../folders.ts";
import { builtOnce, TOKENS } from "./built-tokens.ts";
import { Contexts } from "./contexts.ts";

const PATHS = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The path of Chromium; undefined if there is none. */
export const CHROMIUM = PATHS.find((path) => path && existsSync(path));

/** Pictures of the page, for people to look at. */
export const SCREENSHOTS = fileURLToPath(new URL("screenshots", import.meta.url));

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // A page then starts in the process of the one before.
  "--process-per-site",
];

export interface Stage {
  url: string;
  key: string;
  /** Opens a page that shares nothing with others: no cache and no storage. */
  open(options?: BrowserContextOptions): Promise<OpenedPage>;
  close(): Promise<void>;
}

export interface OpenedPage {
  page: Page;
  /** Errors and warnings of the console, including policy violations, and requests to other hosts. */
  faults: string[];
  close(): Promise<void>;
}

/** @param tokens none for pages that show no data */
export async function setStage(tokens = TOKENS): Promise<Stage> {
  const folder = newFolder();
  const launching = chromium.launch({ executablePath: CHROMIUM!, args: FLAGS });
  const { state, key } = await builtOnce(tokens);
  const persist = join(folder, "state");
  await cp(state, persist, { recursive: true });
  program ??= bundledProgram();
  const server = await serve({ port: 0, persist, onLog: () => {}, program: await program });
  const browser = await launching;
  const contexts = new Contexts(browser, server.url);
  await mkdir(SCREENSHOTS, { recursive: true });
  return {
    url: server.url,
    key,
    open: (options) => open(contexts, server.url, options),
    async close() {
      await browser.close();
      await server.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Test files that run in one process share it. */
let program: ReturnType<typeof bundledProgram> | undefined;

async function open(contexts: Contexts, origin: string, given: BrowserContextOptions = {}): Promise<OpenedPage> {
  const options = { viewport: { width: 1440, height: 960 }, timezoneId: "Asia/Tokyo", ...given };
  const context = await contexts.take(options);
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith("http") && url.origin !== origin) faults.push(`request to ${request.url()}`);
  });
  return { page, faults, close: () => contexts.giveBack(context, options) };
}

/** Chooses the asset of a page, as a person does by keyboard. */
export async function chooseAsset(page: Page, symbol: string): Promise<void> {
  await page.locator("#asset").click();
  await page.getByRole("combobox", { name: "Find an asset" }).fill(symbol);
  await page.keyboard.press("Enter");
}

/** Waits until the chart of the current address is drawn, in all its panes, and what is below it. */
export async function drawn(page: Page): Promise<void> {
  await page.locator("#frame[aria-busy=false] .uplot").first().waitFor();
  await page.evaluate(`(async () => {
    const turn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    do await turn();
    while (document.querySelector(".chart:not(:has(.uplot))"));
    await turn();
  })()`);
}

export function screenshot(page: Page, name: string): Promise<unknown> {
  return page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
}

/** Violations of axe's rules, each with its element. */
export async function violations(
  page: Page,
  { within = "html", rules }: { within?: string; rules?: string[] } = {},
): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source);
  const options: axe.RunOptions = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
  return page.evaluate<string[]>(`axe.run("${within}", ${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => [id, html, failureSummary].join(" "))),
  )`);
}

/** How many pixels of the first chart have the colour of a custom property. */
export const pixelsOf = (page: Page, property: string) =>
  page.evaluate<number>(`(() => {
    const probe = document.body.appendChild(document.createElement("span"));
    probe.style.color = "var(${property})";
    const wanted = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
    probe.remove();
    const canvas = document.querySelector(".uplot canvas");
    // A copy, since reading from a chart would make it slow.
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) if (wanted.every((value, k) => Math.abs(data[i + k] - value) < 3)) count++;
    return count;
  })()`);
