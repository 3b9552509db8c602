/** Text and legends in rows that are no wider than a picture. */

import { firstIndex } from "../../../data-schema/search.ts";

/** The width of a text in pixels. */
export type TextWidth = (text: string) => number;

/** A text in lines, broken between words. A word that is too long, such as an address, is broken anywhere. */
export function wrapText(text: string, width: number, measure: TextWidth): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (measure(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== "") lines.push(line);
    let rest = word;
    for (let fits = fitting(rest, width, measure); fits < rest.length; fits = fitting(rest, width, measure)) {
      lines.push(rest.slice(0, fits));
      rest = rest.slice(fits);
    }
    line = rest;
  }
  return line === "" ? lines : [...lines, line];
}

/** How many characters of a word fit; at least one. */
const fitting = (word: string, width: number, measure: TextWidth): number =>
  Math.max(
    1,
    firstIndex(word.length, (index) => measure(word.slice(0, index + 1)) > width),
  );

/** Where an item of a flow is: its row, and pixels from the left. */
export interface Place {
  row: number;
  x: number;
}

/** Puts items side by side, and into the next row where one doesn't fit. */
export function flow(widths: readonly number[], gap: number, width: number): Place[] {
  let [row, x] = [0, 0];
  return widths.map((own) => {
    if (x > 0 && x + own > width) [row, x] = [row + 1, 0];
    const place = { row, x };
    x += own + gap;
    return place;
  });
}

/** Where a tile is, in pixels from the grid's corner. */
interface TilePlace {
  column: number;
  top: number;
}

/**
 * Puts tiles into rows as the page's grid does: a row is as high as its highest tile.
 *
 * @returns their places, and the height of all rows
 */
export function placeTiles(
  tiles: readonly { isWide: boolean; height: number }[],
  columns: number,
  gap: number,
): { places: TilePlace[]; height: number } {
  const places: TilePlace[] = [];
  let [column, top, row] = [0, 0, 0];
  const nextRow = () => {
    if (column > 0) top += row + gap;
    [column, row] = [0, 0];
  };
  for (const { isWide, height } of tiles) {
    if (isWide || column === columns) nextRow();
    places.push({ column, top });
    row = Math.max(row, height);
    column = isWide ? columns : column + 1;
  }
  nextRow();
  return { places, height: Math.max(0, top - gap) };
}
