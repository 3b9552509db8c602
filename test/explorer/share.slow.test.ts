/** Pictures, embedded charts and saved charts, in Chromium on the real Worker. */

import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page, Request } from "playwright-core";
import { describe, expect, it } from "vitest";
import { CHROMIUM, drawn, screenshot, violations } from "./browser.ts";
import { freshPages } from "./fresh-pages.ts";

const SCREENSHOTS = fileURLToPath(new URL("screenshots", import.meta.url));

/** What is in a PNG, as the browser decodes it: its size, and how many pixels have each colour. */
interface Decoded {
  width: number;
  height: number;
  colors: Record<string, number>;
}

/** Skipped where there is no Chromium. Install it, or name its path in CHROMIUM. */
describe.skipIf(!CHROMIUM)("sharing in Chromium", () => {
  const { stage, open, visit } = freshPages();

  const decode = (page: Page, png: Buffer) =>
    page.evaluate<Decoded>(`(async () => {
      const bytes = Uint8Array.from(atob("${png.toString("base64")}"), (char) => char.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const { width, height } = image;
      const context = new OffscreenCanvas(width, height).getContext("2d");
      context.drawImage(image, 0, 0);
      const colors = {};
      const { data } = context.getImageData(0, 0, width, height);
      for (let at = 0; at < data.length; at += 4) {
        const color = [data[at], data[at + 1], data[at + 2]].join(" ");
        colors[color] = (colors[color] ?? 0) + 1;
      }
      return { width, height, colors };
    })()`);

  async function downloadPicture(page: Page, label: string, shot: string): Promise<{ name: string; png: Buffer }> {
    const waiting = page.waitForEvent("download");
    await page.getByRole("button", { name: label }).click();
    const download = await waiting;
    const path = await download.path();
    await download.saveAs(join(SCREENSHOTS, `${shot}.png`));
    return { name: download.suggestedFilename(), png: await readFile(path) };
  }

  const share = (page: Page) => page.getByRole("button", { name: "Share", exact: true }).click();
  const told = (page: Page) => page.locator("#share-status").textContent();

  it("downloads a picture at both sizes, with the lines' colours, in the page's theme", async () => {
    const page = await visit("?y=market_cap&y=volume_dollar&y=unrealised_profit&y2=sopr:users");
    await share(page);
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "share");
    const { name, png } = await downloadPicture(page, "Download 1×", "picture");
    expect(name).toBe("ARIA_market_cap_volume_dollar_unrealised_profit_sopr_day.png");
    const plain = await decode(page, png);
    expect(plain.width).toBe(1200);
    expect(plain.height).toBeGreaterThan(600);
    // The colours of the palette, light: each line draws hundreds of pixels, the third only in the second pane.
    const [blue, orange, third, surface] = ["31 79 216", "200 80 10", "17 153 200", "255 255 255"];
    for (const color of [blue!, orange!, third!]) expect(plain.colors[color], color).toBeGreaterThan(150);
    expect(plain.colors[surface!]! / (plain.width * plain.height)).toBeGreaterThan(0.7);
    const double = await decode(page, (await downloadPicture(page, "Download 2×", "picture-double")).png);
    expect([double.width, double.height]).toEqual([2400, 2 * plain.height]);
    // Drawn at that size, not enlarged: twice as long and twice as thick.
    expect(double.colors[blue!]! / plain.colors[blue!]!).toBeGreaterThan(3);
    expect(await told(page)).toBe("Picture downloaded.");
  });

  it("draws families with all their parts", async () => {
    const page = await visit("?y=supply:*age:share");
    await share(page);
    const { png } = await downloadPicture(page, "Download 1×", "picture-family");
    const { colors } = await decode(page, png);
    const areas = Object.values(colors).filter((count) => count > 3_000);
    expect(areas.length).toBeGreaterThan(5);
  });

  it("copies a dark picture from a phone, and the link", async () => {
    const page = await visit("?y=sopr:users&y=supply:users&range=1y", {
      viewport: { width: 390, height: 844 },
      colorScheme: "dark",
      deviceScaleFactor: 3,
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await share(page);
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "share-phone");
    await page.getByRole("button", { name: "Copy 1×" }).click();
    await expect.poll(() => told(page)).toBe("Picture copied.");
    const base64 = await page.evaluate<string>(`(async () => {
      const [item] = await navigator.clipboard.read();
      const blob = await item.getType("image/png");
      return btoa(Array.from(new Uint8Array(await blob.arrayBuffer()), (byte) => String.fromCharCode(byte)).join(""));
    })()`);
    const png = Buffer.from(base64, "base64");
    await writeFile(join(SCREENSHOTS, "picture-dark.png"), png);
    const { width, colors } = await decode(page, png);
    // The picture is as wide as on any other screen, on the dark theme's surface, with its blue and orange.
    expect(width).toBe(1200);
    const [surface] = Object.entries(colors).toSorted(([, a], [, b]) => b - a)[0]!;
    expect(surface).toBe("21 24 30");
    for (const color of ["126 163 255", "255 160 92"]) expect(colors[color], color).toBeGreaterThan(150);
    await page.getByRole("button", { name: "Copy link" }).click();
    await expect.poll(() => told(page)).toBe("Link copied.");
    const link = await page.evaluate("navigator.clipboard.readText()");
    expect(link).toBe(`${stage.url}/?a=ARIA&y=sopr:users&y=supply:users&range=1y`);
  });

  it("says what to do where the browser doesn't allow copying, and shares from the palette", async () => {
    const page = await visit("?y=sopr:users");
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await share(page);
    await page.getByRole("button", { name: "Copy 2×" }).click();
    await expect.poll(() => told(page)).toBe("The browser doesn't allow copying pictures: download it instead.");
    await page.getByRole("button", { name: "Copy link" }).click();
    await expect.poll(() => told(page)).toMatch(/copy it yourself\.$/);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.keyboard.insertText("download picture 2400");
    const waiting = page.waitForEvent("download");
    await page.keyboard.press("Enter");
    expect((await waiting).suggestedFilename()).toBe("ARIA_sopr_day.png");
    expect(await page.locator("#status").textContent()).toBe("Picture downloaded.");
  });

  /** A Soprano with a public key, as its pages see it. */
  const withPublicKey = (page: Page, publicKey: string | null = stage.key) =>
    page.route("**/explorer.json", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), publicKey } });
    });

  it("gives code that embeds the chart in a page of another origin; the explorer itself can't be framed", async () => {
    const one = await open({ permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = one;
    await withPublicKey(page);
    await page.goto(`${stage.url}/?y=sopr:users&y=price&range=1y#key=00000000-0000-4000-8000-000000000000`);
    await share(page);
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Copy code" }).click();
    await expect.poll(() => told(page)).toBe("Code copied.");
    const code = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(code).toBe(await page.getByLabel("Embed code").inputValue());
    const framed = `<!doctype html><title>A blog</title><h1>A blog</h1>${code}<iframe name="whole" src="${stage.url}/"></iframe>`;
    const blog = createServer((_, response) => response.setHeader("Content-Type", "text/html").end(framed));
    await new Promise<void>((listening) => blog.listen(0, "localhost", listening));
    try {
      const requests: Request[] = [];
      page.on("request", (request) => request.url().includes("/v3/series") && requests.push(request));
      one.faults.length = 0;
      await page.goto(`http://localhost:${(blog.address() as AddressInfo).port}/`);
      const chart = page.frameLocator("iframe[title='ARIA: SOPR and price']");
      await chart.locator("#frame[aria-busy=false] .uplot").waitFor();
      expect(await chart.locator("#series li").count()).toBe(2);
      // The visitor's own key is never used here.
      const keys = requests.map((request) => request.headers()["x-api-key"]);
      expect(keys).toEqual([stage.key]);
      const link = chart.getByRole("link", { name: "Open in the explorer" });
      expect(await link.getAttribute("href")).toBe("/?a=ARIA&y=sopr:users&y=price&range=1y");
      await screenshot(page, "embedded");
      // The wheel scrolls the page around it.
      await chart.locator(".u-over").hover();
      await page.mouse.wheel(0, -400);
      expect(await link.getAttribute("href")).not.toContain("z=");
      const refused = page.frame({ name: "whole" })!;
      expect(await refused.evaluate("document.querySelector('#chart')")).toBeNull();
      expect(one.faults.filter((fault) => /frame-ancestors/.test(fault))).toHaveLength(1);
    } finally {
      blog.close();
    }
    // What was noted is the blog's own origin, its missing icon and the refusal.
    expect(one.faults.filter((fault) => !/localhost|frame-ancestors|favicon|404/.test(fault))).toEqual([]);
    one.faults.length = 0;
  });

  it.each(["light", "dark"])(
    "embeds small charts of several panes in %s, without accessibility faults",
    async (theme) => {
      const one = await open({ viewport: { width: 390, height: 640 } });
      await withPublicKey(one.page);
      await one.page.goto(`${stage.url}/embed?y=supply:*value:stack&y2=sopr&theme=${theme}`);
      await drawn(one.page);
      expect(await violations(one.page)).toEqual([]);
      expect(await one.page.evaluate("document.documentElement.scrollHeight")).toBe(640);
      expect(await one.page.evaluate("localStorage.length + sessionStorage.length")).toBe(0);
      await screenshot(one.page, `embed-${theme}`);
      await one.page.locator("#chart").focus();
      await one.page.keyboard.press("+");
      const link = one.page.getByRole("link", { name: "Open in the explorer" });
      await expect.poll(() => link.getAttribute("href")).toMatch(/&z=/);
      await one.page.getByRole("button", { name: "Reset zoom" }).click();
      await expect.poll(() => link.getAttribute("href")).not.toMatch(/&z=/);
      expect(one.page.url()).toMatch(/theme=/);
      await one.page.goto(`${stage.url}/embed?y=price&study=cycles:high&theme=${theme}`);
      await one.page.locator(".study canvas").waitFor();
      expect(await violations(one.page)).toEqual([]);
      await screenshot(one.page, `embed-study-${theme}`);
    },
  );

  it.each(["y=supply:*age:share", "y=sopr:total&y=sopr:users&price=log", "y=price&heat=cost_basis"])(
    "embeds %s as a chart in 360×300, not as a legend",
    async (query) => {
      const one = await open({ viewport: { width: 360, height: 300 } });
      await withPublicKey(one.page);
      await one.page.goto(`${stage.url}/embed?${query}`);
      await drawn(one.page);
      const plot = (await one.page.locator(".u-over").boundingBox())!;
      expect(plot.height).toBeGreaterThan(130);
      expect(await one.page.evaluate("document.documentElement.scrollHeight")).toBeLessThanOrEqual(300);
      expect(await violations(one.page)).toEqual([]);
      await screenshot(one.page, `embed-small-${query.slice(2, 7)}`);
    },
  );

  it("says in a frame that there is no public key, and asks for none", async () => {
    const one = await open();
    await one.page.goto(`${stage.url}/embed?y=sopr`);
    await one.page.getByText("This Soprano has no public key, so its charts can't be embedded.").waitFor();
    expect(await one.page.getByRole("button").count()).toBe(0);
    expect(await violations(one.page)).toEqual([]);
  });

  const openSaved = (page: Page) => page.getByRole("button", { name: "Saved", exact: true }).click();
  const savedNames = (page: Page) => page.locator("#saved-list a").allTextContents();
  const savedStatus = (page: Page) => expect.poll(() => page.locator("#saved-status").textContent());

  it("saves, opens, renames, deletes, exports and imports charts, by keyboard", async () => {
    const page = await visit("?y=sopr:users&range=1y");
    await openSaved(page);
    await page.keyboard.type("My SOPR <b>");
    await page.keyboard.press("Enter");
    await savedStatus(page).toBe("Saved “My SOPR <b>”.");
    expect(await savedNames(page)).toEqual(["My SOPR <b>"]);
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "saved");
    await page.getByRole("button", { name: "Rename My SOPR" }).press("Enter");
    await page.keyboard.type("Users' SOPR");
    await page.keyboard.press("Enter");
    await savedStatus(page).toBe("Renamed to “Users' SOPR”.");
    const waiting = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    const download = await waiting;
    const text = await readFile(await download.path(), "utf8");
    expect(text).not.toContain(stage.key);
    expect(JSON.parse(text).charts).toEqual([{ name: "Users' SOPR", search: "?a=ARIA&y=sopr:users&range=1y" }]);
    await page.getByRole("button", { name: "Delete Users' SOPR" }).click();
    await savedStatus(page).toBe("Deleted “Users' SOPR”. Undo");
    expect(await violations(page, { within: "#saved-dialog" })).toEqual([]);
    await page.getByRole("button", { name: "Undo" }).press("Enter");
    await savedStatus(page).toBe("Restored “Users' SOPR”.");
    expect(await savedNames(page)).toEqual(["Users' SOPR"]);
    await page.getByRole("button", { name: "Delete Users' SOPR" }).click();
    await savedStatus(page).toBe("Deleted “Users' SOPR”. Undo");
    const choose = (contents: string) =>
      page
        .locator("#saved-file")
        .setInputFiles({ name: "x.json", mimeType: "application/json", buffer: Buffer.from(contents) });
    await choose("<script>alert(1)</script>");
    await savedStatus(page).toBe("This file isn't JSON. Choose one that “Export” has written.");
    await choose(text);
    await savedStatus(page).toBe("Imported a chart.");
    await page.keyboard.press("Escape");
    // Another chart, then back to the saved one by the palette: what was saved outlives the page.
    await page.goto(`${stage.url}/?y=price`);
    await drawn(page);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("users' sopr");
    await page.keyboard.press("Enter");
    await drawn(page);
    await expect.poll(() => page.evaluate("location.search")).toBe("?a=ARIA&y=sopr:users&range=1y");
    await openSaved(page);
    await page.getByRole("link", { name: "Users' SOPR" }).click();
    await expect.poll(() => page.locator("#saved-dialog").isVisible()).toBe(false);
  });

  it("never saves more than it can read again", async () => {
    const page = await visit("?y=sopr");
    const charts = Array.from({ length: 400 }, (_, i) => ({ name: `Chart ${i}`, search: `?y=${"x".repeat(2_450)}` }));
    const text = JSON.stringify({ form: "soprano-charts", version: 1, charts });
    await page.evaluate(`localStorage.setItem("soprano-charts", ${JSON.stringify(text)})`);
    await openSaved(page);
    await page.keyboard.type("One more");
    await page.keyboard.press("Enter");
    await savedStatus(page).toBe("These charts are too long to be kept: delete some first.");
    expect(await savedNames(page)).toHaveLength(400);
  });

  it.each([
    [
      "full",
      "Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError') }",
      /storage is full/,
    ],
    [
      "forbidden",
      `for (const area of ["localStorage", "sessionStorage"])
        Object.defineProperty(window, area, { get() { throw new DOMException("", "SecurityError") } })`,
      /doesn't let this page store anything/,
    ],
  ])("draws, and says in a sentence why nothing can be saved, where storage is %s", async (_, spoil, sentence) => {
    const one = await open({ viewport: { width: 390, height: 844 } });
    await one.page.addInitScript(spoil);
    await one.page.goto(`${stage.url}/?y=sopr#key=${stage.key}`);
    await drawn(one.page);
    await openSaved(one.page);
    await one.page.getByRole("button", { name: "Save this chart" }).click();
    await savedStatus(one.page).toMatch(sentence);
    expect(await violations(one.page)).toEqual([]);
    await screenshot(one.page, `saved-${_}`);
  });
});
