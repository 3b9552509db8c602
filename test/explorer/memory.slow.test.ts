/**
 * After 500 random presses of all that the pages with charts have, there are as many nodes and listeners as before: panels clean
 * up after themselves. In Chromium on the real Worker.
 */

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { CHROMIUM } from "./browser.ts";
import { freshPages } from "./fresh-pages.ts";
import { type Actions, inMemory, pressAll } from "./press-all.ts";

const toggled = (focus: string): Actions[string] => [
  ["press", `[data-focus="${focus}-0"]`],
  ["press", `[data-focus="${focus}-0"]`],
];

const study = (label: string, control: string): Actions[string] => [
  ["press", `[data-focus="${label}-0"][aria-pressed=false]`],
  ["press", `.study ${control}`],
  ["press", `[data-focus="${label}-0"][aria-pressed=true]`],
];

const PIN: Actions[string] = [
  ["key", "#chart", "ArrowLeft"],
  ["key", "#chart", "Enter"],
];
const UNPIN: Actions[string] = [["press", "[data-focus=pin-clear]"]];
const UNDO: Actions[string] = [["key", "body", "Ctrl z"]];

const PICKER: Actions = {
  "the picker, left": [
    ["press", "#asset"],
    ["type", ".picker input", "du"],
    ["key", ".picker input", "Escape"],
  ],
};

/** Actions of pages on which the picker changes the asset that is shown. */
const ASSET: Actions = {
  ...PICKER,
  "another asset and back": [
    ["press", "#asset"],
    ["enter", ".picker input", "DUET"],
    ["press", "#asset"],
    ["enter", ".picker input", "ARIA"],
  ],
};

const CHART: Actions = {
  ...ASSET,
  "a line across": [
    ["press", "[data-focus^=add-level]"],
    ["type", "#level-dialog .level-row label:first-of-type input", "2.4"],
    ["press", "#level-dialog [type=submit]"],
    ...UNDO,
  ],
  "zones, left": [
    ["press", "[data-focus^=add-level]"],
    ["press", "#level-dialog [data-part=add-zone]"],
    ["press", "#level-dialog .remove"],
    ["key", "#level-dialog input", "Escape"],
  ],
  cycles: study("Cycles", ".segments button"),
  seasonality: study("Seasonality", ".segments[aria-label=Value] button"),
  scatter: study("Scatter", "canvas"),
  histogram: study("Histogram", "canvas"),
  "the pinned day": [...PIN, ["press", "[data-focus=pin-day]"], ["press", ".day [aria-label=Close]"], ...UNPIN],
  "a pin a year before": [...PIN, ["press", "[data-focus=pin-365]"], ...UNPIN],
  "a note": [
    ...PIN,
    ["press", "[data-focus=pin-note]"],
    ["enter", ".pins form input", "Here"],
    ["press", "[data-part=remarks] button"],
  ],
  events: [["press", ".event button"], ...toggled("Events")],
  "an alert": [
    ["press", "[data-part=alert]"],
    ["press", "#alert-dialog [data-part=draw]"],
    ["press", "[data-part=alert]"],
    ["press", "#alert-dialog [data-part=erase]"],
  ],
  "the palette": [["press", "[data-part=open-palette]"], ["enter", ".palette input", "supply by age"], ...UNDO],
  "a formula": [
    ["press", "[data-focus^=add-formula]"],
    ["type", "#formula-input", "sma(price, 30)"],
    ["press", ".formula-dialog [type=submit]"],
    ["press", "[data-focus^=remove-0]"],
  ],
  "a line's style": [["press", ".style-opener"], ["press", ".style-menu .color"], ...UNDO],
  "the dialog of links": [
    ["press", "[data-part=share]"],
    ["press", "#share-dialog [type=submit]"],
  ],
  "a saved chart": [
    ["press", "#saved"],
    ["press", "#saved-form [type=submit]"],
    ["press", "#saved-list button"],
    ["press", "#saved-dialog .actions [type=submit]"],
  ],
  keys: [
    ["press", "[data-part=help]"],
    ["press", "#help-sheet [type=submit]"],
  ],
  code: [
    ["press", "#tab-code"],
    ["press", "[data-part=languages] button"],
    ["press", "#tab-table"],
  ],
  heatmap: toggled("Cost basis"),
  around: toggled("In the money"),
  average: toggled("7D avg"),
  index: toggled("Index to 100"),
  scale: [
    ["press", "[data-focus=Log-0]"],
    ["press", "[data-focus=Linear-0]"],
  ],
  weeks: [
    ["press", "[data-part=resolution] [value=week]"],
    ["press", "[data-part=resolution] [value=day]"],
  ],
  range: [
    ["press", "[data-part=range] [value='90d']"],
    ["press", "[data-part=range] [value=all]"],
  ],
  zoom: [
    ["key", "#chart", "+"],
    ["press", "[data-part=reset]"],
  ],
  theme: [
    ["press", "#theme"],
    ["press", "#theme"],
  ],
  "an example": [["press", "[data-part=views] a"], ...UNDO],
  "a time zone": [["choose", "[data-part=zone]"]],
};

