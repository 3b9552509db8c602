/**
 * Random formulas at the Worker, spelled in random ways: an answer has the values that the formula's tree has by its
 * definition, and what is wrong is told with its place. Long ones are computed up to the stated limits, and refused above.
 */

import fc from "fast-check";
import { FORMULA_NAMES } from "../../data-schema/formula/measures.ts";
import { readFormula } from "../../data-schema/formula/resolve.ts";
import { print, type Shape } from "../data-schema/formula/spelled.ts";
import { toleranceOf } from "../explorer/formula/tolerance.ts";
import { publish } from "../worker/token.ts";
import type { Attack, Target } from "./attack.ts";
import { ASSETS, type FormulaResolution, formulaTrees, MARK, seriesName, tokenOf, withFault } from "./formula-trees.ts";
import { NotSquared, namesIn, spelledOut, valuesOf } from "./formula-values.ts";
import { type RunningWorker, startWorker } from "./worker.ts";

/** A formula in one of its spellings. */
interface Spelled {
  shape: Shape;
  text: string;
}

type Case =
  | { kind: "right"; resolution: FormulaResolution; formulas: Spelled[]; range: (typeof RANGES)[number] }
  | { kind: "wrong"; text: string; before: string; message: RegExp }
  | { kind: "inserted"; text: string; at: number; extra: string }
  | { kind: "long"; long: keyof typeof LONG; count: number };

const RANGES = ["", "", "&last=3", "&s=2024-01-02T12:00", "&u=2024-01-02"] as const;

const choices = fc.infiniteStream(fc.nat(1 << 20));

/** So much fits into a formula, after what is inserted. */
const MOST = 990;

const spelled = (shapes: fc.Arbitrary<Shape>): fc.Arbitrary<Spelled> =>
  fc
    .tuple(shapes, choices)
    .map(([shape, stream]) => ({ shape, text: print(shape, (ways) => stream.next().value! % ways).trim() }))
    .filter(({ text, shape }) => text.length < MOST && new Set(namesIn(spelledOut(shape)).map(seriesName)).size <= 20);

/** Characters without a meaning in formulas. */
const MEANINGLESS = ["#", "^", "é", "!", "%", "~", "\0", "]", "&", "\\", "`", "🙂", "\u202e", "\u{1d465}"];

/** Where a character can be inserted: not within quotes, where it would mean itself. */
function insertions(text: string): number[] {
  const places: number[] = [];
  let quote = "";
  for (let at = 0; at <= text.length; at++) {
    if (quote === "") places.push(at);
    const character = text[at]!;
    if (quote === character) quote = "";
    else if (quote === "" && (character === '"' || character === "'")) quote = character;
  }
  return places;
}

/** Formulas of any length: up to a limit they are computed, and above it they are refused at a place. */
const LONG = {
  characters: {
    limit: 1000,
    text: (count: number) => `price${" ".repeat(Math.max(0, count - 7))}+1`,
    detail: () => "A formula has at most 1000 characters. See character 1001 of x.",
  },
  brackets: {
    limit: 50,
    text: (count: number) => `${"(".repeat(count)}price${")".repeat(count)}`,
    detail: () => "The formula has too many brackets inside each other. See character 51 of x.",
  },
  calls: {
    limit: 50,
    text: (count: number) => `${"abs(".repeat(count)}price${")".repeat(count)}`,
    detail: () => "The formula has too many brackets inside each other. See character 204 of x.",
  },
  signs: {
    limit: 50,
    text: (count: number) => `${"-".repeat(count)}price`,
    detail: () => "The formula has too many signs in a row. See character 51 of x.",
  },
  series: {
    limit: 20,
    text: (count: number) => Array.from({ length: count }, (_, i) => `N${i + 10}.price`).join("+"),
    detail: () => "A formula has at most 20 series. See character 201 of x.",
  },
  formulas: {
    limit: 20,
    text: (count: number) => Array.from({ length: count }, (_, i) => `f${i}=price`).join(";"),
    detail: (count: number) => `x takes up to 20 formulas, not ${count}.`,
  },
} as const satisfies Record<string, { limit: number; text(count: number): string; detail(count: number): string }>;

const long = fc.constantFrom(...(Object.keys(LONG) as (keyof typeof LONG)[])).chain((long) =>
  fc.record({
    kind: fc.constant("long" as const),
    long: fc.constant(long),
    count: fc.oneof(
      fc.constantFrom(0, 1, 2).map((more) => LONG[long].limit + more),
      fc.integer({ min: 1, max: long === "characters" ? 15_000 : LONG[long].limit * 3 }),
    ),
  }),
);

