/** Cycles over each other: this drawdown among the earlier ones, years, lines from their first values, stretches from dates. */

import { MOST_CYCLES } from "../../../data-schema/chart-link.ts";
import { compact, short } from "../format/numbers.ts";
import { dateText } from "../format/time.ts";
import type { CycleStart } from "../state/study.ts";
import { type Cycle, cyclesSince, type Drawdown, drawdowns, partOn, yearStarts } from "./cycles.ts";
import { type Finding, nothing, pointsOf, type StudyCell, type StudyCurve, type StudyInput } from "./finding.ts";
import { extentOf, MUTED, planeOf, rampColor, type Scene } from "./scene.ts";

/** Earlier drawdowns that are shown: the deepest. */
const EARLIER = 5;
/** The fifth colour of lines is too near to the ink of the current one. */
const EARLIER_COLORS = ["--series-1", "--series-2", "--series-3", "--series-4", "--price"];
const HEIGHT = 320;
/** Values that are further apart than this lie on a log axis. */
const FAR_APART = 20;

interface Drawn {
  name: string;
  color: string;
  cycle: Cycle;
  /** Whether it is the one that the others are compared with. */
  isCurrent: boolean;
}

export function showCycles(input: StudyInput, since: CycleStart): Finding {
  const [curve] = input.curves;
  if (!curve) return nothing("Cycles", "There is no line to cut into cycles.");
  if (since === "high") return showDrawdowns(curve, input);
  const { title, drawn } =
    since === "first" ? sinceFirst(input) : since === "year" ? years(curve, input) : sinceDates(input, since);
  if (drawn.length === 0) {
    return nothing(title, "No line has a value above 0 there to begin with, so nothing can be indexed.");
  }
  const [age, percent] = [
    drawn.findLast(({ isCurrent }) => isCurrent)?.cycle.days.at(-1),
    (part: number) => compact(100 * part, "ratio"),
  ];
  const rows = drawn.map(({ name, color, cycle }) => ({
    name,
    color,
    cells: [
      { text: dateText(cycle.from) },
      { text: percent(cycle.parts.reduce((least, part) => Math.min(least, part))) },
      { text: percent(cycle.parts.reduce((most, part) => Math.max(most, part))) },
      { text: percent(cycle.parts.at(-1)!) },
      ...(age === undefined ? [] : [onDay(cycle, age, percent)]),
    ],
  }));
  const compared = age === undefined ? [] : [`On day ${dayText(age)}`];
  return {
    title,
    sentences: ["Each begins at 100, its first value."],
    draw: (width) => sceneOf(drawn, width, "100 at the start", percent, input.isLog),
    table: { caption: title, head: ["", "Since", "Lowest", "Highest", "Last", ...compared], rows },
  };
}

function showDrawdowns(curve: StudyCurve, { t }: StudyInput): Finding {
  const title = `Drawdowns of ${curve.name}`;
  const all = drawdowns(pointsOf(curve, t));
  if (all.length === 0) return nothing(title, "There is none: no value is lower than one before it.");
  const current = all.find(({ isOpen }) => isOpen);
  const earlier = all
    .filter(({ isOpen }) => !isOpen)
    .sort((a, b) => a.low - b.low)
    .slice(0, EARLIER);
  const drawn = [...earlier, ...(current ? [current] : [])].map((cycle, i): Drawn & { cycle: Drawdown } => ({
    name: `From ${dateText(cycle.from)}`,
    color: cycle.isOpen ? "--ink" : EARLIER_COLORS[i]!,
    cycle,
    isCurrent: cycle.isOpen,
  }));
  const fall = (part: number) => compact(part - 1, "share");
  const age = current?.days.at(-1);
  const rows = drawn.toReversed().map(({ name, color, cycle, isCurrent }) => ({
    name: isCurrent ? `${name}, this one` : name,
    color,
    isSummary: isCurrent,
    cells: [
      { text: fall(cycle.low) },
      { text: dayText(cycle.lowDay) },
      { text: isCurrent ? "not yet" : dayText(cycle.days.at(-1)!) },
      ...(age === undefined ? [] : [onDay(cycle, age, fall)]),
    ],
  }));
  const compared = age === undefined ? [] : [`On day ${dayText(age)}`];
  return {
    title,
    sentences: [currentText(current, all), countText(all.length - (current ? 1 : 0), earlier.length)],
    draw: (width) => sceneOf(drawn, width, "below the high", fall, false),
    table: { caption: title, head: ["", "Deepest", "after days", "over after days", ...compared], rows },
  };
}

