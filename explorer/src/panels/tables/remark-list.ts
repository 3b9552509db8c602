/** The notes of a chart below it, each with its time and a button that removes it. */

import { bucketTime } from "../../format/time.ts";
import type { Page, Session } from "../../session.ts";
import { removeRemark } from "../../state/changes.ts";
import type { Remark } from "../../state/chart-state.ts";
import { announce, fill, h, part } from "../dom.ts";

export function connectRemarks(root: HTMLElement, session: Session): void {
  const list = part(root, "remarks");
  session.watch(["remarks", "resolution", "zone"], (page) => {
    list.hidden = page.chart.remarks.length === 0;
    fill(list, ...page.chart.remarks.map((remark) => item(remark, page, session)));
  });
}

function item(remark: Remark, { chart, zone }: Page, session: Session): HTMLElement {
  const times = [remark.from, remark.to].flatMap((time) =>
    time === null ? [] : bucketTime(time, chart.resolution, zone),
  );
  const remove = () => {
    session.adjust((chart) => removeRemark(chart, remark));
    announce("Note removed.");
  };
  const label = `Remove the note “${remark.text}”`;
  return h(
    "li",
    {},
    h("span", { class: "moment" }, times.join(" – ")),
    remark.text,
    h("button", { type: "button", class: "remove", title: "Remove", "aria-label": label, onclick: remove }, "×"),
  );
}
