/** The legend of a family: how it is drawn, what it adds up to, and a button for each part that switches it on and off. */

import { FAMILY_MODES, REST } from "../../../../data-schema/chart-link.ts";
import { familyTitle, familyWord, KIND_FAMILY, OWN_FAMILY } from "../../../../data-schema/registry.ts";
import type { Asset, CatalogMetric } from "../../api/catalog.ts";
import {
  divisionsOf,
  entriesOf,
  type FamilyLine,
  findDivision,
  isRanked,
  type Mode,
  partName,
  pictureOf,
  switched,
} from "../../lines/family-line.ts";
import type { Page, Session } from "../../session.ts";
import { setLines } from "../../state/changes.ts";
import { contextOf } from "../../state/chart-state.ts";
import type { Trace } from "../../state/traces.ts";
import { h, swatch } from "../dom.ts";
import type { Row } from "./legend.ts";

const MODE_TITLES: Record<Mode, string> = { stack: "Stacked", share: "100 %", lines: "Lines" };

/** Said of families whose parts may have addresses in common. */
const OVERLAPS: Readonly<Record<string, string>> = {
  [KIND_FAMILY]:
    "A kind overlaps with users, contracts or exchanges, and may overlap with others: these lines don’t add up.",
  [OWN_FAMILY]: "An address may be in several own cohorts, or in none: these lines don’t add up.",
};

/** The options of a menu of a metric's families. */
export const familyOptions = (metric: CatalogMetric, asset: Asset | undefined): HTMLElement[] =>
  divisionsOf(metric, asset).map(({ by }) => h("option", { value: by }, `by ${familyWord(by)}`));

/** What a family's item belongs to, and what removes it. */
interface Surroundings {
  page: Page;
  session: Session;
  remove: HTMLElement | false;
}

/**
 * @param traces those of the line
 * @returns the item of the legend, and a row for each trace
 */
export function familyItem(
  line: FamilyLine,
  traces: readonly Trace[],
  { page, session, remove }: Surroundings,
): { item: HTMLElement; rows: Row[] } {
  const { pane, line: place } = traces[0]!;
  const { metric, division, asset } = pictureOf(line, contextOf(page.chart, page.catalog))!;
  const own = line.asset === null ? "" : `${line.asset} `;
  const title = own + familyTitle(metric.title, division.by);
  const replace = (next: (old: FamilyLine) => FamilyLine) => (chart: Page["chart"]) =>
    setLines(chart, pane!, (lines) => lines.map((old, i) => (i === place && old.kind === "family" ? next(old) : old)));
  const name = (value: string) => (value === REST ? "The rest" : partName(value, division, asset));
  const focus = (part: string) => ({ "data-focus": `${part}-${pane}-${place}` });

  const families = h(
    "select",
    {
      "aria-label": `Families of ${own}${metric.title}`,
      ...focus("by"),
      onchange: () =>
        session.change(
          replace((old) => {
            const { by, adds } = findDivision(metric, families.value, asset)!;
            const mode = adds ? (division.adds ? old.mode : "stack") : "lines";
            return { ...old, by, mode, only: null, off: [] };
          }),
        ),
    },
    ...familyOptions(metric, asset),
  );
  families.value = line.by;
  const modes = FAMILY_MODES.map((mode) => {
    const onclick = () => session.change(replace((old) => ({ ...old, mode })));
    const attributes = { type: "button", "aria-pressed": String(mode === line.mode), onclick, ...focus(mode) };
    return h("button", attributes, MODE_TITLES[mode]);
  });
  const shown = h(
    "select",
    {
      "aria-label": `What is shown of ${title}`,
      ...focus("only"),
      onchange: () => session.adjust(replace((old) => ({ ...old, only: shown.value || null, off: [] }))),
    },
    h("option", { value: "" }, line.only === null && line.off.length > 0 ? "Some parts" : "All parts"),
    ...entriesOf(division).map((value) => h("option", { value }, `Only ${name(value)}`)),
  );
  shown.value = line.only ?? "";

  const rows = traces.map((trace) => partRow(trace));
  const parts = new Map(
    traces.flatMap(({ part }, i) => (part && part.role !== "whole" ? [[part.value, rows[i]!]] : [])),
  );
  // Parts that aren't shown keep their places, so that they can be shown again.
  const entries = entriesOf(division);
  const hidden = (value: string) => line.off.includes(value) || (line.only !== null && value !== REST);
  const listed = isRanked(division)
    ? [...parts.keys(), ...(line.only === null ? line.off.filter((value) => !parts.has(value)) : [])]
    : entries.filter((value) => parts.has(value) || hidden(value));
  const list = h(
    "ul",
    { class: "parts", "aria-label": `Parts of ${title}` },
    ...listed.map((value) => parts.get(value)?.row ?? offRow(value)),
  );
  oneTabStop(list);

  const whole = traces.findIndex(({ part }) => part?.role === "whole");
  const item = h(
    "li",
    { class: "family" },
    h(
      "div",
      { class: "family-head" },
      h("span", { class: "name" }, own + metric.title),
      families,
      division.adds && h("fieldset", { class: "segments", "aria-label": `Picture of ${title}` }, ...modes),
      shown,
      rows[whole]?.row,
      remove,
    ),
    OVERLAPS[division.by] !== undefined && h("p", { class: "overlap" }, OVERLAPS[division.by]!),
    list,
  );
  return { item, rows };

  function partRow({ part, color, name: full }: Trace): Row {
    const value = h("output", { class: "value" }, "…");
    if (part?.role !== "whole") return { row: partItem(part!.value, true, swatch(color), value), value };
    const label = division.whole === null ? "All parts" : name(division.whole);
    const mark = part.isDrawn && swatch(color);
    return { row: h("span", { class: "whole", title: full }, mark, label, " ", value), value };
  }

  function offRow(value: string): HTMLElement {
    return partItem(value, false, h("span", { class: "swatch" }), null);
  }

  function partItem(value: string, isOn: boolean, mark: HTMLElement, output: HTMLElement | null): HTMLElement {
    const onclick = (event: MouseEvent) =>
      session.adjust(
        replace((old) =>
          event.shiftKey ? { ...old, only: value, off: [] } : switched(old, value, entriesOf(division)),
        ),
      );
    const attributes = {
      type: "button",
      "aria-pressed": String(isOn),
      ...focus(`part-${value}`),
      onclick,
      title: `${isOn ? "Hide" : "Show"} this part. With Shift: only this part`,
    };
    return h("li", {}, h("button", attributes, mark, h("span", {}, name(value))), output);
  }
}

/** The Tab key stops at a list's buttons once; the arrow keys move through them. */
function oneTabStop(list: HTMLElement): void {
  const buttons = [...list.querySelectorAll("button")];
  const stopAt = (stop: Element | undefined) => {
    for (const button of buttons) button.tabIndex = button === stop ? 0 : -1;
  };
  stopAt(buttons[0]);
  list.addEventListener("focusin", ({ target }) => stopAt(target as Element));
  list.addEventListener("keydown", (event) => {
    const place = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const next = {
      ArrowRight: place + 1,
      ArrowDown: place + 1,
      ArrowLeft: place - 1,
      ArrowUp: place - 1,
      Home: 0,
      End: buttons.length - 1,
    }[event.key];
    if (next === undefined || place === -1) return;
    buttons[next]?.focus();
    event.preventDefault();
  });
}
