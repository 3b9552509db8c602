/** The controls of each pane: scale, moving average, price and index, and what adds lines. */

import { LONGEST_SMOOTHING, MARKS, SCALES, SMOOTHING_FORM, SMOOTHINGS } from "../../../../data-schema/chart-link.ts";
import { DISTRIBUTION_NAMES, DISTRIBUTIONS, type DistributionName } from "../../../../data-schema/registry.ts";
import { catalogMetric } from "../../api/catalog.ts";
import { naturalScale, shownMark, shownScale } from "../../chart/drawing/natural-look.ts";
import type { Command } from "../../commands/command.ts";
import type { Page, Session } from "../../session.ts";
import { removePane, setLook } from "../../state/changes.ts";
import {
  contextOf,
  heatsFor,
  isStackedLine,
  type Look,
  type Mark,
  type Pane,
  type Scale,
} from "../../state/chart-state.ts";
import { hasAverages } from "../../state/traces.ts";
import { fill, h, part } from "../dom.ts";
import { paneFrames } from "./pane-frames.ts";
import { STUDY_CHOICES } from "./study-choices.ts";

/** A pane as it is drawn. */
interface Shown extends Pane {
  shownScale: Scale;
  shownMark: Mark;
  /** What they are unless someone chooses. */
  naturalScale: Scale;
  naturalMark: Mark;
}

interface Choice {
  label: string;
  title: string;
  isPressed(pane: Shown): boolean;
  /** What pressing the button changes. */
  press(pane: Shown): Partial<Look>;
  /** Other words for it alone. */
  words?: string;
}

interface Control {
  title: string;
  choices: Choice[];
  /** Other words for it, by which the command palette finds it. */
  words: string;
  /** Whether any number of days may be written, too. */
  days?: true;
  isOffered?(page: Page, pane: number): boolean;
}

/** Buckets on each side of the price, unless a link says otherwise. */
const AROUND = 10;

/** Areas add up from zero, on a linear scale. */
const hasNoAreas = ({ chart }: Page, pane: number) => !chart.panes[pane]?.lines.some(isStackedLine);

const MARK_LABELS: Record<Mark, string> = { line: "Line", steps: "Steps", bars: "Bars" };

const HEAT_LABELS: Record<DistributionName, string> = {
  cost_basis: "Cost basis",
  acquired: "Bought in",
  first_seen: "Holders since",
};

