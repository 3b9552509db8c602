/** How a single line is drawn, where that was chosen. In a link, `style` has a text for each line of its pane: `,bars.c3.right`. */

import { MARKS } from "../../../data-schema/chart-link.ts";

export interface LineStyle {
  /** Null: that of the pane. */
  mark: (typeof MARKS)[number] | null;
  /** One of the colours of series, from 1; null: by its place. */
  color: number | null;
  width: (typeof WIDTHS)[number] | null;
  /** Whether its axis is on the right. */
  isRight: boolean;
  /** Whether it isn't drawn. */
  isOff: boolean;
}

export const WIDTHS = ["thin", "thick"] as const;
export const COLORS = [1, 2, 3, 4, 5, 6] as const;

export const PLAIN_STYLE: LineStyle = { mark: null, color: null, width: null, isRight: false, isOff: false };

/** What each word of a text changes. */
const WORDS = new Map<string, Partial<LineStyle>>([
  ...MARKS.map((mark) => [mark, { mark }] as const),
  ...COLORS.map((color) => [`c${color}`, { color }] as const),
  ...WIDTHS.map((width) => [width, { width }] as const),
  ["right", { isRight: true }],
  ["off", { isOff: true }],
]);

/** @returns undefined for a text that isn't one */
export function parseStyle(text: string): LineStyle | undefined {
  const changes = text === "" ? [] : text.split(".").map((word) => WORDS.get(word));
  return changes.includes(undefined) ? undefined : Object.assign({}, PLAIN_STYLE, ...changes);
}

export const formatStyle = ({ mark, color, width, isRight, isOff }: LineStyle): string =>
  [mark, color && `c${color}`, width, isRight && "right", isOff && "off"].filter(Boolean).join(".");
