import { describe, expect, it } from "vitest";
import { FormulaError } from "../../../data-schema/formula.ts";
import { SCREENER_COLUMNS } from "../../../data-schema/stored/screener.ts";
import type { Catalog } from "../../../explorer/src/api/catalog.ts";
import {
  assetsLacking,
  readAddition,
  readColumn,
  readRowCondition,
} from "../../../explorer/src/screener/own-columns.ts";
import { catalog } from "../formula/catalog.ts";

const known = (name: string) => SCREENER_COLUMNS.find((column) => column.name === name)!;
const read = (text: string, own: Parameters<typeof readAddition>[2] = []) => readAddition(text, catalog, own);

describe("a formula becomes a column", () => {
  it("with the title of what it names, or its own name", () => {
    expect(read("mvrv_zscore")).toMatchObject({
      kind: "column",
      column: { name: "mvrv_zscore", title: "MVRV z-score", unit: "ratio", isFraction: false },
    });
    expect(read(" z = smooth(sopr, 30) ")).toMatchObject({
      kind: "column",
      column: { name: "z", title: "z", formula: "smooth(sopr, 30)" },
    });
    expect(read("price * 2")).toMatchObject({
      column: { title: "price * 2", unit: "usd_per_token", isFraction: true },
    });
  });

  it("or one that the table has, whose values come with the rows", () => {
    expect(readColumn("mvrv", catalog)).toBe(known("mvrv"));
    expect(readColumn("sum( netflow_dollar,7 )", catalog)).toBe(known("netflow_dollar_7d"));
  });
});

describe("a comparison becomes a filter", () => {
  it("of columns of the table, of own ones by name, of formulas and numbers", () => {
    expect(read("mvrv < 1")).toEqual({
      kind: "condition",
      condition: { left: known("mvrv"), comparison: "<", right: 1 },
    });
    expect(read("sopr_7d >= -0.5")).toMatchObject({
      condition: { left: known("sopr_7d"), comparison: ">=", right: -0.5 },
    });
    const z = readColumn("z = mvrv_zscore", catalog);
    if (z instanceof FormulaError) throw z;
    expect(read("z > mvrv", [z])).toMatchObject({ condition: { left: z, right: known("mvrv") } });
    expect(read("change(price, 7) > 0")).toMatchObject({
      condition: { left: { formula: "change(price, 7)" }, right: 0 },
    });
    // A comparison within a formula makes no filter of it.
    expect(read("if(mvrv < 1, 1, 0)")).toMatchObject({ kind: "column" });
  });
});

describe("what is wrong is said, with its place", () => {
  it.each([
    ["mvrvx", "mvrvx", 0],
    ["z = foo(price)", "foo", 4],
    ["mvrv < ", "", 7],
    ["mvrv < foo", "foo", 7],
    ["1 < 2", "1 < 2", 0],
    ["z > 1", "z", 0],
  ])("%s", (text, place, from) => {
    const error = read(text);
    expect(error).toBeInstanceOf(FormulaError);
    const { span, message } = error as FormulaError;
    expect(text.slice(span.from, span.to)).toBe(place);
    expect(span.from).toBe(from);
    expect(message).toMatch(/\.$/);
  });

  it("a column's name has no meaning within a formula, as the API knows none", () => {
    expect(readRowCondition("2 * sopr_7d > 1", catalog, [])).toBeInstanceOf(FormulaError);
  });
});

describe("assets without the lots or own cohorts that a formula names", () => {
  const [first, second, ...others] = catalog.assets;
  const assets = [{ ...first!, lots: ["fifo"] }, { ...second!, cohorts: [{ selector: "@team" }] }, ...others];
  const withLots = { ...catalog, assets } as Catalog;
  const lacking = (formula: string) => {
    const column = readColumn(formula, withLots);
    if (column instanceof FormulaError) return expect.fail(column.message);
    return withLots.assets.map(({ symbol }) => symbol).filter(assetsLacking(column, withLots));
  };

  it("have no value", () => {
    const bare = others.map(({ symbol }) => symbol);
    expect(lacking("z = sopr:fifo - sopr")).toEqual(["DUET", ...bare]);
    expect(lacking("mvrv:fifo.sth")).toEqual(["DUET", ...bare]);
    expect(lacking("sma(supply:@team, 7)")).toEqual(["ARIA", ...bare]);
    expect(lacking("mvrv_zscore")).toEqual([]);
  });

  it("are asked for where no asset has them, or where the formula names the asset: the API tells", () => {
    expect(lacking("sopr:hifo")).toEqual([]);
    expect(lacking("supply:@taem")).toEqual([]);
    expect(lacking("ARIA.sopr:fifo / sopr")).toEqual([]);
  });
});