const right = fc.constantFrom<FormulaResolution[]>("day", "day", "hour").chain((resolution) =>
  fc.record({
    kind: fc.constant("right" as const),
    resolution: fc.constant(resolution),
    formulas: fc.array(spelled(formulaTrees(resolution)), { minLength: 1, maxLength: 3 }),
    range: fc.constantFrom(...RANGES),
  }),
);
/** Formulas before it, which are right. */
const before = fc.constantFrom("", " ;", "a=price; ", "sma( sopr,3) ;b =");
const wrong = fc
  .tuple(withFault(formulaTrees("day")), choices, before)
  .map(([{ shape, message }, stream, before]): Case => {
    const text = print(shape, (ways) => stream.next().value! % ways);
    return { kind: "wrong", text, before, message };
  });
const inserted = fc
  .tuple(spelled(formulaTrees("day")), fc.nat(), fc.constantFrom(...MEANINGLESS))
  .map(([{ text }, n, extra]): Case => {
    const places = insertions(text);
    return { kind: "inserted", text, at: places[n % places.length]!, extra };
  });

type Values = ReadonlyMap<number, number>;

interface Answer {
  t: number[];
  series: { v: (number | null)[] }[];
}

class Formulas implements Target<Case> {
  readonly cases: fc.Arbitrary<Case> = fc.oneof(
    { weight: 6, arbitrary: right },
    { weight: 2, arbitrary: wrong },
    { weight: 2, arbitrary: inserted },
    { weight: 1, arbitrary: long },
  );
  readonly #worker: RunningWorker;
  /** The points of each series, by its name after the resolution. */
  readonly #points = new Map<string, Values>();

  private constructor(worker: RunningWorker) {
    this.#worker = worker;
  }

  static async open(): Promise<Formulas> {
    const worker = await startWorker("worker/index.ts");
    for (const symbol of ASSETS) await publish(await worker.bucket(), tokenOf(symbol));
    return new Formulas(worker);
  }

  async attempt(one: Case): Promise<number> {
    switch (one.kind) {
      case "right":
        return this.#compare(one);
      case "wrong": {
        const at = one.before.length + one.text.indexOf(MARK);
        const x = one.before + one.text.replace(MARK, "");
        // Quotes and brackets around what is wrong are part of it.
        await this.#expectRefused(x, at, one.message, /^[("'\s:]*$/);
        return 1;
      }
      case "inserted": {
        const { text, at, extra } = one;
        // A selector is wrong as a whole.
        await this.#expectRefused(text.slice(0, at) + extra + text.slice(at), at, /^\S/, /^[^\s()*/,]*$/);
        return 1;
      }
      case "long":
        await this.#expectLong(one);
        return 1;
    }
  }