const CONTROLS: Control[] = [
  {
    title: "Scale",
    words: "logarithmic axis",
    choices: SCALES.map((scale) => ({
      label: scale === "log" ? "Log" : "Linear",
      title: `${scale === "log" ? "Logarithmic" : "Linear"} scale`,
      isPressed: ({ shownScale }) => shownScale === scale,
      press: ({ naturalScale }) => ({ scale: scale === naturalScale ? null : scale }),
    })),
    isOffered: hasNoAreas,
  },
  {
    title: "Drawn as",
    words: "mark style bar histogram step",
    choices: MARKS.map((mark) => ({
      label: MARK_LABELS[mark],
      title: `Drawn as ${MARK_LABELS[mark].toLowerCase()}`,
      isPressed: ({ shownMark }) => shownMark === mark,
      press: ({ naturalMark }) => ({ mark: mark === naturalMark ? null : mark }),
    })),
    isOffered: hasNoAreas,
  },
  {
    title: "Heatmap",
    words: "distribution cost basis urpd heat map retention purchase",
    choices: DISTRIBUTION_NAMES.map((heat) => ({
      label: HEAT_LABELS[heat],
      title: `${DISTRIBUTIONS[heat].title}, as a heatmap below the lines`,
      isPressed: (pane) => pane.heat === heat,
      press: (pane) => ({ heat: pane.heat === heat ? null : heat }),
    })),
    isOffered: ({ chart, catalog }, pane) => {
      const shown = chart.panes[pane]!;
      return heatsFor(shown, contextOf(chart, catalog)).length === DISTRIBUTION_NAMES.length;
    },
  },
  {
    title: "Colours of the heatmap",
    words: "palette logarithmic colors",
    choices: [
      {
        label: "Log colours",
        title: "Colours that stand for magnitudes, so that little shows, too",
        isPressed: ({ colors }) => colors === "log",
        press: ({ colors }) => ({ colors: colors === "log" ? null : "log" }),
      },
    ],
    isOffered: ({ chart }, pane) => chart.panes[pane]?.heat != null,
  },
  {
    title: "Around the price",
    words: "in the money out of the money clusters cost basis profit loss bars",
    choices: [
      {
        label: "In the money",
        title: "How much was bought just below and above the price, as bars below the chart",
        isPressed: ({ around }) => around !== null,
        press: ({ around }) => ({ around: around === null ? AROUND : null }),
      },
    ],
    isOffered: ({ chart, catalog, asset }, pane) => {
      const shown = chart.panes[pane]!;
      return asset?.price !== undefined && heatsFor(shown, contextOf(chart, catalog)).includes("cost_basis");
    },
  },
  {
    title: "Moving average",
    words: "smooth smoothing sma rolling",
    choices: SMOOTHINGS.map((days) => ({
      label: `${days}D avg`,
      title: `Mean of the last ${days} days; of ratios, that of the sums of their parts where these are published`,
      isPressed: ({ smoothing }) => smoothing === days,
      press: ({ smoothing }) => ({ smoothing: smoothing === days ? null : days }),
    })),
    days: true,
    isOffered: ({ chart }) => hasAverages(chart.resolution),
  },
  {
    title: "Price",
    words: "overlay",
    choices: [
      {
        label: "Price",
        title: "The price, on an axis of its own",
        isPressed: ({ price }) => price !== null,
        press: ({ price, lines, shownScale }) => ({
          price: price !== null ? null : lines.some(isStackedLine) ? "log" : shownScale,
        }),
      },
    ],
    isOffered: ({ catalog, asset }) => catalogMetric(catalog, "price") !== undefined && asset?.price !== undefined,
  },
  {
    title: "Index",
    words: "normalise rebase compare 100",
    choices: [
      {
        label: "Index to 100",
        title: "Each line is 100 at the left edge",
        isPressed: ({ isIndexed }) => isIndexed,
        press: ({ isIndexed }) => ({ isIndexed: !isIndexed }),
      },
    ],
    isOffered: hasNoAreas,
  },
  {
    title: "Events",
    words: "calendar unlocks listings upgrades marks",
    choices: [
      {
        label: "Events",
        title: "Marks of what happened to the asset, by its calendar",
        isPressed: ({ events }) => events === null,
        press: ({ events }) => ({ events: events === null ? "off" : null }),
      },
    ],
    isOffered: ({ asset }) => (asset?.events ?? 0) > 0,
  },
  {
    title: "As first published",
    words: "vintage backtest restated known",
    choices: [
      {
        label: "First published",
        title: "Each value as it was first published",
        isPressed: ({ known }) => known === "first",
        press: ({ known }) => ({ known: known === "first" ? null : "first" }),
      },
      {
        label: "Both",
        title: "Each value as it was first published, dashed, beside that of today",
        isPressed: ({ known }) => known === "both",
        press: ({ known }) => ({ known: known === "both" ? null : "both" }),
      },
      {
        label: "Change since first published",
        title: "What is known now, less what was first published",
        isPressed: ({ known }) => known === "revision",
        press: ({ known }) => ({ known: known === "revision" ? null : "revision" }),
      },
    ],
    isOffered: ({ chart, asset }, pane) => asset?.knownSince !== undefined || chart.panes[pane]?.known != null,
  },
  {
    title: "Study",
    words: "analysis below the chart",
    choices: STUDY_CHOICES.map(({ kind, label, title, words, begin }) => ({
      label,
      title,
      words,
      isPressed: ({ study }) => study?.kind === kind,
      press: (pane) => ({ study: pane.study?.kind === kind ? null : begin(pane) }),
    })),
  },
];

/** Parts of a look whose change needs other data. */
const LOADED: (keyof Look)[] = ["price", "smoothing", "known", "heat"];

/**
 * The active pane's controls are in the toolbar. Those of the others lie over their plots, while the pointer or the focus
 * is in their legends.
 *
 * @param addersOf what adds lines to a pane
 */
