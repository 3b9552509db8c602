/** The dialog that makes a rule of a line: the JSON to copy, and when it would have fired. */

import { COMPARISONS, type Comparison } from "../../../../data-schema/formula.ts";
import { bucketTime } from "../../format/time.ts";
import type { Session } from "../../session.ts";
import { copyText } from "../copy-text.ts";
import { fill, h, part } from "../dom.ts";
import { type AlertLine, alertLines, firedAt, lastLevel, ruleText } from "./alert-rule.ts";

/** Dates that are named; the others are counted. */
const MOST_DATES = 12;

export function connectAlertDialog(root: HTMLElement, session: Session): void {
  const dialog = part<HTMLDialogElement>(root, "alert-dialog");
  const button = part<HTMLButtonElement>(root, "alert");
  const rule = part<HTMLTextAreaElement>(dialog, "rule");
  const status = part(dialog, "status");
  const select = (label: string, values: readonly string[]) =>
    h("select", { "aria-label": label }, ...values.map((value) => h("option", {}, value)));
  const number = (label: string, value: number) =>
    h("input", { type: "number", step: "any", "aria-label": label, title: label, value });

  function open(): void {
    const lines = alertLines(session.page);
    const line = select(
      "Line",
      lines.map(({ text }) => text),
    );
    const comparison = select("Comparison", Object.keys(COMPARISONS));
    const level = number("Level", 0);
    const count = number("Rows in a row", 1);
    const chosen = (): AlertLine => lines[Math.max(0, line.selectedIndex)]!;
    const update = () => {
      const condition = {
        line: chosen(),
        comparison: comparison.value as Comparison,
        level: Number(level.value),
        count: Math.max(1, Math.round(Number(count.value) || 1)),
      };
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
    fill(when, line, comparison, level, count);
    status.textContent = "";
    choose();
    dialog.showModal();
  }

  button.addEventListener("click", open);
  part(dialog, "copy").addEventListener("click", async () => {
    rule.select();
    status.textContent = (await copyText(rule.value)) ? "Copied." : "Copying is blocked. The rule is selected.";
  });
  session.watch(["data", "traces"], (page) => {
    button.disabled = page.data.table.t.length === 0 || alertLines(page).length === 0;
  });
}
