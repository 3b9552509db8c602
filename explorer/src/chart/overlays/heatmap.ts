/** A heatmap below the lines of a plot, and what it holds under the pointer. */

import type uPlot from "uplot";
import { cellAt, columnAt, type Heat, intensity } from "../../data/heat.ts";
import { cellText } from "../../data/heat-text.ts";
import type { Scale } from "../../state/chart-state.ts";
import type { DrawnHeat } from "../drawing/drawing.ts";

/** Colours of the style sheet's ramp. */
const RAMP = 15;
/** Below this intensity, a colour fades into the background. */
const FAINT = 0.06;
/** Intensities that are told apart. */
const LEVELS = 256;

type Rgb = readonly [red: number, green: number, blue: number];

/** The colours of each distribution's cells, by the ramp that they are of. */
const colored = new WeakMap<Heat, Map<string, Uint32Array>>();

/**
 * Each pixel takes the colour of the cell that it lies in: scaling a picture of all cells takes ten times as long.
 *
 * @param color the colour of a custom property, as `rgb(31, 79, 216)`
 */
export function drawHeat(plot: uPlot, heat: DrawnHeat | null, color: (property: string) => string): void {
  if (heat === null) return;
  const { ctx, bbox } = plot;
  const { edges, buckets } = heat.cells;
  const cells = colorsOf(heat.cells, heat.colors, color);
  const [width, height] = [Math.round(bbox.width), Math.round(bbox.height)];
  // A frame may be of any size.
  if (width < 1 || height < 1) return;
  const place = (value: number, axis: string, start: number) => Math.round(plot.valToPos(value, axis, true) - start);
  const columns = new Int32Array(width).fill(-1);
  const lefts = edges.map((edge) => place(edge, "x", bbox.left));
  for (let column = 0; column < edges.length - 1; column++) {
    // Without a negative end, which would count from the right.
    columns.fill(column, Math.max(0, lefts[column]!), Math.max(0, lefts[column + 1]!));
  }
  const rows = new Int32Array(height).fill(-1);
  for (const [row, { from, to }] of buckets.entries()) {
    const [top, bottom] = [place(to, heat.axis, bbox.top), place(from, heat.axis, bbox.top)];
    rows.fill(row, Math.max(0, top), Math.max(0, bottom, top + 1));
  }
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  for (let y = 0; y < height; y++) {
    const row = rows[y]!;
    if (row < 0) continue;
    const start = row * (edges.length - 1);
    for (let x = 0; x < width; x++) {
      const column = columns[x]!;
      if (column >= 0) pixels[y * width + x] = cells[start + column]!;
    }
  }
  context.putImageData(image, 0, 0);
  ctx.imageSmoothingEnabled = false;
  ctx.drawImage(canvas, bbox.left, bbox.top);
}

/** The colour of each cell, as the bytes of a pixel. */
function colorsOf(heat: Heat, colors: Scale, color: (property: string) => string): Uint32Array {
  const ramp = Array.from({ length: RAMP }, (_, i) => rgbOf(color(`--ramp-${i + 1}`)));
  // The fullest stands out most from the background: the darkest on a light one.
  if (luminance(rgbOf(color("--surface"))) < 0.5) ramp.reverse();
  const key = `${colors} ${ramp[0]}`;
  const own = colored.get(heat) ?? new Map<string, Uint32Array>();
  colored.set(heat, own);
  const known = own.get(key);
  if (known) return known;
  const palette = Uint32Array.from({ length: LEVELS }, (_, level) => pixelOf(level / (LEVELS - 1), ramp));
  const pixels = Uint32Array.from(heat.values, (tokens) =>
    tokens > 0 ? palette[Math.round(intensity(tokens, heat.most, colors) * (LEVELS - 1))]! : 0,
  );
  own.set(key, pixels);
  return pixels;
}

/** A colour between those of the ramp, as the bytes of a pixel. */
function pixelOf(part: number, ramp: readonly Rgb[]): number {
  const place = part * (ramp.length - 1);
  const low = Math.min(ramp.length - 2, Math.floor(place));
  const mixed = ramp[low]!.map((value, i) => Math.round(value + (ramp[low + 1]![i]! - value) * (place - low)));
  const alpha = Math.round(255 * Math.min(1, part / FAINT));
  return new Uint32Array(Uint8Array.of(...mixed, alpha).buffer)[0]!;
}

const rgbOf = (color: string): Rgb => (color.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number) as unknown as Rgb;
const luminance = ([red, green, blue]: Rgb) => (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;

/** Tells what the cell under the pointer holds, in a corner of the plot. */
export function tellCells(plot: uPlot, { cells, axis, symbol }: DrawnHeat): void {
  const text = document.createElement("div");
  text.className = "heat-cell";
  text.hidden = true;
  plot.over.append(text);
  plot.over.addEventListener("pointermove", ({ offsetX, offsetY }) => {
    const column = columnAt(cells, plot.posToVal(offsetX, "x"));
    const cell = column < 0 ? undefined : cellAt(cells, column, plot.posToVal(offsetY, axis));
    text.hidden = !cell;
    if (cell) text.textContent = cellText(cell, cells, symbol);
  });
  plot.over.addEventListener("pointerleave", () => {
    text.hidden = true;
  });
}
