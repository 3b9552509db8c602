/** What is drawn of the curves that a chart has loaded: of a family, the parts that are chosen, and the rest. */

import { REST } from "../../data-schema/chart-link.ts";
import type { Asset } from "./api/catalog.ts";
import type { ChartData } from "./chart-data.ts";
import { lastValue, rowsWithin } from "./data/table.ts";
import { drawnColor, hue, MOST_PARTS } from "./lines/family-line.ts";
import type { ChartState } from "./state/chart-state.ts";
import { visibleBounds } from "./state/requests.ts";
import type { Trace } from "./state/traces.ts";

/** Curves and their data, a column each. */
export interface Curves {
  readonly traces: readonly Trace[];
  readonly data: ChartData;
}

/** A rest of less than this part of the whole is what rounding leaves. */
const ROUNDING = 1e-9;

/** A curve that is drawn. */
interface Choice {
  /** Its place among those that are loaded. */
  index: number;
  color: string;
  /** The whole and the parts that a rest lacks. */
  of: { whole: number; parts: number[] } | null;
}

/** Arranges the same curves again and again; what hasn't changed stays the same object, so that nobody draws it again. */
export class Arrangement {
  #curves: Curves | undefined;
  #key = "";
  #arranged: Curves | undefined;

  of(curves: Curves, chart: ChartState, asset: Asset | undefined): Curves {
    if (curves.traces.every(({ part }) => part === undefined)) return curves;
    const choices = choicesOf(curves, chart, asset);
    const key = JSON.stringify(choices);
    if (this.#arranged && this.#curves?.traces === curves.traces && this.#curves.data === curves.data) {
      if (key === this.#key) return this.#arranged;
    }
    this.#curves = curves;
    this.#key = key;
    this.#arranged = arranged(curves, choices);
    return this.#arranged;
  }
}

function choicesOf({ traces, data }: Curves, chart: ChartState, asset: Asset | undefined): Choice[] {
  const visible = rowsWithin(data.table, visibleBounds(chart, asset));
  const byLine = Map.groupBy([...traces.keys()], (i) => `${traces[i]!.pane} ${traces[i]!.line}`);
  return [...byLine.values()].flatMap((own): Choice[] => {
    const { pane, line: place } = traces[own[0]!]!;
    const line = place === null ? undefined : chart.panes[pane]?.lines[place];
    const plain = own.map((index) => ({ index, color: traces[index]!.color, of: null }));
    if (line?.kind !== "family") return plain;
    // What has failed has failed as one: a single curve says why.
    if (own.some((index) => data.problems[index])) return plain.slice(0, 1);
    const role = (wanted: string) => plain.filter(({ index }) => traces[index]!.part?.role === wanted);
    const [whole, parts, [rest]] = [role("whole"), role("part"), role("rest")];
    const isRanked = parts.some(({ index }) => traces[index]!.part?.color === null);
    const partOf = ({ index }: Choice) => traces[index]!.part!.value;
    const ranked = isRanked ? largest(parts, data, visible) : parts;
    // An exchange has the same colour in every zoom, and in the link of each.
    const all = { from: 0, to: data.table.t.length };
    const hues = isRanked ? huesOf(largest(parts, data, all).map(partOf), ranked.map(partOf)) : [];
    const coloured = (choice: Choice) => ({
      ...choice,
      color: drawnColor(hue(Math.max(0, hues.indexOf(partOf(choice)))), line),
    });
    const picked = isRanked ? ranked.map(coloured) : ranked;
    const isOn = (value: string) => (line.only === null ? !line.off.includes(value) : line.only === value);
    const shown = picked.filter((choice) => isOn(partOf(choice)));
    if (line.only !== null && shown.length === 0) {
      // The one that is shown may be none of the largest.
      shown.push(...parts.filter((choice) => partOf(choice) === line.only).map(coloured));
    }
    const of = { whole: whole[0]?.index ?? -1, parts: picked.map(({ index }) => index) };
    return [...whole, ...shown, ...(rest && isOn(REST) ? [{ ...rest, of }] : [])];
  });
}

/** The parts with the largest last visible values, in that order. Without data, none. */
function largest(parts: readonly Choice[], { table }: ChartData, visible: { from: number; to: number }): Choice[] {
  const last = ({ index }: Choice) => lastValue(table.columns[index] ?? table.t, visible.from, visible.to - 1) ?? 0;
  const isEmpty = ({ index }: Choice) =>
    !table.columns[index]?.subarray(visible.from, visible.to).some((value) => value > 0);
  return parts
    .filter((part) => !isEmpty(part))
    .map((part) => ({ part, size: last(part) }))
    .sort((a, b) => b.size - a.size)
    .slice(0, MOST_PARTS)
    .map(({ part }) => part);
}

/** Whose each hue is, once these are shown: the owners keep theirs, and the others take those of what isn't shown. */
function huesOf(owners: readonly string[], shown: readonly string[]): string[] {
  const next = [...owners];
  for (const value of shown.filter((value) => !owners.includes(value))) {
    const free = next.findIndex((owner) => !shown.includes(owner));
    next[free < 0 ? next.length : free] = value;
  }
  return next;
}

function arranged({ traces, data }: Curves, choices: readonly Choice[]): Curves {
  const { table } = data;
  const kept = choices.flatMap((choice) => {
    const trace: Trace = { ...traces[choice.index]!, color: choice.color };
    const loaded = table.columns[choice.index];
    if (choice.of === null || !loaded) return { trace, column: loaded, problem: data.problems[choice.index] ?? null };
    const column = restOf(choice.of, table.columns, trace.unit === "share");
    // Without a rest on any row, where there are only zeros or no numbers, there is no such part.
    return column.some(Boolean) ? { trace, column, problem: null } : [];
  });
  return {
    traces: kept.map(({ trace }) => trace),
    data: {
      ...data,
      table: { ...table, columns: kept.flatMap(({ column }) => column ?? []) },
      problems: data.problems.length > 0 ? kept.map(({ problem }) => problem) : [],
    },
  };
}

/**
 * What the parts leave out of the whole. Where one of them has no point, as by block, it is nothing there; and so is what is
 * left by the rounding of the others.
 */
function restOf(
  { whole, parts }: NonNullable<Choice["of"]>,
  columns: readonly Float64Array[],
  isShare: boolean,
): Float64Array {
  return columns[whole]!.map((total, row) => {
    // A whole of 0 has no shares.
    const all = isShare ? total / total : total;
    let rest = all;
    for (const part of parts) rest -= columns[part]![row]! || 0;
    return Math.abs(rest) <= ROUNDING * Math.abs(all) ? 0 : rest;
  });
}