function currentText(current: Drawdown | undefined, all: readonly Drawdown[]): string {
  if (!current) return "The last value is the highest of all: there is no drawdown now.";
  const deeper = all.filter(({ isOpen, low }) => !isOpen && low < current.low).length;
  const last = short(1 - current.parts.at(-1)!, "share");
  return `Day ${dayText(current.days.at(-1)!)} of this drawdown: ${last} below the high of ${dateText(current.from)}. ${deeper === 0 ? "No earlier one was" : deeper === 1 ? "One earlier one was" : `${deeper} earlier ones were`} deeper.`;
}

const countText = (count: number, shown: number): string =>
  count > shown ? `The ${shown} deepest of ${count} earlier ones are shown.` : "";

function onDay(cycle: Cycle, day: number, text: (part: number) => string): StudyCell {
  const part = partOn(cycle, day);
  return { text: part === undefined ? "over" : text(part) };
}

const dayText = (days: number): string => short(Math.round(days * 100) / 100, "count");

/** The values of each line from its first one. */
function sinceFirst({ curves, t }: StudyInput) {
  const drawn = curves.slice(0, MOST_CYCLES).flatMap((curve): Drawn[] => {
    const points = pointsOf(curve, t);
    return cyclesSince(points, points.t.slice(0, 1)).map((cycle) => ({
      name: curve.name,
      color: curve.color,
      cycle,
      isCurrent: false,
    }));
  });
  return { title: "Since the first value", drawn };
}

function years(curve: StudyCurve, { t }: StudyInput) {
  const points = pointsOf(curve, t);
  const drawn = ofOne(cyclesSince(points, yearStarts(points)), ({ from }) =>
    String(new Date(from * 1000).getUTCFullYear()),
  );
  return { title: `Years of ${curve.name}`, drawn };
}

/** The first line from each date to the next or, of one date, all lines. */
function sinceDates({ curves, t }: StudyInput, dates: readonly number[]) {
  const [first] = curves;
  if (dates.length > 1) {
    const drawn = ofOne(cyclesSince(pointsOf(first!, t), dates), ({ from }) => `Since ${dateText(from)}`);
    return { title: `${first!.name} since each date`, drawn };
  }
  const drawn = curves.slice(0, MOST_CYCLES).flatMap((curve): Drawn[] =>
    cyclesSince(pointsOf(curve, t), dates).map((cycle) => ({
      name: curve.name,
      color: curve.color,
      cycle,
      isCurrent: false,
    })),
  );
  return { title: `Since ${dateText(dates[0]!)}`, drawn };
}

/** The latest cycles of one line. The last stands out. */
function ofOne(all: readonly Cycle[], nameOf: (cycle: Cycle) => string): Drawn[] {
  const cycles = all.slice(-MOST_CYCLES);
  return cycles.map((cycle, i) => {
    const isCurrent = i === cycles.length - 1;
    return {
      name: nameOf(cycle),
      color: isCurrent ? "--ink" : rampColor((i + 0.5) / (cycles.length - 1)),
      cycle,
      isCurrent,
    };
  });
}

function sceneOf(
  drawn: readonly Drawn[],
  width: number,
  title: string,
  label: (part: number) => string,
  wantsLog: boolean,
): Scene {
  const all = drawn.flatMap(({ cycle }) => cycle.parts);
  const { min, max } = extentOf(all);
  const least = all.reduce((a, b) => Math.min(a, b));
  const isLog = title !== "below the high" && least > 0 && (wantsLog || max / least > FAR_APART);
  const last = Math.max(1, ...drawn.map(({ cycle }) => cycle.days.at(-1)!));
  const x = { min: 0, max: last, isLog: false, title: "days since the start", label: dayText };
  const y = { ...(isLog ? extentOf(all, true) : { min, max }), isLog, title, label };
  const legend = drawn.map(({ name, color }) => ({ text: name, color }));
  const { shapes, left, right, px, py } = planeOf(width, HEIGHT, x, y, legend);
  shapes.push({ kind: "box", x: left, y: py(1), width: right - left, height: 1, color: MUTED, alpha: 0.6 });
  for (const { cycle, color, isCurrent } of drawn) {
    const points = cycle.days.flatMap((day, i) => [px(day), py(cycle.parts[i]!)]);
    shapes.push({ kind: "line", points, color, width: isCurrent ? 2.5 : 1.5 });
  }
  return { height: HEIGHT, shapes };
}
