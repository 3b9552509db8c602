/** The ways to look at a study of a pane, above it. */

import { SEASON_VALUES, SEASONS } from "../../../../data-schema/chart-link.ts";
import type { Session } from "../../session.ts";
import { setLook, setResolution } from "../../state/changes.ts";
import { type CycleStart, formatStudy, parseCycleDates, type Study } from "../../state/study.ts";
import { h } from "../dom.ts";

const STARTS: [since: CycleStart, label: string, title: string][] = [
  ["high", "Drawdowns", "Each fall from an all-time high, over the others"],
  ["year", "Years", "Each calendar year over the others, from 100"],
  ["first", "First values", "Each line from its first value, such as the first trade, from 100"],
];

const SEASON_LABELS = { month: "Month × year", hour: "Hour × weekday" };
const VALUE_LABELS = { change: "Change", mean: "Mean", median: "Median" };

/** The ways to look at a study of a pane, and the button that closes it. */
export function studyControls(study: Study, pane: number, session: Session): HTMLElement[] {
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
