/** Pages of their own for the tests of a block, on one stage. */

import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { drawn, type OpenedPage, type Stage, setStage } from "./browser.ts";
import type { Token } from "./built-tokens.ts";

type Options = Parameters<Stage["open"]>[0];

/**
 * Call it in a `describe`. After each test its pages are closed, and the test fails if one of them had a fault.
 *
 * @param tokens other ones than usual
 */
export function freshPages(tokens?: Token[]) {
  /** Set up before the first test. */
  const stage = {} as Stage;
  let opened: OpenedPage[] = [];

  beforeAll(async () => {
    Object.assign(stage, await setStage(tokens));
  });
  afterAll(() => stage.close?.());
  afterEach(async () => {
    const faults = opened.flatMap((one) => one.faults);
    for (const { close } of opened) await close();
    opened = [];
    expect(faults).toEqual([]);
  });

  async function open(options?: Options): Promise<OpenedPage> {
    const one = await stage.open(options);
    opened.push(one);
    return one;
  }

  /** Opens the explorer with a key, and waits for its chart. */
  async function visit(search: string, options?: Options): Promise<Page> {
    const { page } = await open(options);
    await page.goto(`${stage.url}/${search}#key=${stage.key}`);
    await drawn(page);
    return page;
  }

  return { stage, open, visit };
}
