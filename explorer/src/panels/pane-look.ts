/** The controls above each pane: scale, moving average, price and index. */

import type { Context } from "../api/catalog.ts";
import { findMetric } from "../api/catalog.ts";
import type { Page, Session } from "../session.ts";
import { removePane, setLook } from "../state/changes.ts";
import { contextOf, type Look, type Pane, SCALES, SMOOTHINGS, scaleOf } from "../state/chart-state.ts";
import { fill, h } from "./dom.ts";
import { paneFrames } from "./pane-frames.ts";

interface Choice {
  label: string;
  title: string;
  isPressed(pane: Pane, context: Context): boolean;
  /** What pressing the button changes. */
  press(pane: Pane, context: Context): Partial<Look>;
}

interface Control {
  title: string;
  choices: Choice[];
  isOffered?(page: Page): boolean;
}

const CONTROLS: Control[] = [
  {
    title: "Scale",
    choices: SCALES.map((scale) => ({
      label: scale === "log" ? "Log" : "Linear",
      title: `${scale === "log" ? "Logarithmic" : "Linear"} scale`,
      isPressed: (pane, context) => scaleOf(pane, context) === scale,
      press: () => ({ scale }),
    })),
  },
  {
    title: "Moving average",
    choices: SMOOTHINGS.map((days) => ({
      label: `${days}D avg`,
      title: `Mean of the last ${days} days`,
      isPressed: ({ smoothing }) => smoothing === days,
      press: ({ smoothing }) => ({ smoothing: smoothing === days ? null : days }),
    })),
    // Blocks are no equal stretches of time.
    isOffered: ({ chart }) => chart.resolution !== "block",
  },
  {
    title: "Price",
    choices: [
      {
        label: "Price",
        title: "The price, on an axis of its own",
        isPressed: ({ price }) => price !== null,
        press: (pane, context) => ({ price: pane.price === null ? scaleOf(pane, context) : null }),
      },
    ],
    isOffered: ({ catalog, asset }) => findMetric(catalog, "price") !== undefined && asset?.price !== undefined,
  },
  {
    title: "Index",
    choices: [
      {
        label: "=100",
        title: "Each line is 100 at the left edge",
        isPressed: ({ isIndexed }) => isIndexed,
        press: ({ isIndexed }) => ({ isIndexed: !isIndexed }),
      },
    ],
  },
];

/** Parts of a look whose change needs other data. */
const LOADED: (keyof Look)[] = ["price", "smoothing"];

export function connectPaneLook(session: Session): void {
  session.watch(["panes", "resolution", "asset"], (page) => {
    for (const [index, { look }] of paneFrames(page.chart.panes.length).entries()) {
      fill(look, ...controls(index, page, session));
    }
  });
}

function controls(index: number, page: Page, session: Session): HTMLElement[] {
  const pane = page.chart.panes[index]!;
  const context = contextOf(page.chart, page.catalog);
  const isOne = page.chart.panes.length === 1;
  const suffix = isOne ? "" : ` of chart ${index + 1}`;
  const groups = CONTROLS.filter(({ isOffered }) => isOffered?.(page) ?? true).map(({ title, choices }) => {
    const buttons = choices.map((choice) => {
      const onclick = () => {
        const look = choice.press(pane, context);
        if (LOADED.some((part) => part in look)) session.change((chart) => setLook(chart, index, look));
        else session.adjust((chart) => setLook(chart, index, look));
      };
      return h(
        "button",
        {
          ...{ type: "button", title: choice.title, onclick, "data-focus": `${choice.label}-${index}` },
          "aria-pressed": String(choice.isPressed(pane, context)),
        },
        choice.label,
      );
    });
    return h("fieldset", { class: "segments", "aria-label": title + suffix }, ...buttons);
  });
  const remove = {
    ...{ type: "button", class: "remove", title: "Remove this chart", "aria-label": `Remove chart ${index + 1}` },
    onclick: () => session.change((chart) => removePane(chart, index)),
  };
  return isOne ? groups : [...groups, h("button", remove, "×")];
}
