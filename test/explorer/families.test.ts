/** Families as one picture, in Chromium on the real Worker. */

import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, drawn, type OpenedPage, type Stage, screenshot, setStage, violations } from "./browser.ts";

/** Skipped where there is no Chromium. Install it, or name its path in CHROMIUM. */
describe.skipIf(!CHROMIUM)("families in Chromium", () => {
  let stage: Stage;
  let opened: OpenedPage[] = [];

  beforeAll(async () => {
    stage = await setStage();
  });
  afterAll(() => stage?.close());
  afterEach(async () => {
    const faults = opened.flatMap((one) => one.faults);
    for (const { close } of opened) await close();
    opened = [];
    expect(faults).toEqual([]);
  });

  async function visit(search: string, options?: Parameters<Stage["open"]>[0]): Promise<Page> {
    const one = await stage.open(options);
    opened.push(one);
    await one.page.goto(`${stage.url}/${search}#key=${stage.key}`);
    await drawn(one.page);
    return one.page;
  }

  it.each([
    ["wide", { width: 1440, height: 960 }],
    ["phone", { width: 390, height: 844 }],
  ])("pictures %s", async (name, viewport) => {
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await visit("?y=supply:*age:share", { viewport, colorScheme });
      for (const [title, search] of Object.entries({
        age: "y=supply:*age:share",
        value: "y=market_cap:*value:stack&price=log",
        exchanges: "y=cex_reserve:*exchange:stack",
        sopr: "y=sopr:*age",
        holders: "y=num_addresses:*value:lines&scale=log",
      })) {
        await page.goto(`${stage.url}/?${search}`);
        await drawn(page);
        await screenshot(page, `family-${title}-${name}-${colorScheme}`);
        expect(await violations(page)).toEqual([]);
      }
    }
  });
});
