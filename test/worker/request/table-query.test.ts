/** The parameters of GET /v3/series. */

import { describe, expect, it } from "vitest";
import { MEASURES } from "../../../data-schema/formula/measures.ts";
import { Problem } from "../../../worker/problems/problem.ts";
import { validateTable } from "../../../worker/request/table-query.ts";

const validate = (query: string) => validateTable(new URLSearchParams(query));

function problemOf(query: string) {
  try {
    validate(query);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { type, message, facts } = error;
    return { type, detail: message, ...facts };
  }
  throw new Error(`${query} is accepted`);
}

const selectorsOf = (query: string) =>
  validate(query).measures.map(({ measure, selectors }) => [measure.name, ...selectors].join(" "));

describe("a query", () => {
  it("has defaults for what is left out", () => {
    expect(validate("a=aria,Duet&m=supply,num_transfers")).toMatchObject({
      symbols: ["ARIA", "DUET"],
      resolution: "day",
      since: Number.NEGATIVE_INFINITY,
      until: Number.POSITIVE_INFINITY,
      sinceBlock: Number.NEGATIVE_INFINITY,
      untilBlock: Number.POSITIVE_INFINITY,
      last: null,
      time: "iso",
      format: "json",
    });
  });

  it.each([
    [
      "a=A&m=supply,num_transfers,sc_volume_locked,price",
      ["supply total", "num_transfers all", "sc_volume_locked total", "price total"],
    ],
    // A metric takes the selectors that it has, and one with a single series always gives that.
    ["a=A&m=volume,num_transfers,price&c=all,total", ["volume total", "num_transfers all", "price total"]],
    ["a=A&m=price&c=*", ["price total"]],
    ["a=A&m=num_transfers&c=$20m ,all", ["num_transfers $20m+ all"]],
    ["a=A&m=cex_reserve&c=crypto.com,gate.io", ["cex_reserve crypto.com gate.io"]],
  ])("%s names %j", (query, names) => expect(selectorsOf(query)).toEqual(names));

  it("has all selectors of a metric for *", () => {
    expect(selectorsOf("a=A&m=cex_reserve&c=*")[0]!.split(" ")).toHaveLength(1 + 53);
  });

  it("keeps relative times for later", () => {
    expect(validate("a=A&m=sopr&s=-30d&u=-12h")).toMatchObject({
      since: { count: 30, unit: "d" },
      until: { count: 12, unit: "h" },
    });
  });

  it("takes block numbers at block resolution", () => {
    expect(validate("a=A&m=sopr&r=block&sb=17&ub=20")).toMatchObject({ sinceBlock: 17, untilBlock: 20 });
  });
});

const KEY = "11111111-1111-4111-8111-111111111111";
const many = (count: number) => Array.from({ length: count }, (_, index) => `A${index}`).join();