export function connectPaneLook(
  root: HTMLElement,
  session: Session,
  addersOf: (pane: number, page: Page) => HTMLElement[],
): void {
  const places = ({ chart: { panes }, activePane }: Page) =>
    paneFrames(root, panes.length).map(({ look }, pane) => {
      const place = pane === activePane ? part(root, "tools") : look;
      if (pane === activePane) look.replaceChildren();
      if (!place.hasChildNodes()) place.append(group(), group());
      return [...place.children] as [HTMLElement, HTMLElement];
    });
  session.watch(["panes", "data", "resolution", "asset", "activePane"], (page) => {
    for (const [pane, [look]] of places(page).entries()) fill(look, ...controls(pane, page, session));
  });
  // New data doesn't close an open menu.
  session.watch(["panes", "resolution", "asset", "activePane"], (page) => {
    for (const [pane, [, adders]] of places(page).entries()) fill(adders, ...addersOf(pane, page));
  });
}

const group = () => h("div", { class: "group" });

/** The controls of the active pane's look, as commands. */
export function lookCommands(page: Page): Command[] {
  const pane = shown(page, page.activePane);
  return offered(page, page.activePane).flatMap(({ title, words, choices }) =>
    choices.map((choice) => ({
      group: "Actions",
      title: choice.title,
      detail: choice.isPressed(pane) ? "on" : "",
      words: [`${choice.words ?? ""} ${title} ${words}`],
      run: (session) => press(choice, page.activePane, session),
    })),
  );
}

const offered = (page: Page, pane: number) => CONTROLS.filter(({ isOffered }) => isOffered?.(page, pane) ?? true);

function shown(page: Page, index: number): Shown {
  const pane = page.chart.panes[index]!;
  const scale = shownScale(page, index);
  return {
    ...pane,
    shownScale: scale,
    shownMark: shownMark(page, pane.mark, index, scale),
    naturalScale: naturalScale(page, index),
    naturalMark: shownMark(page, null, index, scale),
  };
}

function press(choice: Choice, index: number, session: Session): void {
  const look = choice.press(shown(session.page, index));
  if (LOADED.some((part) => part in look)) session.change((chart) => setLook(chart, index, look));
  else session.adjust((chart) => setLook(chart, index, look));
}

/** Any other length of the moving average. */
function daysField({ smoothing }: Shown, index: number, session: Session): HTMLElement {
  const isOther = smoothing !== null && !SMOOTHINGS.some((days) => days === smoothing);
  const choose = ({ target }: Event) => {
    const { value } = target as HTMLInputElement;
    if (value !== "" && !SMOOTHING_FORM.test(value)) {
      session.note(`A moving average has 2 to ${LONGEST_SMOOTHING} days.`);
    } else session.change((chart) => setLook(chart, index, { smoothing: value === "" ? null : Number(value) }));
  };
  return h("input", {
    type: "text",
    inputmode: "numeric",
    maxlength: 3,
    class: "days",
    placeholder: "days",
    "aria-label": "Days of another moving average",
    title: `Mean of the last 2 to ${LONGEST_SMOOTHING} days`,
    autocomplete: "off",
    value: isOther ? smoothing : "",
    onchange: choose,
    "data-focus": `days-${index}`,
  });
}

function controls(index: number, page: Page, session: Session): (HTMLElement | false)[] {
  const pane = shown(page, index);
  const isOne = page.chart.panes.length === 1;
  const suffix = isOne ? "" : ` of chart ${index + 1}`;
  const groups = offered(page, index).map(({ title, choices, days }) => {
    const buttons = choices.map((choice) => {
      const onclick = () => press(choice, index, session);
      return h(
        "button",
        {
          type: "button",
          title: choice.title,
          onclick,
          "data-focus": `${choice.label}-${index}`,
          "aria-pressed": String(choice.isPressed(pane)),
        },
        choice.label,
      );
    });
    return h(
      "fieldset",
      { class: "segments", "aria-label": title + suffix },
      ...buttons,
      days && daysField(pane, index, session),
    );
  });
  const remove = {
    type: "button",
    class: "remove",
    title: "Remove this chart",
    "aria-label": `Remove chart ${index + 1}`,
    onclick: () => session.change((chart) => removePane(chart, index)),
  };
  const isActive = index === page.activePane;
  return isOne
    ? groups
    : [isActive && h("span", { class: "of-chart" }, `Chart ${index + 1}`), ...groups, h("button", remove, "×")];
}
