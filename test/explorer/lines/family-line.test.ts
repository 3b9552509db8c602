import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate } from "../../../data-schema/formula/evaluate.ts";
import { catalogMetric } from "../../../explorer/src/api/catalog.ts";
import {
  divisionsOf,
  entriesOf,
  FAMILY_LINE,
  type FamilyLine,
  familyLine,
  findDivision,
  type Mode,
  switched,
} from "../../../explorer/src/lines/family-line.ts";
import { parseAddress } from "../../../explorer/src/state/address.ts";
import { inputSeries, tableRequests } from "../../../explorer/src/state/requests.ts";
import { everyMetric as catalog } from "../catalog.ts";

const context = { catalog, asset: catalog.assets[0] };

function family(name: string, by: string, mode?: Mode): FamilyLine {
  const metric = catalogMetric(catalog, name)!;
  return familyLine(metric, findDivision(metric, by, context.asset)!, null, mode);
}

/** The curves of a family for values of its series, by name; each series is a single number. */
function values(line: FamilyLine, sizeOf: (selector: string) => number): Map<string, number> {
  const curves = FAMILY_LINE.curves(line, context);
  const computed = FAMILY_LINE.computations(line, context).map((computation) => {
    const columns = computation.inputs.map(({ selector }) => Float64Array.of(sizeOf(selector!)));
    return evaluate(computation, columns, Float64Array.of(0))[0]!;
  });
  expect(computed).toHaveLength(curves.length);
  return new Map(curves.map(({ part }, i) => [part!.value, computed[i]!]));
}

/** Amounts of many sizes, as balances have. */
const amounts = fc
  .double({ min: 0, max: 1, noNaN: true })
  .chain((part) => fc.integer({ min: 0, max: 9 }).map((power) => part * 10 ** power));

