/** What a study draws: shapes in pixels, for the page and for pictures. Colours are custom properties of the style sheet. */

import { logTicks } from "../chart/log-ticks.ts";
import { fewMultiples, multiplesWithin, niceStep } from "../chart/multiples.ts";

export type Shape =
  /** Numbers come in pairs of x and y. */
  | { kind: "line"; points: number[]; color: string; width: number }
  /** A colour for each pair. */
  | { kind: "dots"; points: number[]; colors: readonly string[]; radius: number }
  | { kind: "box"; x: number; y: number; width: number; height: number; color: string; alpha: number }
  | { kind: "text"; x: number; y: number; text: string; color: string; align: "left" | "center" | "right" };

export interface Scene {
  height: number;
  shapes: Shape[];
}

export interface AxisOf {
  min: number;
  max: number;
  isLog: boolean;
  title: string;
  label(tick: number): string;
}

/** Where a plot is, its axes, and the pixels of a value. */
export interface Plane {
  shapes: Shape[];
  left: number;
  right: number;
  top: number;
  bottom: number;
  px(value: number): number;
  py(value: number): number;
}

const PADDING = { left: 64, right: 18, bottom: 42 };
/** Pixels of a character of a label, about. */
const CHARACTER = 6.4;
const LEGEND_ROW = 18;

export const MUTED = "--muted";
/** Time as a colour, from the earliest to the latest. */
export const RAMP: readonly string[] = Array.from({ length: 15 }, (_, i) => `--ramp-${i + 1}`);

/** The colour of a place between the earliest, 0, and the latest, 1. */
export const rampColor = (part: number): string =>
  RAMP[Math.max(0, Math.min(RAMP.length - 1, Math.floor(part * RAMP.length)))]!;

/** A plane with ticks, labels and grid, and above it a legend in as many rows as it needs. */
export function planeOf(
  width: number,
  height: number,
  x: AxisOf,
  y: AxisOf,
  legend: readonly { text: string; color: string }[],
): Plane {
  const shapes: Shape[] = [];
  let [row, at] = [0, PADDING.left];
  for (const { text, color } of legend) {
    const wide = 18 + text.length * CHARACTER;
    if (at > PADDING.left && at + wide > width - PADDING.right) [row, at] = [row + 1, PADDING.left];
    const middle = 12 + row * LEGEND_ROW;
    shapes.push({ kind: "box", x: at, y: middle - 2, width: 12, height: 4, color, alpha: 1 });
    shapes.push({ kind: "text", x: at + 17, y: middle, text, color: "--soft", align: "left" });
    at += wide + 16;
  }
  // The title of the vertical axis lies above it, in a row of its own.
  const top = 12 + (legend.length > 0 ? (row + 1) * LEGEND_ROW : 0) + LEGEND_ROW;
  const [left, right, bottom] = [PADDING.left, width - PADDING.right, height - PADDING.bottom];
  const px = placed(x, left, right);
  const py = placed(y, bottom, top);
  for (const tick of ticksOf(y, Math.max(2, Math.floor((bottom - top) / 44)))) {
    shapes.push({ kind: "box", x: left, y: py(tick), width: right - left, height: 1, color: "--grid", alpha: 1 });
    shapes.push({ kind: "text", x: left - 8, y: py(tick), text: y.label(tick), color: MUTED, align: "right" });
  }
  for (const tick of ticksOf(x, Math.max(2, Math.floor((right - left) / 90)))) {
    shapes.push({ kind: "text", x: px(tick), y: bottom + 12, text: x.label(tick), color: MUTED, align: "center" });
  }
  shapes.push({ kind: "text", x: 8, y: top - 14, text: y.title, color: MUTED, align: "left" });
  shapes.push({ kind: "text", x: (left + right) / 2, y: bottom + 30, text: x.title, color: MUTED, align: "center" });
  return { shapes, left, right, top, bottom, px, py };
}

function placed({ min, max, isLog }: AxisOf, from: number, to: number): (value: number) => number {
  const scaled = isLog ? Math.log : (value: number) => value;
  const [low, high] = [scaled(min), scaled(max)];
  return (value) => from + ((to - from) * (scaled(value) - low)) / (high - low);
}

function ticksOf({ min, max, isLog }: AxisOf, most: number): number[] {
  if (isLog) return logTicks(min, max, most);
  const ticks = multiplesWithin(min, max, niceStep((max - min) / most));
  return ticks.length >= 2 ? ticks : fewMultiples(min, max);
}

/** The least and the greatest of some numbers, a little apart even where they are equal. */
export function extentOf(values: readonly number[], isLog = false): { min: number; max: number } {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) [min, max] = [Math.min(min, value), Math.max(max, value)];
  if (isLog) {
    const spare = Math.max(1.02, (max / min) ** 0.04);
    return { min: min / spare, max: max * spare };
  }
  const spare = (max - min) * 0.04 || Math.abs(max) * 0.1 || 1;
  return { min: min - spare, max: max + spare };
}
