/** What is computed from the lines of a pane, below the chart: a drawing, a table, and the ways to look at it. */

import { SEASON_VALUES, SEASONS } from "../../../../data-schema/chart-link.ts";
import { lookOf } from "../../chart/options.ts";
import type { Page, Session } from "../../session.ts";
import { setLook, setResolution } from "../../state/changes.ts";
import { type CycleStart, formatStudy, parseCycleDates, type Study } from "../../state/study.ts";
import type { Finding, StudyCell, StudyTable } from "../../studies/finding.ts";
import { afterPaint } from "../after-paint.ts";
import { fill, h, part, swatch } from "../dom.ts";
import { loadStudies, type Studies, studyInputs } from "../tables/study-input.ts";
import { THEME_CHANGE } from "./theme-switch.ts";

/** What happens when a section gets another width, by its element. One observer, as Chromium keeps each with all it refers to. */
const whenResized = new WeakMap<Element, () => void>();
const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries) whenResized.get(target)?.();
});

/** @param until the chart is taken off the page */
export function connectStudy(
  root: HTMLElement,
  session: Session,
  { isEditable, until }: { isEditable: boolean; until?: AbortSignal },
): void {
  const element = part(root, "study");
  let draw = () => {};
  const show = async (page: Page) => {
    const inputs = studyInputs(page);
    element.hidden = inputs.length === 0 || page.data.status !== "loaded";
    element.setAttribute("aria-busy", String(inputs.length > 0 && page.data.status === "loading"));
    if (element.hidden) return;
    const studies = await loadStudies().catch(() => null);
    // It may have changed while the script was on its way.
    if (session.page !== page && session.page.chart.panes !== page.chart.panes) return;
    if (studies === null)
      return fill(element, h("p", {}, "The script of this study can’t be loaded. Reload the page."));
    const drawn = inputs.map(({ pane, input }) => {
      const finding = studies.findingOf(input);
      return viewOf(finding, studies, isEditable ? controls(input.study, pane, session) : []);
    });
    fill(element, ...drawn.map(({ view }) => view));
    draw = () => {
      for (const one of drawn) one.draw();
    };
    draw();
  };
  const later = afterPaint((page) => void show(page));
  session.watch(["data", "panes", "range", "zoom"], (page) => {
    if (page.chart.panes.some(({ study }) => study !== null) || !element.hidden) later(page);
  });
  whenResized.set(element, () => draw());
  sizes.observe(element);
  addEventListener(THEME_CHANGE, () => draw(), until && { signal: until });
  until?.addEventListener("abort", () => sizes.unobserve(element));
}

function viewOf(finding: Finding, studies: Studies, controls: HTMLElement[]): { view: HTMLElement; draw(): void } {
  const { title, sentences, table } = finding;
  const text = sentences.filter((sentence) => sentence !== "").join(" ");
  const canvas = finding.draw && h("canvas", { role: "img", "aria-label": `${title}. ${text}` });
  const view = h(
    "div",
    { class: "study-one" },
    h("div", { class: "study-head" }, h("strong", {}, title), ...controls),
    h("p", {}, text),
    canvas,
    table && tableOf(table, studies),
  );
  const draw = () => {
    const width = canvas?.parentElement?.clientWidth ?? 0;
    if (!canvas || !finding.draw || width === 0) return;
    const scene = finding.draw(width);
    const ratio = devicePixelRatio;
    [canvas.width, canvas.height] = [width * ratio, scene.height * ratio];
    canvas.style.height = `${scene.height}px`;
    const context = canvas.getContext("2d")!;
    context.scale(ratio, ratio);
    studies.paintScene(context, scene, { color: lookOf(canvas).color, family: getComputedStyle(canvas).fontFamily });
  };
  return { view, draw };
}