describe("a family", () => {
  it("shows what its parts leave out: 3 + 2 users by age, 4 in contracts, 5 on exchanges, of 20", () => {
    const sizes: Record<string, number> = { "<1d": 3, "1d-1w": 2, sc: 4, cex: 5, total: 20 };
    const size = (selector: string) => sizes[selector] ?? 0;
    const stacked = values(family("supply", "age"), size);
    expect([...stacked.keys()].slice(-3)).toEqual(["sc", "cex", "rest"]);
    expect(stacked.get("rest")).toBe(6);
    const shares = values(family("supply", "age", "share"), size);
    expect(shares.get("total")).toBe(20);
    expect(shares.get("<1d")).toBe(0.15);
    expect(shares.get("rest")).toBe(0.3);
  });

  it("adds up to its whole, whatever the amounts, and its shares to 1", () => {
    const adding = catalog.metrics.flatMap((metric) =>
      divisionsOf(metric, context.asset).flatMap(({ by, adds, whole }) => (adds && whole ? [{ metric, by }] : [])),
    );
    expect(adding.length).toBeGreaterThan(50);
    fc.assert(
      fc.property(fc.constantFrom(...adding), fc.array(amounts, { minLength: 60, maxLength: 60 }), (choice, sizes) => {
        const line = family(choice.metric.name, choice.by);
        const { parts, beside, whole } = findDivision(choice.metric, choice.by, context.asset)!;
        const names = [...parts, ...beside];
        const left = sizes[59]!;
        const total = names.reduce((sum, _, i) => sum + sizes[i]!, left);
        const size = (selector: string) => (selector === whole ? total : sizes[names.indexOf(selector)]!);
        const drawn = (mode: Mode) => {
          const all = values({ ...line, mode }, size);
          all.delete(whole!);
          return [...all.values()].reduce((sum, value) => sum + value, 0);
        };
        expect(Math.abs(drawn("stack") - total)).toBeLessThanOrEqual(1e-12 * total);
        if (total > 0) expect(Math.abs(drawn("share") - 1)).toBeLessThan(1e-12);
      }),
    );
  });

  it("without a published whole adds its parts up", () => {
    const all = values(family("inflow_cohort", "balance", "share"), () => 2);
    expect(all.get("sum")).toBe(16);
    expect(all.get("balance_cohort_3")).toBe(1 / 8);
    expect(all.has("rest")).toBe(false);
  });

  it("is stacked only if it adds up", () => {
    for (const metric of catalog.metrics) {
      for (const { by, adds } of divisionsOf(metric, context.asset)) {
        const modes = (["stack", "share", "lines"] as const).map((mode) => family(metric.name, by, mode).mode);
        expect(modes, `${metric.name} by ${by}`).toEqual(
          adds ? ["stack", "share", "lines"] : ["lines", "lines", "lines"],
        );
      }
    }
    expect(family("sopr", "age").mode).toBe("lines");
    expect(family("cex_inflow", "exchange").mode).toBe("lines");
    expect(FAMILY_LINE.parse("sopr:*age:stack", context)).toMatchObject({ mode: "lines" });
  });

  it("is one request for all of a metric's series", () => {
    for (const text of ["supply:*group", "cex_reserve:*exchange", "inflow_cohort:*age"]) {
      const { chart } = parseAddress(`?y=${text}`, catalog, []);
      const requests = tableRequests(inputSeries(chart, catalog), catalog, { since: null, until: null });
      expect(requests, text).toHaveLength(1);
    }
    const { chart } = parseAddress("?y=cex_reserve:*exchange", catalog, []);
    const [request] = tableRequests(inputSeries(chart, catalog), catalog, { since: null, until: null });
    expect(request!.columns).toHaveLength(52);
  });

  it("by kind has the kinds of contracts that the asset has cohorts of, as lines, beside the groups", () => {
    const supply = catalogMetric(catalog, "supply")!;
    const cohorts = ["@burn", "@dex", "@team"].map((selector) => ({ selector }));
    const asset = { ...context.asset!, cohorts };
    expect(findDivision(supply, "kind", asset)).toEqual({
      by: "kind",
      ordered: false,
      adds: false,
      parts: ["@dex", "@burn"],
      beside: ["users", "sc", "cex"],
      whole: "total",
    });
    expect(divisionsOf(supply, asset).map(({ by }) => by)).toContain("kind");
    const own = { catalog, asset };
    const line = FAMILY_LINE.parse("supply:*kind:stack", own)!;
    expect(line).toMatchObject({ mode: "lines" });
    const series = FAMILY_LINE.computations(line, own).map(({ inputs }) => inputs[0]!.selector);
    expect(series).toEqual(["total", "@dex", "@burn", "users", "sc", "cex"]);
    const drawn = FAMILY_LINE.curves(line, own).map(({ part }) => [part!.value, part!.color, part!.isDrawn]);
    expect(drawn).toEqual([
      ["total", "--muted", true],
      ["@dex", "--hue-1", true],
      ["@burn", "--hue-2", true],
      ["users", "--beside-1", true],
      ["sc", "--beside-2", true],
      ["cex", "--beside-3", true],
    ]);
  });

  it("by kind of an asset without kinds is the groups, which no menu offers; metrics without own cohorts have none", () => {
    const supply = catalogMetric(catalog, "supply")!;
    expect(divisionsOf(supply, context.asset).map(({ by }) => by)).not.toContain("kind");
    const line = FAMILY_LINE.parse("supply:*kind", context)!;
    expect(FAMILY_LINE.curves(line, context).map(({ part }) => part!.value)).toEqual(["total", "users", "sc", "cex"]);
    expect(FAMILY_LINE.parse("cex_reserve:*kind", context)).toBeUndefined();
    expect(FAMILY_LINE.parse("price:*kind", context)).toBeUndefined();
  });

  it("is a short text in a link", () => {
    const parse = (text: string) => FAMILY_LINE.parse(text, context);
    expect(parse("supply:*age")).toEqual(family("supply", "age"));
    expect(parse("supply:*value:share:off=$10M ,users,$0-100")).toMatchObject({ off: ["$0-100", "$10M+"] });
    expect(FAMILY_LINE.format({ ...family("supply", "age", "share"), only: "<1d" })).toBe("supply:*age:share:only=<1d");
    for (const text of ["supply:*nothing", "nothing:*age", "supply:*", "price:*age", "NONE.supply:*age"]) {
      expect(parse(text), text).toBeUndefined();
    }
  });

  it("has its parts switched off and on again; of one that is alone, another comes in its place", () => {
    const line = family("supply", "age");
    const entries = entriesOf(findDivision(catalogMetric(catalog, "supply")!, "age", context.asset)!);
    const off = switched(switched(line, "cex", entries), "<1d", entries);
    expect(off.off).toEqual(["<1d", "cex"]);
    expect(switched(off, "cex", entries).off).toEqual(["<1d"]);
    const only = { ...line, only: "<1d" };
    expect(switched(only, "1d-1w", entries).only).toBe("1d-1w");
    expect(switched(only, "<1d", entries).only).toBeNull();
  });
});
