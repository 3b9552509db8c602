/** Visits of a file of tests to the explorer: its hooks start the server and the browser, and close pages after each test. */

import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { drawn, type OpenedPage, type Stage, setStage } from "./browser.ts";

export function setVisits() {
  let stage: Stage;
  /** The page of most tests: a new one costs a process and an empty cache. */
  let shared: OpenedPage;
  let opened: OpenedPage[] = [];
  let visits = 0;

  beforeAll(async () => {
    stage = await setStage();
    shared = await stage.open();
  });
  afterAll(() => stage?.close());
  afterEach(async () => {
    for (const { close } of opened) await close();
    opened = [];
    await shared.page.unrouteAll();
    shared.faults.length = 0;
  });

  return {
    /** Set before the first test. */
    stage: () => stage,
    async newPage(options?: Parameters<Stage["open"]>[0]): Promise<Page> {
      const one = await stage.open(options);
      opened.push(one);
      return one.page;
    },
    /** Opens the explorer with a key. */
    async visit(search = "", page = shared.page): Promise<Page> {
      // The page drops unknown parameters. This one keeps a visit from differing in the fragment alone: that loads nothing.
      await page.goto(`${stage.url}/${search || "?"}&visit=${visits++}#key=${stage.key}`);
      await drawn(page);
      return page;
    },
    faults: () => [shared, ...opened].flatMap((one) => one.faults),
    /** Leaves out those of the page that was opened last. */
    forgetFaults(): void {
      opened.at(-1)!.faults.length = 0;
    },
  };
}

/** The page's own value: the driver's lags behind. */
export const addressOf = async (page: Page) => new URL(await page.evaluate<string>("location.href"));
export const queryOf = async (page: Page) => (await addressOf(page)).searchParams;
export const seriesOf = (page: Page) => page.locator("#series li:not(.adder)");
export const rowsOf = (page: Page) => page.locator("#table tbody tr");
