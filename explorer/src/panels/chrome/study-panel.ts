/** What is computed from the lines of a pane, below the chart: a drawing and a table. */

import { lookOf } from "../../chart/options.ts";
import type { Page, Session } from "../../session.ts";
import type { Study } from "../../state/study.ts";
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

/** The ways to look at a study of a pane, where it can be changed. */
type StudyControls = (study: Study, pane: number, session: Session) => HTMLElement[];

/** @param until the chart is taken off the page */
export function connectStudy(
  root: HTMLElement,
  session: Session,
  { controls, until }: { controls?: StudyControls; until?: AbortSignal } = {},
): void {
  const element = part(root, "study");
  let draw = () => {};
  const show = async (page: Page) => {
    const inputs = studyInputs(page);
    element.hidden = inputs.length === 0 || page.data.status !== "loaded";
    element.setAttribute("aria-busy", String(inputs.length > 0 && page.data.status === "loading"));
    if (inputs.length === 0) {
      draw = () => {};
      fill(element);
    }
    if (element.hidden) return;
    const studies = await loadStudies().catch(() => null);
    // It may have changed while the script was on its way.
    if (session.page !== page && session.page.chart.panes !== page.chart.panes) return;
    if (studies === null)
      return fill(element, h("p", {}, "The script of this study can’t be loaded. Reload the page."));
    const drawn = inputs.map(({ pane, input }) => {
      const finding = studies.findingOf(input);
      return viewOf(finding, studies, controls?.(input.study, pane, session) ?? []);
    });
    fill(element, ...drawn.map(({ view }) => view));
    draw = () => {
      for (const one of drawn) one.draw();
    };
    draw();
  };
  const later = afterPaint((page) => void show(page));
  let hadStudy = false;
  session.watch(["data", "panes", "range", "zoom"], (page) => {
    const hasStudy = page.chart.panes.some(({ study }) => study !== null);
    if (hasStudy || hadStudy) later(page);
    hadStudy = hasStudy;
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