describe("a problem", () => {
  it.each<[query: string, problem: Record<string, unknown>]>([
    ["m=sopr", { type: "missing-parameter", parameter: "a" }],
    ["a=A", { type: "missing-parameter", parameter: "m" }],
    ["a=A&m=sorp", { type: "invalid-parameter", parameter: "m", suggestion: "sopr" }],
    ["a=A&m=sopr,mvr", { parameter: "m", detail: 'There is no metric "mvr".', suggestion: "mvrv" }],
    // It may be a key.
    [`a=A&m=sopr,${KEY}`, { type: "invalid-parameter", parameter: "m", detail: "There is no such metric." }],
    [`a=A&m=sopr&c=${KEY}`, { type: "invalid-parameter", parameter: "c", detail: "sopr has no such selector." }],
    ["a=A&m=sopr,", { type: "invalid-parameter", parameter: "m" }],
    ["a=A&m=sopr,sopr", { type: "invalid-parameter", parameter: "m", detail: "m names the same twice." }],
    ["a=A,a&m=sopr", { type: "invalid-parameter", parameter: "a" }],
    ["a=A&m=sopr&m=volume", { type: "repeated-parameter", parameter: "m" }],
    ["a=A&m=", { type: "empty-parameter", parameter: "m" }],
    ["a=A&metric=sopr", { type: "unknown-parameter", parameter: "metric", suggestion: "m" }],
    ["a=A&m=sopr&t=all", { type: "unknown-parameter", parameter: "t", suggestion: "c" }],
    ["a=A&m=sopr&c=user", { type: "invalid-parameter", parameter: "c", suggestion: "users" }],
    ["a=A&m=sopr&c=users,*", { type: "invalid-parameter", parameter: "c" }],
    ["a=A&m=sopr&c=users,users", { type: "invalid-parameter", parameter: "c" }],
    // No selector is ignored: one that no metric has, and a metric that has none of them.
    [
      "a=A&m=sopr,volume&c=users,binance",
      { type: "invalid-parameter", parameter: "c", detail: 'sopr, volume have no selector "binance".' },
    ],
    ["a=A&m=volume,cex_reserve&c=users", { type: "invalid-parameter", parameter: "c" }],
    [
      "a=A&m=supply,sopr,market_cap&r=hour",
      { type: "invalid-parameter", parameter: "r", detail: "supply, market_cap are not available by hour." },
    ],
    ["a=A&m=sopr&r=dya", { type: "invalid-parameter", parameter: "r", suggestion: "day" }],
    ["a=A&m=sopr&s=-30", { type: "invalid-parameter", parameter: "s", suggestion: "-30d" }],
    ["a=A&m=sopr&u=-7", { type: "invalid-parameter", parameter: "u", suggestion: "-7d" }],
    ["a=A&m=sopr&s=-30x", { type: "invalid-parameter", parameter: "s" }],
    ["a=A&m=sopr&s=2025-02-30", { type: "invalid-parameter", parameter: "s" }],
    ["a=A&m=sopr&s=1740787200000", { type: "invalid-parameter", parameter: "s" }],
    ["a=A&m=sopr&s=2025-03-02&u=2025-03-01", { type: "reversed-range", parameter: "s" }],
    ["a=A&m=sopr&r=block&sb=2&ub=1", { type: "reversed-range", parameter: "sb" }],
    ["a=A&m=sopr&last=0", { type: "invalid-parameter", parameter: "last" }],
    ["a=A&m=sopr&last=-5", { type: "invalid-parameter", parameter: "last" }],
    ["a=A&m=sopr&last=5&s=2025-01-01", { type: "conflicting-parameters", parameter: "last" }],
    ["a=A&m=sopr&r=block&sb=5&s=2025-01-01", { type: "conflicting-parameters", parameter: "sb" }],
    ["a=A&m=sopr&ub=5", { type: "conflicting-parameters", parameter: "ub" }],
    ["a=A&m=sopr&time=unx", { type: "invalid-parameter", parameter: "time", suggestion: "unix" }],
    ["a=A&m=sopr&f=xml", { type: "invalid-parameter", parameter: "f" }],
    [`a=${many(21)}&m=sopr`, { type: "too-many-series", parameter: "a" }],
    [
      `a=${many(5)}&m=cex_reserve&c=*`,
      {
        type: "too-many-series",
        parameter: "c",
        detail: expect.stringContaining("265 series: an answer has up to 240"),
      },
    ],
    [
      `a=${many(3)}&m=volume&c=*&r=hour`,
      { type: "too-many-series", detail: expect.stringContaining("up to 64 at r=hour") },
    ],
    [
      `a=${many(2)}&m=volume&c=*&r=block`,
      { type: "too-many-series", detail: expect.stringContaining("up to 32 at r=block") },
    ],
  ])("of %s", (query, problem) => expect(problemOf(query)).toMatchObject(problem));

  it("names all metrics that there are, and all selectors of those that were named", () => {
    expect(problemOf("a=A&m=x").allowed).toEqual(MEASURES.map(({ name }) => name));
    const { allowed } = problemOf("a=A&m=num_transfers,volume&c=x");
    expect(allowed).toEqual(expect.arrayContaining(["*", "$20m+", "users"]));
    expect(allowed).not.toContain("binance");
  });
});
