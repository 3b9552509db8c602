/** What happened at a pin: its events, largest changes and largest transfers. What draws them is loaded with the first look. */

import { isCalendar } from "../../../../data-schema/registry.ts";
import { DAY_SECONDS } from "../../../../data-schema/text.ts";
import type { Ask } from "../../api/load.ts";
import { type Page, pinnedTimes, type Session } from "../../session.ts";
import { fill, h, part } from "../dom.ts";
import type { PinnedSpan } from "./day-tables.ts";

/** The spans of the chart's pins, each once. Of hours and blocks, it is their day. */
function pinnedSpans(page: Pick<Page, "data" | "chart">): PinnedSpan[] {
  const { resolution } = page.chart;
  if (isCalendar(resolution)) return pinnedTimes(page).map((start) => ({ start, resolution }));
  const days = pinnedTimes(page).map((time) => Math.floor(time / DAY_SECONDS) * DAY_SECONDS);
  return [...new Set(days)].map((start) => ({ start, resolution: "day" }));
}

export function connectDay(root: HTMLElement, session: Session, ask: Ask): void {
  const element = part(root, "day");
  /** Which of two pins it is about: the later one, unless someone chooses. */
  let chosen = 1;
  let shown = "";
  /** Whether someone has just opened it, below what is visible perhaps. */
  let isNew = false;
  const show = async () => {
    const { page } = session;
    if (page.data.status === "loading" && page.chart.isDayOpen) return;
    const spans = page.chart.isDayOpen && page.asset ? pinnedSpans(page) : [];
    element.hidden = spans.length === 0;
    const span = spans[Math.min(chosen, spans.length - 1)];
    const wanted = span === undefined ? "" : JSON.stringify([page.chart.asset, spans, span, page.zone, page.events]);
    if (wanted === shown) return;
    shown = wanted;
    element.setAttribute("aria-busy", String(span !== undefined));
    if (span === undefined) return fill(element);
    const tables = await import("./day-tables.ts").catch(() => null);
    if (shown !== wanted) return;
    if (tables === null) {
      shown = "failed";
      element.setAttribute("aria-busy", "false");
      return fill(element, h("p", {}, "The script of this panel can’t be loaded. Reload the page."));
    }
    const choose = (place: number) => {
      chosen = place;
      void show();
    };
    const close = () => {
      session.adjust((chart) => ({ ...chart, isDayOpen: false }));
      root.querySelector<HTMLElement>("[data-focus=pin-day]")?.focus();
    };
    const { contents, hasFailed } = await tables.dayContents(session, { spans, span, choose, close }, ask);
    // An answer for what was shown before is left.
    if (shown !== wanted) return;
    // What failed is asked for again the next time.
    if (hasFailed) shown = "failed";
    fill(element, ...contents);
    element.setAttribute("aria-busy", "false");
    if (isNew) element.scrollIntoView({ block: element.offsetHeight > innerHeight ? "start" : "nearest" });
    isNew = false;
  };
  let wasOpen = session.page.chart.isDayOpen;
  session.watch(["isDayOpen"], ({ chart }) => {
    isNew = chart.isDayOpen && !wasOpen;
    wasOpen = chart.isDayOpen;
  });
  session.watch(["data", "pins", "isDayOpen", "events", "zone"], () => void show());
}
