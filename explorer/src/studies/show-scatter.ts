/** Two series against each other, with time as colour, and how far they move together. */

import { compact, short } from "../format/numbers.ts";
import { dateText } from "../format/time.ts";
import { type Finding, nothing, type StudyInput } from "./finding.ts";
import { extentOf, planeOf, RAMP, rampColor, type Scene } from "./scene.ts";
import { pearson, spearman } from "./statistics.ts";

const HEIGHT = 420;
/** Pixels of a width at which all colours have room beside the title of an axis. */
const ROOMY = 560;
/** Fewer pairs say nothing. */
const FEWEST = 3;

export function showScatter({ curves, t, from, to, isLog, resolution }: StudyInput): Finding {
  const [one, other] = curves;
  if (!one || !other)
    return nothing("Scatter", "A scatter needs two lines: add another one to this chart, or the price.");
  const title = `${other.name} by ${one.name}`;
  const rows = Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i).filter(
    (row) => Number.isFinite(one.values[row]) && Number.isFinite(other.values[row]),
  );
  if (rows.length < FEWEST)
    return nothing(title, `Fewer than ${FEWEST} times have a value of both: nothing can be compared.`);
  const [x, y] = [one, other].map(({ values }) => rows.map((row) => values[row]!)) as [number[], number[]];
  const [dx, dy] = [x, y].map((values) => values.slice(1).map((value, i) => value - values[i]!)) as [
    number[],
    number[],
  ];
  const figure = (value: number) => ({
    text: Number.isNaN(value) ? "–" : value.toFixed(3).replace("-", "\u2212"),
  });
  const rowOf = (name: string, a: number[], b: number[]) => ({
    name,
    cells: [figure(pearson(a, b)), figure(spearman(a, b)), { text: short(a.length, "count") }],
  });
  const times = rows.map((row) => t[row]!);
  const draw = (width: number): Scene => {
    const hasLog = isLog && [...x, ...y].every((value) => value > 0);
    const axisOf = (values: number[], { name, unit }: typeof one) => ({
      ...extentOf(values, hasLog),
      isLog: hasLog,
      title: name,
      label: (tick: number) => compact(tick, unit),
    });
    const [first, last] = [times[0]!, times.at(-1)!];
    const legend = [
      { text: `from ${dateText(first)}`, color: RAMP[0]! },
      { text: `to ${dateText(last)}`, color: RAMP.at(-1)! },
    ];
    const plane = planeOf(width, HEIGHT, axisOf(x, one), axisOf(y, other), legend);
    const { shapes, px, py, right, top } = plane;
    const points = x.flatMap((value, i) => [px(value), py(y[i]!)]);
    const colors = times.map((time) => rampColor((time - first) / (last - first)));
    shapes.push({ kind: "dots", points, colors, radius: 2.5 });
    const [atX, atY] = points.slice(-2) as [number, number];
    shapes.push({ kind: "dots", points: [atX, atY], colors: ["--ink"], radius: 5 });
    shapes.push({ kind: "dots", points: [atX, atY], colors: [colors.at(-1)!], radius: 3.5 });
    if (width >= ROOMY) {
      for (const [i, color] of RAMP.entries()) {
        shapes.push({
          kind: "box",
          x: right - 8 * (RAMP.length - i),
          y: top - 18,
          width: 8,
          height: 8,
          color,
          alpha: 1,
        });
      }
    }
    return { height: HEIGHT, shapes };
  };
  return {
    title,
    sentences: [`A point for each ${resolution} with both; the ringed one is the last, of ${dateText(times.at(-1)!)}.`],
    draw,
    table: {
      caption: `Correlation of ${one.name} and ${other.name}`,
      head: ["", "Pearson", "Spearman", "Pairs"],
      rows: [rowOf("Of the values", x, y), rowOf("Of the changes since the pair before", dx, dy)],
    },
  };
}
