/** The list of metrics, by group or by search. The Tab key stops at it once; the arrow keys move through it. */

import { addLine, showBelow, showLine } from "../commands/lines.ts";
import { seriesName, unitTitle } from "../format/names.ts";
import type { Line } from "../lines/lines.ts";
import { type Match, search } from "../search/search.ts";
import type { Page, Session } from "../session.ts";
import { seriesLine, whyNoPane, whyNotAdd } from "../state/changes.ts";
import { byId, fill, h } from "./dom.ts";

type Choice = Pick<Match, "metric" | "selector">;

export function connectMetricList(session: Session): void {
  const input = byId<HTMLInputElement>("search");
  const list = byId("metric-list");
  const toggle = byId<HTMLButtonElement>("open-metrics");
  const render = () => {
    const words = input.value.trim();
    fill(list, ...(words === "" ? groups(session) : results(words, session)));
    const find = (selector: string) => list.querySelector<HTMLElement>(selector);
    setTabStop(list, find(":focus") ?? find(".shown .show") ?? find(".show"));
  };
  input.disabled = false;
  toggle.disabled = false;
  input.addEventListener("input", render);
  input.addEventListener("keydown", ({ key }) => {
    if (key === "Enter" && input.value.trim() !== "") list.querySelector<HTMLButtonElement>(".show")?.click();
  });
  list.addEventListener("focusin", ({ target }) => setTabStop(list, target as HTMLElement));
  toggle.addEventListener("click", () => setOpen(toggle.getAttribute("aria-expanded") === "false"));
  byId("metric-panel").addEventListener("keydown", (event) => {
    if (event.key === "Escape" && input.value !== "") {
      input.value = "";
      render();
      input.focus();
    } else moveFocus(event, list, input);
  });
  session.watch(["asset", "traces", "activePane"], render);
  scrollToShown(list);
}

/** On a narrow page the list is collapsed until it is opened. */
function setOpen(isOpen: boolean): void {
  byId("open-metrics").setAttribute("aria-expanded", String(isOpen));
  if (isOpen) scrollToShown(byId("metric-list"));
}

/** Scrolls the shown metric's group to the top, as far as the metric stays visible. */
function scrollToShown(list: HTMLElement): void {
  const shown = list.querySelector<HTMLElement>(".shown");
  if (!shown) return;
  const end = shown.offsetTop + shown.offsetHeight - list.clientHeight;
  list.scrollTop = Math.max(shown.closest("section")!.offsetTop, end) - list.offsetTop;
}

function setTabStop(list: HTMLElement, button: HTMLElement | null): void {
  for (const old of list.querySelectorAll<HTMLElement>("[tabindex='0']")) old.tabIndex = -1;
  if (button) button.tabIndex = 0;
}

/** The buttons of a metric: show it, add it to the chart, and show it in a chart below. */
const COLUMNS = [".show", ".add", ".apart"];

/** Up and down move between metrics, left and right between a metric's buttons. The search is above the first. */
function moveFocus(event: KeyboardEvent, list: HTMLElement, input: HTMLElement): void {
  const current = document.activeElement!;
  const column = [...list.querySelectorAll<HTMLElement>(COLUMNS.find((name) => current.matches(name)) ?? ".show")];
  const row = column.indexOf(current as HTMLElement);
  const next = {
    ArrowDown: column[row + 1],
    ArrowUp: column[row - 1] ?? input,
    ...(row >= 0 && {
      ArrowRight: current.nextElementSibling,
      ArrowLeft: current.previousElementSibling,
      Home: column[0],
      End: column.at(-1),
    }),
  }[event.key];
  if (next === undefined) return;
  (next as HTMLElement | null)?.focus();
  event.preventDefault();
}

function groups(session: Session): HTMLElement[] {
  const { groups, metrics } = session.page.catalog;
  return groups.flatMap(({ name, title }) => {
    const members = metrics.filter(({ group }) => group === name).map((metric) => ({ metric, selector: null }));
    return members.length > 0 ? section(name, title, "", members, session) : [];
  });
}

function results(words: string, session: Session): HTMLElement[] {
  const { matches, note } = search(session.page.catalog, words);
  if (matches.length === 0) return [h("p", { class: "nothing", role: "status" }, `No metrics match “${words}”.`)];
  const title = matches.length === 1 ? "1 metric" : `${matches.length} metrics`;
  return [section("found", title, note, matches, session)];
}

function section(name: string, title: string, note: string, matches: Choice[], session: Session): HTMLElement {
  const id = `group-${name}`;
  return h(
    "section",
    { "aria-labelledby": id },
    h("h2", { id }, title),
    note !== "" && h("p", { class: "note", role: "status" }, note),
    h("ul", {}, ...matches.map((match) => item(match, session.page, session))),
  );
}

function item(
  { metric, selector }: Choice,
  { chart, asset, catalog, activePane }: Page,
  session: Session,
): HTMLElement {
  const lines = (chart.panes[activePane]?.lines ?? []).filter((line) => line.kind === "series");
  const choice = seriesLine(metric, selector ?? lines[0]?.selector);
  const title = seriesName(metric, selector, asset);
  const isShown = lines.some(
    (shown) => shown.metric === metric.name && (selector === null || shown.selector === selector),
  );
  const why = isShown
    ? "Already in the chart. To compare cohorts, use the menu above the chart."
    : whyNotAdd(chart, activePane, choice, catalog);
  const act = (next: (session: Session, line: Line) => void) => () => {
    setOpen(false);
    next(session, choice);
  };
  const show = {
    type: "button",
    class: "show",
    tabindex: "-1",
    title: metric.description,
    "aria-current": isShown ? "true" : undefined,
    "data-focus": metric.name,
    onclick: act(showLine),
  };
  const add = {
    type: "button",
    class: "add",
    tabindex: "-1",
    "aria-label": `Compare with ${title}`,
    title: why ?? "Add to the chart",
    "aria-disabled": why ? "true" : undefined,
    "data-focus": `add-${metric.name}`,
    onclick: why ? undefined : act(addLine),
  };
  const noPane = whyNoPane(chart);
  const below = {
    ...{ type: "button", class: "apart", tabindex: "-1", "data-focus": `apart-${metric.name}` },
    "aria-label": `${title} in a chart below`,
    title: noPane ?? "In a chart below",
    "aria-disabled": noPane ? "true" : undefined,
    onclick: noPane ? undefined : act(showBelow),
  };
  const unit = unitTitle(metric.unit, asset).replace("USD per ", "USD/").replace("count", "#");
  return h(
    "li",
    { class: isShown ? "shown" : undefined },
    h("button", show, h("span", { class: "name" }, title), h("span", { class: "unit" }, unit)),
    h("button", add, "+"),
    h("button", below, "⊞"),
  );
}
