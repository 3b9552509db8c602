/** The list of metrics, by group or by search. The Tab key stops at it once; the arrow keys move through it. */

import type { NamedFormula } from "../../../../data-schema/registry.ts";
import type { Command } from "../../commands/command.ts";
import { findCommands } from "../../commands/find.ts";
import { addLine, showBelow, showLine } from "../../commands/line-commands.ts";
import { seriesName, unitTitle } from "../../format/names.ts";
import { isSameLine, type Line } from "../../lines/lines.ts";
import { type FoundFamily, searchFamilies } from "../../search/families.ts";
import { addressIn, holdingsPath, shortAddress } from "../../search/find-address.ts";
import { searchFormulas } from "../../search/formulas.ts";
import { type Match, search } from "../../search/search.ts";
import type { Page, Session } from "../../session.ts";
import { seriesLine, whyNoPane, whyNotAdd } from "../../state/changes.ts";
import { contextOf } from "../../state/chart-state.ts";
import { afterPaint } from "../after-paint.ts";
import { fill, h, part } from "../dom.ts";
import { actionCommands } from "./palette-actions.ts";

export function connectMetricList(root: HTMLElement, session: Session): void {
  const input = part<HTMLInputElement>(root, "search");
  const list = part(root, "metric-list");
  const toggle = part<HTMLButtonElement>(root, "open-metrics");
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
    if (key === "Enter" && input.value.trim() !== "") list.querySelector<HTMLElement>(".show")?.click();
  });
  list.addEventListener("click", ({ target }) => {
    if ((target as Element).closest("button")) setOpen(root, false);
  });
  list.addEventListener("focusin", ({ target }) => setTabStop(list, target as HTMLElement));
  toggle.addEventListener("click", () => setOpen(root, toggle.getAttribute("aria-expanded") === "false"));
  part(root, "metric-panel").addEventListener("keydown", (event) => {
    if (event.key === "Escape" && input.value !== "") {
      input.value = "";
      render();
      input.focus();
    } else moveFocus(event, list, input);
  });
  session.watch(["asset", "traces", "activePane"], afterPaint(render));
  afterPaint(() => scrollToShown(list))(session.page);
}