  /** Fails unless an answer has the values of its formulas, in the rows where they have points. */
  async #compare({ resolution, formulas, range }: Extract<Case, { kind: "right" }>): Promise<number> {
    const x = formulas.map(({ text }, i) => (formulas.length === 1 ? text : ` f${i} = ${text}`)).join(";");
    const { status, text } = await this.#ask(x, `&r=${resolution}${range}`);
    if (status !== 200) throw new Error(`${JSON.stringify(x)}: ${status} ${text}`);
    const { t, series } = JSON.parse(text) as Answer;
    const expected = await Promise.all(formulas.map((formula) => this.#valuesOf(formula, resolution)));
    const rows = inRange(
      [...new Set(expected.flatMap(({ values }) => [...values.keys()]))].sort((a, b) => a - b),
      range,
    );
    if (rows.join() !== t.join())
      throw new Error(`${JSON.stringify(x)}: other rows, ${t.length} and not ${rows.length}`);
    for (const [i, { values, tolerances }] of expected.entries()) {
      for (const [row, time] of t.entries()) {
        const [found, right] = [series[i]!.v[row] ?? Number.NaN, values.get(time) ?? Number.NaN];
        const tolerance = tolerances.get(time) ?? 0;
        if (isEqual(found, right, tolerance)) continue;
        const where = `${JSON.stringify(formulas[i]!.text)} at ${new Date(time * 1000).toISOString()}`;
        throw new Error(`${where} is ${found}, and not ${right} ± ${tolerance}`);
      }
    }
    return formulas.length;
  }

  /** What a formula is by its definition, by the time of its row, and how far rounding may take it. */
  async #valuesOf({ shape, text }: Spelled, resolution: FormulaResolution) {
    const whole = spelledOut(shape);
    const names = [...new Set(namesIn(whole).map(seriesName))];
    const points = new Map<string, Values>();
    for (const name of names) points.set(name, await this.#pointsOf(name, resolution));
    const t = [...new Set([...points.values()].flatMap((values) => [...values.keys()]))].sort((a, b) => a - b);
    const columnOf = (name: string) => t.map((time) => points.get(name)!.get(time) ?? Number.NaN);
    const byTime = (column: ArrayLike<number>) => new Map(t.map((time, row) => [time, column[row]!]));
    let values: readonly number[];
    try {
      values = valuesOf(whole, t, (name) => columnOf(seriesName(name)));
    } catch (error) {
      if (!(error instanceof NotSquared)) throw error;
      return { values: byTime(t), tolerances: byTime(t.map(() => Number.POSITIVE_INFINITY)) };
    }
    const formula = readFormula(text, FORMULA_NAMES);
    const columns = formula.inputs.map(({ asset, metric, selector }) =>
      Float64Array.from(columnOf(seriesName({ kind: "name", asset: asset || null, name: metric, selector }))),
    );
    const tolerance = toleranceOf(formula, columns, Float64Array.from(t));
    return { values: byTime(values), tolerances: byTime(tolerance) };
  }

  /** The points of a series, as the Worker gives them without a formula. */
  async #pointsOf(name: string, resolution: FormulaResolution): Promise<Values> {
    const known = this.#points.get(`${resolution} ${name}`);
    if (known) return known;
    const [asset, metric, selector] = name.split(":");
    const query = new URLSearchParams({ a: asset!, m: metric!, c: selector!, r: resolution, time: "unix" });
    const response = await this.#worker.ask(`/v3/series?${query}`);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${name} by ${resolution}: ${text}`);
    const { t, series } = JSON.parse(text) as Answer;
    const points = new Map(t.map((time, row) => [time, series[0]!.v[row] ?? Number.NaN]));
    this.#points.set(`${resolution} ${name}`, points);
    return points;
  }

  /**
   * Fails unless a formula is refused with a place.
   *
   * @param at where something is wrong
   * @param between what may stand between the place and it
   */
  async #expectRefused(x: string, at: number, message: RegExp, between: RegExp): Promise<void> {
    const { status, text } = await this.#ask(x);
    const { detail = "", parameter } = status === 400 ? JSON.parse(text) : {};
    const place = Number(/ See character (\d+) of x\./.exec(detail)?.[1]) - 1;
    const isRight = parameter === "x" && message.test(detail) && place <= at && between.test(x.slice(place, at));
    if (!isRight)
      throw new Error(`${JSON.stringify(x)}, wrong at character ${at + 1}: ${status} ${text.slice(0, 300)}`);
  }

  async #expectLong({ long, count }: Extract<Case, { kind: "long" }>): Promise<void> {
    const { limit, text: textOf, detail } = LONG[long];
    const { status, text } = await this.#ask(textOf(count));
    const told = `${count} ${long}: ${status} ${text.slice(0, 300)}`;
    if (count > limit && !(status === 400 && JSON.parse(text).detail === detail(count))) throw new Error(told);
    // No series of invented assets can be read.
    const isFound = long === "series" ? status >= 400 && !text.includes("See character 201") : status === 200;
    if (count <= limit && !isFound) throw new Error(told);
  }

  async #ask(x: string, more = "") {
    const response = await this.#worker.ask(`/v3/series?a=${ASSETS[0]}&time=unix&x=${encodeURIComponent(x)}${more}`);
    return { status: response.status, text: await response.text() };
  }

  close(): Promise<void> {
    return this.#worker.close();
  }
}

/** What is not finite is missing. Where nothing can be said, anything is right. */
function isEqual(found: number, right: number, tolerance: number): boolean {
  if (!Number.isFinite(tolerance)) return true;
  if (!Number.isFinite(right)) return Number.isNaN(found);
  return Math.abs(found - right) <= tolerance;
}

/** The times that a range asks for. */
function inRange(times: readonly number[], range: Extract<Case, { kind: "right" }>["range"]): readonly number[] {
  const bound = new URLSearchParams(range);
  const [since, until, last] = ["s", "u", "last"].map((name) => bound.get(name));
  const [from, to] = [since, until].map((time) => time && Date.parse(`${time}Z`) / 1000);
  const kept = times.filter((time) => time >= (from || 0) && time <= (to || Number.POSITIVE_INFINITY));
  return last ? kept.slice(-Number(last)) : kept;
}

export const formulas: Attack = {
  name: "formulas",
  unit: "formulas",
  open: async () => (await Formulas.open()) as Target,
};