function tableOf({ caption, head, rows }: StudyTable, { SHADES, MOST_SHADE }: Studies): HTMLElement {
  const cellOf = ({ text, shade = 0, isPartial, title }: StudyCell) => {
    const cell = h(
      "td",
      { title, class: isPartial && "partial" },
      text,
      isPartial && h("span", { class: "visually-hidden" }, " not whole"),
    );
    if (shade !== 0 && !isPartial) {
      const part = Math.round(100 * MOST_SHADE * Math.abs(shade));
      cell.style.background = `color-mix(in srgb, var(${SHADES[shade > 0 ? "up" : "down"]}) ${part}%, transparent)`;
    }
    return cell;
  };
  const body = rows.map(({ name, color, isSummary, cells }) =>
    h(
      "tr",
      { class: isSummary && "summary" },
      h("th", { scope: "row" }, color !== undefined && swatch(color), name),
      ...cells.map(cellOf),
    ),
  );
  const [first = "", ...others] = head;
  return h(
    "div",
    { class: "study-table", role: "region", "aria-label": caption, tabindex: 0 },
    h(
      "table",
      {},
      h("caption", { class: "visually-hidden" }, caption),
      h("thead", {}, h("tr", {}, h("td", {}, first), ...others.map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, ...body),
    ),
  );
}

const STARTS: [since: CycleStart, label: string, title: string][] = [
  ["high", "Drawdowns", "Each fall from an all-time high, over the others"],
  ["year", "Years", "Each calendar year over the others, from 100"],
  ["first", "First values", "Each line from its first value, such as the first trade, from 100"],
];

const SEASON_LABELS = { month: "Month × year", hour: "Hour × weekday" };
const VALUE_LABELS = { change: "Change", mean: "Mean", median: "Median" };

/** The ways to look at a study of a pane, and the button that closes it. */
function controls(study: Study, pane: number, session: Session): HTMLElement[] {
  const set = (next: Study | null) => session.adjust((chart) => setLook(chart, pane, { study: next }));
  const choice = (label: string, title: string, next: Study, choose = () => set(next)) =>
    h(
      "button",
      {
        type: "button",
        title,
        "data-focus": `study-${label}-${pane}`,
        "aria-pressed": String(formatStudy(next) === formatStudy(study)),
        onclick: choose,
      },
      label,
    );
  const group = (label: string, ...items: HTMLElement[]) =>
    h("fieldset", { class: "segments", "aria-label": label }, ...items);
  const close = h(
    "button",
    { type: "button", class: "quiet", title: "Close", "aria-label": "Close this study", onclick: () => set(null) },
    "×",
  );
  if (study.kind === "cycles") {
    const starts = STARTS.map(([since, label, title]) => choice(label, title, { kind: "cycles", since }));
    return [group("Cycles since", ...starts), datesField(study.since, pane, session, set), close];
  }
  if (study.kind !== "seasons") return [close];
  const seasons = SEASONS.map((by) => {
    const next = { ...study, by };
    // A table of hours needs hours; one of months is of more than the hours that are loaded.
    const choose = () =>
      session.change((chart) => setLook(setResolution(chart, by === "hour" ? "hour" : "day"), pane, { study: next }));
    return choice(SEASON_LABELS[by], `A table of ${SEASON_LABELS[by].toLowerCase()}`, next, choose);
  });
  const values = SEASON_VALUES.map((of) => choice(VALUE_LABELS[of], `The ${of} of each`, { ...study, of }));
  return [group("Seasons", ...seasons), group("Value", ...values), close];
}

function datesField(since: CycleStart, pane: number, session: Session, set: (study: Study) => void): HTMLElement {
  const choose = ({ target }: Event) => {
    const times = parseCycleDates((target as HTMLInputElement).value);
    if (times) set({ kind: "cycles", since: times });
    else session.note("Cycles begin at 1 to 8 dates, with commas between: 2024-01-01, 2025-01-01.");
  };
  return h("input", {
    type: "text",
    maxlength: 120,
    class: "study-dates",
    placeholder: "since dates: 2024-01-01, …",
    "aria-label": "Dates at which cycles begin",
    autocomplete: "off",
    value:
      typeof since === "string"
        ? ""
        : formatStudy({ kind: "cycles", since }).slice("cycles:".length).replaceAll(",", ", "),
    onchange: choose,
    "data-focus": `study-dates-${pane}`,
  });
}
