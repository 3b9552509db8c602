/** How often a line has had which values, and where the last one is among them. */

import { compact, short } from "../format/numbers.ts";
import { dateText } from "../format/time.ts";
import { type Finding, nothing, pointsOf, type StudyInput } from "./finding.ts";
import { type Bin, binsOf, shareBelow } from "./histogram.ts";
import { planeOf, type Scene } from "./scene.ts";
import { ascending, meanOf, quantileOf } from "./statistics.ts";

const HEIGHT = 300;
const SHARES = [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1];

export function showHistogram({ curves, t, from, to, isLog }: StudyInput): Finding {
  const [curve] = curves;
  if (!curve) return nothing("Histogram", "There is no line to count the values of.");
  const { name, unit, color } = curve;
  const { t: times, v: values } = pointsOf(curve, t, from, to);
  const title = `Histogram of ${name}`;
  if (values.length < 2) return nothing(title, "Fewer than two values are shown: there is nothing to count.");
  const hasLog = isLog && values.every((value) => value > 0);
  const bins = binsOf(values, hasLog);
  const last = values.at(-1)!;
  const sorted = ascending(values);
  const beyond = values.filter((value) => value < bins[0]!.from || value >= bins.at(-1)!.to).length;
  const draw = (width: number): Scene => {
    const most = bins.reduce((most, { count }) => Math.max(most, count), 1);
    const x = {
      min: bins[0]!.from,
      max: bins.at(-1)!.to,
      isLog: hasLog,
      title: name,
      label: (tick: number) => compact(tick, unit),
    };
    const wide = x.max > x.min ? x : { ...x, min: x.min - 1, max: x.max + 1, isLog: false };
    const y = {
      min: 0,
      max: most * 1.08,
      isLog: false,
      title: "values",
      label: (tick: number) => compact(tick, "count"),
    };
    const { shapes, px, py, bottom, top, left, right } = planeOf(width, HEIGHT, wide, y, []);
    for (const bin of bins) {
      const { x, width } = bins.length === 1 ? { x: left, width: right - left } : spanOf(bin, px);
      const box = { x, width, y: py(bin.count), height: bottom - py(bin.count), color, alpha: 0.75 };
      shapes.push({ kind: "box", ...box });
    }
    const at = Math.max(left, Math.min(right, px(last)));
    shapes.push({ kind: "box", x: at - 1, y: top, width: 2, height: bottom - top, color: "--ink", alpha: 1 });
    const isRight = at > (left + right) / 2;
    const text = `last: ${short(last, unit)}`;
    shapes.push({
      kind: "text",
      x: at + (isRight ? -6 : 6),
      y: top + 4,
      text,
      color: "--ink",
      align: isRight ? "right" : "left",
    });
    return { height: HEIGHT, shapes };
  };
  const figures = SHARES.map((share) => ({ text: short(quantileOf(sorted, share), unit) }));
  return {
    title,
    sentences: [
      `The last value, ${short(last, unit)} of ${dateText(times.at(-1)!)}, is ${placeText(shareBelow(last, values), values)}.`,
      beyond > 0
        ? `The first and the last bar also hold ${beyond === 1 ? "a value" : `${short(beyond, "count")} values`} beyond them.`
        : "",
    ],
    draw,
    table: {
      caption: `Percentiles of ${name}`,
      head: ["", "Lowest", "5 %", "25 %", "Median", "75 %", "95 %", "Highest", "Mean"],
      rows: [
        { name: `${short(values.length, "count")} values`, cells: [...figures, { text: short(meanOf(values), unit) }] },
      ],
    },
  };
}

function placeText(rank: number, values: readonly number[]): string {
  const others = `the other ${short(values.length - 1, "count")}`;
  if (rank === 1) return `the highest of all ${short(values.length, "count")}`;
  if (rank === 0)
    return values.every((value) => value === values[0]) ? "the same as all others" : "no higher than any other";
  return `higher than ${short(rank, "share")} of ${others}`;
}

/** With a pixel between it and the next. */
function spanOf({ from, to }: Bin, px: (value: number) => number): { x: number; width: number } {
  return { x: px(from), width: Math.max(1, px(to) - px(from) - 1) };
}
