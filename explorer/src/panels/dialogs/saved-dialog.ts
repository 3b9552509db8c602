/** The dialog of the charts that a person has saved in this browser. */

import { readItem, writeItem } from "../../browser-storage.ts";
import type { Command } from "../../commands/command.ts";
import type { Session } from "../../session.ts";
import { formatAddress } from "../../state/address.ts";
import { chartTitle } from "../../state/chart-title.ts";
import {
  CHARTS_FILE,
  formatCharts,
  imported,
  LONGEST_FILE,
  LONGEST_NAME,
  MOST_SAVED,
  parseCharts,
  removed,
  renamed,
  restored,
  type SavedChart,
  saved,
} from "../../state/saved-charts.ts";
import { fill, h, part } from "../dom.ts";
import { saveFile } from "../save-file.ts";
import { addToBoard } from "./back-to-board.ts";
import { connectFileChooser } from "./file-chooser.ts";

const STORAGE_ITEM = "soprano-charts";

/** Another tab may have changed them: they are read each time. What can't be read counts as none. */
function storedCharts(): SavedChart[] {
  const text = readItem(STORAGE_ITEM);
  try {
    return text === null ? [] : parseCharts(text);
  } catch {
    return [];
  }
}

/** A command for each saved chart. */
export const savedCommands = (): Command[] =>
  storedCharts().map(({ name, search }) => ({
    group: "Saved charts",
    title: name,
    detail: "saved chart",
    words: ["saved"],
    run: (session) => session.visit(search),
  }));

export function connectSavedDialog(dialog: HTMLDialogElement, button: HTMLButtonElement, session: Session): void {
  const list = part(dialog, "list");
  const input = part<HTMLInputElement>(dialog, "name");
  const file = part<HTMLInputElement>(dialog, "file");
  input.maxLength = LONGEST_NAME;

  const tell = (text: string, isDone = true, undo?: () => void) => {
    const button = undo && h("button", { type: "button", class: "quiet", onclick: undo }, "Undo");
    fill(part(dialog, "status"), text, button && " ", button);
    part(dialog, "status").classList.toggle("error-text", !isDone);
  };
  /** Keeps a list, and says what has been done, or why not. */
  const keep = (charts: SavedChart[], done: string, undo?: () => void) => {
    const text = formatCharts(charts);
    if (charts.length > MOST_SAVED) return tell(`There is room for ${MOST_SAVED} charts: delete some first.`, false);
    if (text.length > LONGEST_FILE) return tell("These charts are too long to be kept: delete some first.", false);
    const problem = writeItem(STORAGE_ITEM, text);
    tell(problem ?? done, problem === null, problem === null ? undo : undefined);
    render();
  };
  const render = (edited?: string) => {
    const charts = storedCharts();
    const items = charts.map((chart) => (chart.name === edited ? editor(chart) : item(chart)));
    fill(list, ...items, charts.length === 0 && h("li", { class: "nothing" }, "Nothing saved yet."));
    part<HTMLButtonElement>(dialog, "export").disabled = charts.length === 0;
  };
  const item = (chart: SavedChart) => {
    const { name, search } = chart;
    const open = (event: MouseEvent) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      dialog.close();
      session.visit(search);
    };
    const edit = () => {
      render(name);
      list.querySelector("input")?.select();
    };
    const remove = () => {
      const charts = storedCharts();
      const place = charts.findIndex((one) => one.name === name);
      const undo = () => {
        keep(restored(storedCharts(), chart, place), `Restored “${name}”.`);
        input.focus();
      };
      keep(removed(charts, name), `Deleted “${name}”.`, undo);
      input.focus();
    };
    const action = (title: string, onclick: () => void) =>
      h("button", { type: "button", class: "quiet", "aria-label": `${title} ${name}`, onclick }, title);
    return h("li", {}, h("a", { href: search, onclick: open }, name), action("Rename", edit), action("Delete", remove));
  };
  const editor = ({ name }: SavedChart) => {
    const field = h("input", { value: name, maxlength: LONGEST_NAME, "aria-label": `New name of ${name}` });
    const finish = () => {
      const to = field.value.trim();
      const charts = to === "" ? null : renamed(storedCharts(), name, to);
      if (charts) keep(charts, `Renamed to “${to}”.`);
      else tell(to === "" ? "A chart needs a name." : `There is a chart “${to}” already.`, false);
    };
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== "Escape") return;
      event.preventDefault();
      if (event.key === "Enter") finish();
      else render();
    });
    return h("li", {}, field, h("button", { type: "button", onclick: finish }, "Rename"));
  };

  part(dialog, "form").addEventListener("submit", (event) => {
    event.preventDefault();
    const name = input.value.trim();
    if (name === "") return tell("A chart needs a name.", false);
    const charts = storedCharts();
    const isNew = charts.every((chart) => chart.name !== name);
    const search = formatAddress(session.page.chart);
    keep(saved(charts, { name, search }), isNew ? `Saved “${name}”.` : `Replaced “${name}”.`);
  });
  part(dialog, "export").addEventListener("click", () =>
    saveFile(new Blob([formatCharts(storedCharts())], { type: "application/json" }), "soprano-charts.json"),
  );
  part(dialog, "to-board").addEventListener("click", () => {
    dialog.close();
    addToBoard(session);
  });
  const read = (text: string) => {
    const { charts, added, unknown } = imported(storedCharts(), parseCharts(text), session.page.catalog);
    const left = unknown > 0 ? ` ${unknown} left out: this Soprano lacks an asset or a series of theirs.` : "";
    keep(charts, `Imported ${added === 1 ? "a chart" : `${added} charts`}.${left}`);
  };
  connectFileChooser(part(dialog, "import"), file, CHARTS_FILE, read, (problem) => tell(problem, false));
  button.addEventListener("click", () => {
    tell("");
    input.value = chartTitle(session.page.chart, session.page.traces).slice(0, LONGEST_NAME);
    render();
    dialog.showModal();
    input.select();
  });
  button.disabled = false;
}
