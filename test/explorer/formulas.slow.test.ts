/** Formulas in Chromium, on the real Worker: typed, mended, drawn, linked and as code. */

import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findPython } from "../clients/pythons.ts";
import {
  CHROMIUM,
  chooseAsset,
  drawn,
  type OpenedPage,
  type Stage,
  screenshot,
  setStage,
  violations,
} from "./browser.ts";
import { runPython, runSql, runTypeScript } from "./formula/run.ts";

/** Code in Python is left out where there is none with pandas. */
const PYTHON = findPython("pandas, numpy");

describe.skipIf(!CHROMIUM)("formulas in Chromium", () => {
  let stage: Stage;
  let opened: OpenedPage;
  let page: Page;

  beforeAll(async () => {
    stage = await setStage();
    opened = await stage.open();
    page = opened.page;
  });
  afterAll(() => stage?.close());
  beforeEach(() => {
    opened.faults.length = 0;
  });

  let visits = 0;
  async function visit(search: string): Promise<void> {
    await page.goto(`${stage.url}/${search}&visit=${visits++}#key=${stage.key}`);
    await drawn(page);
  }

  const dialog = () => page.getByRole("dialog", { name: "Formula" });
  const field = () => dialog().getByRole("combobox");
  const error = () => dialog().getByRole("status").textContent();
  const underlined = () => dialog().locator("mark").textContent();
  const lines = async () => new URL(await page.evaluate<string>("location.href")).searchParams.getAll("y");
  const draw = () => dialog().getByRole("button", { name: "Draw" }).click();

  /** The rows of the CSV file that the page offers. */
  async function downloaded(): Promise<string[][]> {
    const waiting = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download CSV" }).click();
    const text = await readFile(await (await waiting).path(), "utf8");
    return (
      text
        .trim()
        .split("\n")
        // The comma of a formula is before a space.
        .map((line) => line.split(/,(?! )/))
    );
  }

  async function published(query: string): Promise<number[][]> {
    const response = await fetch(`${stage.url}/v3/series?${query}`, { headers: { "X-Api-Key": stage.key } });
    const { series } = (await response.json()) as { series: { v: number[] }[] };
    return series.map(({ v }) => v);
  }

  it("compares a formula with that of another asset, by mouse and by keyboard", async () => {
    await visit("?a=ARIA&y==mvrv");
    await page.getByLabel("Compare with another asset").selectOption("DUET");
    await drawn(page);
    await expect.poll(lines).toEqual(["=mvrv", "=DUET.mvrv"]);
    expect(await page.locator("h1").textContent()).toBe("MVRV and DUET MVRV");
    expect(await page.getByLabel("Compare with another asset").count()).toBe(0);
    await visit("?a=ARIA&y==sma(price, 7)");
    await page.keyboard.press("/");
    await page.keyboard.type("duet");
    await page.keyboard.press("Shift+Enter");
    await expect.poll(lines).toEqual(["=sma(price, 7)", "=sma(DUET.price, 7)"]);
    expect(opened.faults).toEqual([]);
  });

  it("leads from a formula in a link that can't be read to the field", async () => {
    await page.goto(`${stage.url}/?a=ARIA&y==mvrvv#key=${stage.key}`);
    await page.getByRole("button", { name: "Edit the formula", exact: true }).click();
    expect(await field().inputValue()).toBe("mvrvv");
    await field().fill("mvrv");
    await draw();
    await drawn(page);
    await expect.poll(lines).toEqual(["=mvrv"]);
  });

  it("a person opens the field from the command palette, and finds charts with formulas", async () => {
    await visit("?a=ARIA&y=market_cap");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("write a form");
    await page.keyboard.press("Enter");
    await page.keyboard.type("mvrv");
    await draw();
    await expect.poll(lines).toEqual(["market_cap:total", "=mvrv"]);
    for (const [title, line] of [
      ["MVRV z-score and price", "=mvrv_zscore"],
      ["Exchange netflow", "=netflow"],
    ] as const) {
      await page.getByRole("link", { name: title }).click();
      await drawn(page);
      await expect.poll(lines).toEqual([line]);
      expect(await page.getByRole("link", { name: title }).getAttribute("aria-current")).toBe("true");
      expect(await page.locator("#series .value").first().textContent()).toMatch(/\d/);
    }
  });

  it("a person completes a name with the keyboard, and sees the formula drawn and linked", async () => {
    await visit("?a=ARIA&y=market_cap&range=30d");
    await page.getByRole("button", { name: "+ Formula" }).click();
    await page.keyboard.type("mvr");
    await page.keyboard.press("ArrowDown");
    expect(await dialog().getByRole("option", { selected: true }).textContent()).toMatch(/^mvrvMVRV/);
    await page.keyboard.press("Enter");
    expect(await field().inputValue()).toBe("mvrv");
    await page.keyboard.press("Enter");
    await dialog().waitFor({ state: "hidden" });
    await drawn(page);
    expect(await lines()).toEqual(["market_cap:total", "=mvrv"]);
    expect(await page.locator("h1").textContent()).toBe("Market capitalisation and MVRV");
    const [cap, realised] = await published("a=ARIA&m=market_cap,realised_cap&last=30");
    const rows = await downloaded();
    expect(rows[0]).toEqual(["t", "market_cap total", "mvrv"]);
    expect(rows.slice(1).map((row) => Number(row[2]))).toEqual(cap!.map((value, i) => value / realised![i]!));
    expect(opened.faults).toEqual([]);
  });

  it("a candidate can be clicked, and completes a selector with signs in it", async () => {
    await visit("?a=ARIA&y=sopr&range=30d");
    await page.getByRole("button", { name: "+ Formula" }).click();
    await page.keyboard.type("supply:$1");
    await dialog().getByRole("option", { name: "$10M+" }).click();
    await page.keyboard.type(" / sup");
    await dialog().getByRole("option").first().click();
    expect(await field().inputValue()).toBe("supply:$10M+ / supply");
    await draw();
    await drawn(page);
    expect(await lines()).toEqual(["sopr:total", "=supply:$10M+ / supply"]);
    await page.reload();
    await drawn(page);
    expect(await lines()).toEqual(["sopr:total", "=supply:$10M+ / supply"]);
    expect(opened.faults).toEqual([]);
  });

  it("says what is wrong where it is wrong, not while it is being typed", async () => {
    await visit("?a=ARIA&y=sopr&range=30d");
    await page.getByRole("button", { name: "+ Formula" }).click();
    await page.keyboard.type('1 + "DU');
    expect(await error()).toBe("");
    await field().fill("");
    await page.keyboard.type("sma(price / supply:us");
    expect(await error()).toBe("");
    await page.keyboard.type("res, 30");
    expect(await error()).toBe("supply has no selector usres. Did you mean users?");
    expect(await underlined()).toBe("usres");
    await screenshot(page, "formula-error");
    const [mark, text] = [await dialog().locator("mark").boundingBox(), await field().boundingBox()];
    // Each of the 19 letters before it is as wide as each of its own five.
    expect(mark!.x - text!.x - 11).toBeCloseTo((19 / 5) * mark!.width, 0);
    expect(text!.width).toBeGreaterThan(500);
    await draw();
    expect(await page.evaluate("getSelection().toString()")).toBe("usres");
    await page.keyboard.type("users");
    await draw();
    expect(await error()).toBe("This bracket is never closed.");
    expect(await underlined()).toBe("(");
    await field().press("End");
    await page.keyboard.type(")");
    expect(await error()).toBe("");
    await page.keyboard.press("Enter");
    await drawn(page);
    expect(await lines()).toEqual(["sopr:total", "=sma(price / supply:users, 30)"]);
    expect(opened.faults).toEqual([]);
  });

  it("a link with a wrong formula keeps it, and lets a person mend it", async () => {
    await visit("?a=ARIA&y=sopr&y==sopr+%2F&range=30d");
    expect(await page.locator("#series").getByText("Formula can't be read").count()).toBe(1);
    await page.getByRole("button", { name: "Edit the formula sopr /" }).click();
    expect(await error()).toBe("A number or a metric is missing after /.");
    await page.keyboard.type(" 2");
    await page.keyboard.press("Enter");
    await drawn(page);
    expect(await lines()).toEqual(["sopr:total", "=sopr / 2"]);
    expect(await page.locator("#series .failed").count()).toBe(0);
    expect(opened.faults).toEqual([]);
  });

  it("moves with the chart to another asset, and refuses what a chart can't show", async () => {
    await visit("?a=ARIA&y=supply&y=market_cap&range=30d");
    await page.getByRole("button", { name: "+ Formula" }).click();
    await page.keyboard.type("num_addresses * 2");
    await draw();
    expect(await error()).toMatch(/third axis/);
    await field().fill("-supply");
    await draw();
    await drawn(page);
    await chooseAsset(page, "DUET");
    await drawn(page);
    const [supply] = await published("a=DUET&m=supply&last=1");
    expect((await downloaded()).at(-1)?.[3]).toBe(String(-supply![0]!));
    expect(opened.faults).toEqual([]);
  });

  it(`the code computes what the page shows, in ${PYTHON ? "Python, " : ""}TypeScript and SQL`, async () => {
    await visit("?a=ARIA&y==zscore(sopr:users, 30)&y==netflow / supply&y=sopr&smooth=7&range=90d");
    await page.getByRole("tab", { name: "Code", exact: true }).click();
    await page.getByLabel("Include my key").check();
    const code = async (language: string) => {
      await page.getByRole("tab", { name: language }).click();
      return (await page.locator("#code[aria-busy=false] #snippet").textContent()) ?? "";
    };
    const sql = await code("SQL");
    const [, path] = sql.match(/^-- curl .* '(http.*)'$/m)!;
    const file = await fetch(path!, { headers: { "X-Api-Key": stage.key } });
    const charts = [
      ...(PYTHON ? await runPython(PYTHON, [await code("Python")]) : []),
      await runTypeScript(await code("TypeScript")),
      await runSql(sql, new Uint8Array(await file.arrayBuffer())),
    ];
    await page.getByRole("tab", { name: "Table", exact: true }).click();
    const [[, ...titles], ...rows] = (await downloaded()) as [string[], ...string[][]];
    expect(rows).toHaveLength(90);
    for (const chart of charts) {
      for (const [i, title] of titles.entries()) {
        const values = chart.get(title.replaceAll('"', ""))!;
        const shown = new Map(rows.flatMap((row) => (row[i + 1] ? [[row[0]!, Number(row[i + 1])]] : [])));
        expect([...values.keys()]).toEqual([...shown.keys()]);
        for (const [time, value] of shown) expect(Math.abs(values.get(time)! / value - 1)).toBeLessThan(1e-12);
      }
    }
    expect(opened.faults).toEqual([]);
  });

  it.each(["light", "dark"] as const)("has no violations of axe's rules, %s", async (colorScheme) => {
    const own = await stage.open({ colorScheme });
    page = own.page;
    await visit("?a=ARIA&y==mvrv&y==sma(mvrv, 30)");
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "+ Formula" }).click();
    await page.keyboard.type("re");
    await page.keyboard.press("ArrowDown");
    await screenshot(page, `formula-${colorScheme}`);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.type("?");
    expect(await violations(page)).toEqual([]);
    expect(own.faults).toEqual([]);
    await own.close();
    page = opened.page;
  });
});
