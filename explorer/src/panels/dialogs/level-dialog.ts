/** The dialog of a pane's lines and bands: each a row of fields. */

import { MOST_LEVELS } from "../../../../data-schema/chart-link.ts";
import { errorText } from "../../../../data-schema/formula/error-text.ts";
import { LEVEL_COLORS, type Level, type LevelColor } from "../../../../data-schema/registry.ts";
import { shownLevels } from "../../chart/drawing/levels.ts";
import { cleanLevel, valueProblem } from "../../lines/levels.ts";
import type { Session } from "../../session.ts";
import { setLook } from "../../state/changes.ts";
import { contextOf } from "../../state/chart-state.ts";
import { fill, h, part } from "../dom.ts";

/** The fields of a row, which say what is wanted once they are read. */
interface Fields {
  row: HTMLElement;
  values: HTMLInputElement[];
  read(): Level;
}

const NEW_LINE: Level = { from: "", to: null, color: "grey", name: "" };
const NEW_BAND: Level = { from: "", to: "", color: "red", name: "" };

/** Connects the dialog, and opens it for a pane. */
export type OpenLevels = (pane: number) => void;

export function connectLevelDialog(dialog: HTMLDialogElement, session: Session): OpenLevels {
  let pane = 0;
  let fields: Fields[] = [];
  /** What it was opened with: as long as that stays, nobody has chosen anything. */
  let opened: readonly Level[] = [];
  const list = part(dialog, "rows");
  const tell = (text: string) => {
    part(dialog, "error").textContent = text;
  };

  const show = (levels: readonly Level[]) => {
    fields = levels.map((level, i) => fieldsOf(level, () => show(read().toSpliced(i, 1))));
    fill(list, ...fields.map(({ row }) => row));
    tell("");
  };
  const read = () => fields.map((own) => own.read());
  const add = (level: Level) => {
    if (fields.length >= MOST_LEVELS) return tell(`A chart has at most ${MOST_LEVELS} lines and zones.`);
    show([...read(), level]);
    fields.at(-1)!.values[0]!.focus();
  };

  function submit(): void {
    const { chart, catalog } = session.page;
    const context = contextOf(chart, catalog);
    const levels = read();
    for (const [i, { from, to }] of levels.entries()) {
      const isEmpty = from === "" && !to;
      const wrong = fields[i]!.values.find((input) => input.value.trim() !== "" && valueProblem(input.value, context));
      if (!isEmpty && !wrong) continue;
      const problem = wrong && valueProblem(wrong.value, context);
      tell(problem ? errorText(problem) : "A line needs a value, and a zone one end at least.");
      (wrong ?? fields[i]!.values[0]!).focus();
      return;
    }
    dialog.close();
    if (JSON.stringify(levels) === JSON.stringify(opened)) return;
    session.change((chart) => setLook(chart, pane, { levels }));
  }

  part(dialog, "add-line").addEventListener("click", () => add(NEW_LINE));
  part(dialog, "add-zone").addEventListener("click", () => add(NEW_BAND));
  part(dialog, "cancel").addEventListener("click", () => dialog.close());
  part(dialog, "usual").addEventListener("click", () => {
    dialog.close();
    session.change((chart) => setLook(chart, pane, { levels: null }));
  });
  part(dialog, "form").addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  return (of) => {
    pane = of;
    opened = shownLevels(session.page, pane).map(cleanLevel);
    part(dialog, "usual").hidden = session.page.chart.panes[pane]!.levels === null;
    show(opened.length > 0 ? opened : [NEW_LINE]);
    dialog.showModal();
    fields[0]!.values[0]!.focus();
  };
}

function fieldsOf(level: Level, remove: () => void): Fields {
  const isLine = level.to === null;
  const text = (value: string, hint: string) =>
    h("input", { value, placeholder: hint, autocomplete: "off", spellcheck: "false", maxlength: 200 });
  const values = isLine
    ? [text(level.from, "1.5, or sma(mvrv)")]
    : [text(level.from, "open"), text(level.to ?? "", "open")];
  const name = text(level.name, "no name");
  const color = h(
    "select",
    {},
    ...LEVEL_COLORS.map((one) => h("option", { value: one, selected: one === level.color }, one)),
  );
  const labelled = (title: string, field: HTMLElement, of = "") =>
    h("label", { class: of }, h("span", {}, title), field);
  const attributes = { type: "button", class: "remove", title: "Remove", onclick: remove };
  const row = h(
    "fieldset",
    { class: "level-row", "aria-label": isLine ? "Line" : "Zone" },
    ...values.map((field, i) => labelled(isLine ? "Line at" : i === 0 ? "Zone from" : "to", field)),
    labelled("Colour", color),
    labelled("Name", name, "wide"),
    h("button", { ...attributes, "aria-label": `Remove this ${isLine ? "line" : "zone"}` }, "×"),
  );
  const read = () =>
    cleanLevel({
      from: values[0]!.value,
      to: isLine ? null : values[1]!.value,
      color: color.value as LevelColor,
      name: name.value,
    });
  return { row, values, read };
}
