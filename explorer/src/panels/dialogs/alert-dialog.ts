/** The dialog that makes a rule of a line: the JSON to copy, when it would have fired, and both on the chart. */

import { COMPARISONS, type Comparison } from "../../../../data-schema/formula.ts";
import {
  type AlertCondition,
  type AlertLine,
  alertLines,
  firedAt,
  lastLevel,
  ruleText,
  shownAlert,
} from "../../chart/drawing/alert-rule.ts";
import { bucketTime } from "../../format/time.ts";
import type { Threshold } from "../../lines/threshold.ts";
import type { Session } from "../../session.ts";
import { copyText } from "../copy-text.ts";
import { fill, h, part } from "../dom.ts";

/** Dates that are named; the others are counted. */
const MOST_DATES = 12;

export function connectAlertDialog(root: HTMLElement, session: Session): void {
  const dialog = part<HTMLDialogElement>(root, "alert-dialog");
  const button = part<HTMLButtonElement>(root, "alert");
  const rule = part<HTMLTextAreaElement>(dialog, "rule");
  const status = part(dialog, "status");
  const draw = part<HTMLButtonElement>(dialog, "draw");
  const select = (values: readonly string[]) => h("select", {}, ...values.map((value) => h("option", {}, value)));
  const number = (value: number) => h("input", { type: "number", step: "any", value });
  const labelled = (label: string, field: HTMLElement) => h("label", {}, h("span", {}, label), field);

  function open(): void {
    const lines = alertLines(session.page);
    const old = shownAlert(session.page);
    const line = select(lines.map(({ text }) => text));
    const comparison = select(Object.keys(COMPARISONS));
    const level = number(0);
    const count = number(1);
    const chosen = (): AlertLine => lines[Math.max(0, line.selectedIndex)]!;
    const read = (): AlertCondition => ({
      line: chosen(),
      comparison: comparison.value as Comparison,
      level: Number(level.value),
      count: Math.max(1, Math.round(Number(count.value) || 1)),
    });
    const update = () => {
      const condition = read();
      const { chart, data, zone } = session.page;
      rule.value = ruleText(condition, chart);
      const times = firedAt(condition, data);
      const dates = times
        .slice(-MOST_DATES)
        .reverse()
        .map((t) => bucketTime(t, chart.resolution, zone));
      const more = times.length > dates.length ? ` and ${times.length - dates.length} times before` : "";
      part(dialog, "fired").textContent =
        times.length === 0 ? "It would not have fired." : `It would have fired: ${dates.join(", ")}${more}.`;
    };
    const choose = () => {
      level.value = String(lastLevel(chosen(), session.page.data));
      update();
    };
    const when = part(dialog, "when");
    when.oninput = ({ target }) => (target === line ? choose() : update());
    fill(
      when,
      labelled("Line", line),
      labelled("Comparison", comparison),
      labelled("Level", level),
      labelled("Rows in a row", count),
    );
    status.textContent = "";
    if (old) {
      line.value = old.line.text;
      comparison.value = old.comparison;
      level.value = String(old.level);
      count.value = String(old.count);
      update();
    } else choose();
    part(dialog, "erase").hidden = session.page.chart.alert === null;
    draw.onclick = () => {
      const { line: shown, ...condition } = read();
      show({ ...condition, line: shown.text });
    };
    dialog.showModal();
  }

  /** Draws an alert on the chart, or takes it off. */
  function show(alert: Threshold | null): void {
    dialog.close();
    session.adjust((chart) => ({ ...chart, alert }));
  }

  button.addEventListener("click", open);
  part(dialog, "erase").addEventListener("click", () => show(null));
  part(dialog, "copy").addEventListener("click", async () => {
    rule.select();
    status.textContent = (await copyText(rule.value)) ? "Copied." : "Copying is blocked. The rule is selected.";
  });
  session.watch(["data", "traces"], (page) => {
    button.disabled = page.data.table.t.length === 0 || alertLines(page).length === 0;
  });
}