/** On a narrow page the list is collapsed until it is opened. */
function setOpen(root: HTMLElement, isOpen: boolean): void {
  part(root, "open-metrics").setAttribute("aria-expanded", String(isOpen));
  if (isOpen) scrollToShown(part(root, "metric-list"));
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

/** An item of the list: a line to show, to add or to show apart. */
interface Entry {
  /** Unique in the list. */
  key: string;
  title: string;
  description: string;
  unit: string;
  line: Line;
  isShown: boolean;
}

function metricEntry({ metric, selector }: Pick<Match, "metric" | "selector">, page: Page): Entry {
  const { chart, asset, activePane } = page;
  const lines = (chart.panes[activePane]?.lines ?? []).filter((line) => line.kind === "series");
  return {
    key: selector === null ? metric.name : `${metric.name}:${selector}`,
    title: seriesName(metric, selector, asset),
    description: metric.description,
    unit: unitTitle(metric.unit, asset).replace("USD per ", "USD/").replace("count", "#"),
    line: seriesLine(metric, selector ?? lines[0]?.selector),
    isShown: lines.some((one) => one.metric === metric.name && (selector === null || one.selector === selector)),
  };
}

function formulaEntry({ name, title, text, description }: NamedFormula, { chart, activePane }: Page): Entry {
  const line: Line = { kind: "formula", text: name };
  const isShown = chart.panes[activePane]?.lines.some((other) => isSameLine(line, other)) ?? false;
  return { key: name, title, description: `${text}. ${description}`, unit: "", line, isShown };
}

function familyEntry({ metric, title, line }: FoundFamily, { chart, asset, activePane }: Page): Entry {
  const isOf = (other: Line) => other.kind === "family" && other.metric === line.metric && other.by === line.by;
  const isShown = chart.panes[activePane]?.lines.some(isOf) ?? false;
  const unit = unitTitle(line.mode === "share" ? "share" : metric.unit, asset);
  return { key: `${line.metric}:*${line.by}`, title, description: metric.description, unit, line, isShown };
}

function groups(session: Session): HTMLElement[] {
  const { groups, metrics } = session.page.catalog;
  return groups.flatMap(({ name, title }) => {
    const members = metrics.filter(({ group }) => group === name);
    const entries = members.map((metric) => metricEntry({ metric, selector: null }, session.page));
    return entries.length > 0 ? section(name, title, "", entries, session) : [];
  });
}

function results(words: string, session: Session): HTMLElement[] {
  const { page } = session;
  const address = addressIn(words);
  if (address !== null) {
    return [h("a", { class: "show", href: holdingsPath(address) }, `What ${shortAddress(address)} holds`)];
  }
  const { matches, note } = search(page.catalog, words, page.asset);
  const formulas = searchFormulas(words, contextOf(page.chart, page.catalog));
  const families = searchFamilies(contextOf(page.chart, page.catalog), words);
  if (matches.length + formulas.length + families.length === 0) return otherResults(words, session);
  const kinds = [
    {
      name: "formulas",
      title: plural(formulas.length, "formula"),
      note: "",
      rank: formulas[0]?.rank,
      entries: formulas.map(({ formula }) => formulaEntry(formula, page)),
    },
    {
      name: "families",
      title: plural(families.length, "family", "families"),
      note: "",
      rank: families[0]?.rank,
      entries: families.map((family) => familyEntry(family, page)),
    },
    {
      name: "found",
      title: plural(matches.length, "metric"),
      note,
      rank: matches[0]?.rank,
      entries: matches.map((match) => metricEntry(match, page)),
    },
  ];
  return kinds
    .filter(({ entries }) => entries.length > 0)
    .sort((a, b) => a.rank! - b.rank!)
    .map(({ name, title, note, entries }) => section(name, title, note, entries, session));
}

/** What the command palette finds where no metric matches: actions, cohorts, assets, or what comes nearest. */
function otherResults(words: string, session: Session): HTMLElement[] {
  const { groups, note } = findCommands(session.page, words, actionCommands(session.page, document.body));
  const button = ({ title, run }: Command) =>
    h(
      "li",
      {},
      h(
        "button",
        { type: "button", class: "show", tabindex: "-1", onclick: () => run(session) },
        h("span", { class: "name" }, title),
      ),
    );
  return [
    h("p", { class: "nothing", role: "status" }, note === "" ? `No metrics match “${words}”.` : note),
    ...groups.map(({ title, commands }, i) =>
      h(
        "section",
        { "aria-labelledby": `group-other-${i}` },
        h("h2", { id: `group-other-${i}` }, title),
        h("ul", {}, ...commands.map(button)),
      ),
    ),
  ];
}

const plural = (count: number, one: string, many = `${one}s`) => (count === 1 ? `1 ${one}` : `${count} ${many}`);

function section(name: string, title: string, note: string, entries: readonly Entry[], session: Session): HTMLElement {
  const id = `group-${name}`;
  return h(
    "section",
    { "aria-labelledby": id },
    h("h2", { id }, title),
    note !== "" && h("p", { class: "note", role: "status" }, note),
    h("ul", {}, ...entries.map((entry) => item(entry, session))),
  );
}

function item({ key, title, description, unit, line, isShown }: Entry, session: Session): HTMLElement {
  const { chart, activePane, catalog } = session.page;
  const why = isShown
    ? "Already in the chart. To compare cohorts, use the menu above the chart."
    : whyNotAdd(chart, activePane, line, catalog);
  const act = (next: (session: Session, line: Line) => void) => () => next(session, line);
  const show = {
    type: "button",
    class: "show",
    tabindex: "-1",
    title: description,
    "aria-current": isShown ? "true" : undefined,
    "data-focus": key,
    onclick: act(showLine),
  };
  const add = {
    type: "button",
    class: "add",
    tabindex: "-1",
    "aria-label": `Compare with ${title}`,
    title: why ?? "Add to the chart",
    "aria-disabled": why ? "true" : undefined,
    "data-focus": `add-${key}`,
    onclick: why ? undefined : act(addLine),
  };
  const noPane = whyNoPane(chart);
  const below = {
    type: "button",
    class: "apart",
    tabindex: "-1",
    "data-focus": `apart-${key}`,
    "aria-label": `${title} in a chart below`,
    title: noPane ?? "In a chart below",
    "aria-disabled": noPane ? "true" : undefined,
    onclick: noPane ? undefined : act(showBelow),
  };
  return h(
    "li",
    { class: isShown ? "shown" : undefined },
    h("button", show, h("span", { class: "name" }, title), h("span", { class: "unit" }, unit)),
    h("button", add, "+"),
    h("button", below, "⊞"),
  );
}