const REMOVE: Actions[string] = [["press", "[aria-label='Remove from the board']"]];
const WRITE: Actions[string] = [
  ["press", "[data-part=add-text]"],
  ["type", ".text-editor textarea", "# A text"],
  ["press", ".text-editor [type=submit]"],
];

const BOARD: Actions = {
  ...ASSET,
  "a text": [...WRITE, ...REMOVE],
  "a text, changed": [
    ...WRITE,
    ["press", "[aria-label='Change the text']"],
    ["type", ".text-editor textarea", "Another *one*"],
    ["press", ".text-editor [type=submit]"],
    ["press", "[aria-label='As wide as a chart']"],
    ["press", "[aria-label='Move back']"],
    ["press", ".text-cell [aria-label='Remove from the board']"],
  ],
  "a text, left": [
    ...WRITE,
    ["press", "[aria-label='Change the text']"],
    ["key", ".text-editor textarea", "Escape"],
    ...REMOVE,
  ],
  "a chart": [["enter", "[data-part=add]", "volume"], ["press", ".cell:nth-child(4) .uplot"], ...REMOVE],
  height: [["press", "[aria-label='Change the height']"]],
  order: [
    ["press", "[aria-label='Move back']"],
    ["press", "[aria-label='Move on']"],
  ],
  columns: [
    ["press", "[data-part=columns] [value='3']"],
    ["press", "[data-part=columns] [value='2']"],
  ],
  range: [
    ["press", "[data-part=range] [value='90d']"],
    ["press", "[data-part=range] [value=all]"],
  ],
  events: [["press", ".event button"]],
  undo: [...UNDO, ["key", "body", "Ctrl y"]],
};

const ASSETS: Actions = {
  ...PICKER,
  star: [
    ["press", ".star"],
    ["press", "[data-part=watched]"],
    ["press", "[data-part=watched]"],
    ["press", ".star"],
  ],
  "a column": [
    ["enter", "#add", "z = sma(sopr, 30)"],
    ["press", "thead .remove"],
  ],
  "a filter": [
    ["enter", "#add", "mvrv > 0"],
    ["press", "[data-part=conditions] .remove"],
  ],
  "what columns are": [
    ["press", "[data-part=open-guide]"],
    ["press", ".guide [type=submit]"],
  ],
  order: [
    ["press", ".sort"],
    ["press", "[data-part=by] button"],
    ["press", "[data-part=change] button"],
  ],
  search: [
    ["type", "#search", "ar"],
    ["type", "#search", ""],
  ],
  undo: [...UNDO, ["key", "body", "Ctrl y"]],
};

describe.skipIf(!CHROMIUM)("a page, after random presses of all that it has", () => {
  const { stage, open } = freshPages();

  async function idle(page: Page): Promise<void> {
    const busy = () =>
      page.locator("[aria-busy=true]").evaluateAll((all) => all.map((one) => one.cloneNode().outerHTML));
    await expect.poll(busy, { timeout: 20_000 }).toEqual([]);
    await page.waitForTimeout(300);
  }

  it.each([
    ["/?a=ARIA&y=price&y=realised_price", CHART, 300],
    [
      "/boards?a=ARIA&title=All&chart=y%3Dsopr&chart=y%3D%3Dmvrv_zscore&chart=y%3Dprice%26study%3Dcycles:high",
      BOARD,
      120,
    ],
    ["/assets", ASSETS, 80],
  ] as const)("%s has as many nodes and listeners as before", async (path, actions, count) => {
    const { page } = await open();
    await page.goto(`${stage.url}${path}#key=${stage.key}`);
    await idle(page);
    const measured = async () => {
      // The same state as at first.
      await page.evaluate(
        `history.replaceState(null, "", ${JSON.stringify(path)}), dispatchEvent(new PopStateEvent("popstate"))`,
      );
      await idle(page);
      return inMemory(page);
    };
    // What is made once, such as what is loaded later, is there from then on.
    expect(await pressAll(page, actions, Object.keys(actions).length)).toEqual([]);
    expect(await page.locator("dialog[open]").count()).toBe(0);
    const before = await measured();
    await pressAll(page, actions, count, 2);
    const after = await measured();
    expect(after.listeners - before.listeners).toBeLessThan(6);
    expect(after.nodes - before.nodes).toBeLessThan(40);
  });
});
