/** The menu of one line's style, which its mark in the legend opens. */

import { MARKS } from "../../../../data-schema/chart-link.ts";
import { COLORS, type LineStyle, PLAIN_STYLE, WIDTHS } from "../../lines/line-style.ts";
import type { Session } from "../../session.ts";
import { setLines } from "../../state/changes.ts";
import type { Trace } from "../../state/traces.ts";
import { h, swatch } from "../dom.ts";

interface Option {
  label: string;
  title: string;
  isPressed: boolean;
  style: Partial<LineStyle>;
}

/** The mark of a trace's line, as a button that opens the menu. */
export function styleMenu(trace: Trace & { line: number }, session: Session): HTMLElement {
  const { pane, line: place, name, color, style } = trace;
  const id = `style-${pane}-${place}`;
  /** Changes the styles of the pane's lines. The legend is made anew, and the menu of the same line stays open. */
  const restyle = (styleOf: (style: LineStyle, isOwn: boolean) => LineStyle) => {
    const focused = document.activeElement?.getAttribute("data-focus");
    session.change((chart) =>
      setLines(chart, pane, (lines) =>
        lines.map((line, i) => ({ ...line, style: styleOf(line.style ?? PLAIN_STYLE, i === place) })),
      ),
    );
    const next = document.getElementById(id);
    next?.showPopover();
    next?.querySelector<HTMLElement>(`[data-focus="${focused}"]`)?.focus();
  };
  const change = (changed: Partial<LineStyle>) => restyle((old, isOwn) => (isOwn ? { ...old, ...changed } : old));
  const option = (label: string, title: string, key: keyof LineStyle, value: LineStyle[typeof key]): Option => ({
    label,
    title,
    isPressed: style[key] === value,
    style: { [key]: value },
  });
  const rows: [title: string, options: Option[]][] = [
    [
      "Drawn as",
      [
        option("Auto", "As the others", "mark", null),
        ...MARKS.map((mark) => option(capital(mark), `Drawn as ${mark}`, "mark", mark)),
      ],
    ],
    [
      "Width",
      [
        option("Thin", "Thin", "width", WIDTHS[0]),
        option("Normal", "Normal", "width", null),
        option("Thick", "Thick", "width", WIDTHS[1]),
      ],
    ],
    [
      "Axis",
      [option("Left", "Axis on the left", "isRight", false), option("Right", "Axis on the right", "isRight", true)],
    ],
  ];
  const button = ({ label, title, isPressed, style }: Option) =>
    h(
      "button",
      {
        type: "button",
        title,
        "aria-pressed": String(isPressed),
        onclick: () => change(style),
        "data-focus": `${id}-${label}`,
      },
      label,
    );
  const colors = COLORS.map((number) =>
    h(
      "button",
      {
        type: "button",
        class: "color",
        "aria-label": `Colour ${number}`,
        "aria-pressed": String(style.color === number),
        onclick: () => change({ color: style.color === number ? null : number }),
        "data-focus": `${id}-c${number}`,
      },
      swatch(`--series-${number}`),
    ),
  );
  const group = (title: string, ...buttons: HTMLElement[]) =>
    h("fieldset", { class: "segments", "aria-label": title }, ...buttons);
  const menu = h(
    "div",
    { popover: "auto", id, class: "style-menu", role: "dialog", "aria-label": `How ${name} is drawn` },
    ...rows.map(([title, options]) => group(title, ...options.map(button))),
    group("Colour", ...colors),
    h(
      "div",
      { class: "style-actions" },
      h(
        "button",
        { type: "button", onclick: () => change({ isOff: !style.isOff }), "data-focus": `${id}-off` },
        style.isOff ? "Show" : "Hide",
      ),
      h(
        "button",
        {
          type: "button",
          onclick: () => restyle((old, isOwn) => ({ ...old, isOff: !isOwn })),
          "data-focus": `${id}-only`,
        },
        "Only this",
      ),
    ),
  );
  const opener = h(
    "button",
    {
      type: "button",
      class: "style-opener",
      popovertarget: id,
      "aria-label": `How ${name} is drawn`,
      title: "Mark, colour, width and axis",
      "data-focus": `${id}-open`,
    },
    swatch(color),
  );
  menu.addEventListener("beforetoggle", (event) => {
    if ((event as ToggleEvent).newState !== "open") return;
    const { left, bottom } = opener.getBoundingClientRect();
    menu.style.left = `${Math.max(4, Math.min(left, innerWidth - MENU_WIDTH))}px`;
    menu.style.top = `${bottom + 4}px`;
  });
  return h("span", { class: "style" }, opener, menu);
}

/** Pixels that the menu takes. */
const MENU_WIDTH = 280;

const capital = (word: string) => word[0]!.toUpperCase() + word.slice(1);
