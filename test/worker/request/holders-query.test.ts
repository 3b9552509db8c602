/** The parameters of GET /v3/holders and of GET /v3/holders/<address>. */

import { describe, expect, it } from "vitest";
import { Problem } from "../../../worker/problems/problem.ts";
import { validateAddress, validateHolders } from "../../../worker/request/holders-query.ts";

const ADDRESS = `0x${"ab".repeat(20)}`;
const list = (query: string) => validateHolders(new URLSearchParams(query));
const one = (address: string, query = "") => validateAddress(address, new URLSearchParams(query));

function problemOf(validate: () => unknown) {
  try {
    validate();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { type: error.type, ...error.facts };
  }
  throw new Error("it is accepted");
}

describe("a list", () => {
  it("has defaults for what is left out", () => {
    expect(list("a=aria")).toEqual({
      ...{ symbol: "ARIA", at: null, sort: "balance", order: "desc", group: null },
      ...{ limit: 100, offset: 0, format: "json" },
    });
  });

  it("takes the first and the last page", () => {
    expect(list("a=A&sort=first_seen&order=asc&group=sc&limit=1000&offset=9000&f=arrow")).toMatchObject({
      ...{ sort: "first_seen", order: "asc", group: "sc", limit: 1_000, offset: 9_000, format: "arrow" },
    });
    expect(list("a=A&limit=1&offset=9999")).toMatchObject({ limit: 1, offset: 9_999 });
  });

  it("takes a day in any form of times, or counted back", () => {
    expect(list("a=A&at=2024-03-01").at).toBe(1_709_251_200);
    expect(list("a=A&at=-30d&limit=5&offset=1")).toMatchObject({ at: { count: 30, unit: "d" }, limit: 5, offset: 1 });
  });

  it.each([
    ["", { type: "missing-parameter", parameter: "a" }],
    ["a=A&by=cost", { type: "unknown-parameter", parameter: "by", suggestion: "sort" }],
    ["a=A&sort=price", { type: "invalid-parameter", parameter: "sort" }],
    ["a=A&sort=unrealized_profit", { type: "invalid-parameter", parameter: "sort", suggestion: "unrealised_profit" }],
    ["a=A&order=up", { type: "invalid-parameter", parameter: "order", allowed: ["desc", "asc"] }],
    ["a=A&group=total", { type: "invalid-parameter", parameter: "group", allowed: ["users", "sc", "cex"] }],
    ["a=A&limit=0", { type: "invalid-parameter", parameter: "limit" }],
    ["a=A&limit=1001", { type: "invalid-parameter", parameter: "limit" }],
    ["a=A&limit=1e2", { type: "invalid-parameter", parameter: "limit" }],
    ["a=A&offset=-1", { type: "invalid-parameter", parameter: "offset" }],
    ["a=A&offset=10000", { type: "invalid-parameter", parameter: "offset" }],
    ["a=A&offset=9901", { type: "invalid-parameter", parameter: "offset", allowed: ["0 to 9900 with limit=100"] }],
    ["a=A&limit=1000&offset=9001", { type: "invalid-parameter", parameter: "offset" }],
    ["a=A&at=2024-03-01&sort=balance", { type: "conflicting-parameters", parameter: "at" }],
    ["a=A&at=2024-03-01&order=desc", { type: "conflicting-parameters", parameter: "at" }],
    ["a=A&at=2024-03-01&group=sc", { type: "conflicting-parameters", parameter: "at" }],
    ["a=A&at=2024-02-30", { type: "invalid-parameter", parameter: "at" }],
    ["a=A&at=-30", { type: "invalid-parameter", parameter: "at", suggestion: "-30d" }],
    ["a=A&a=B", { type: "repeated-parameter", parameter: "a" }],
    ["a=A&f=xlsx", { type: "invalid-parameter", parameter: "f" }],
    ["a=A&limit=", { type: "empty-parameter", parameter: "limit" }],
  ])("%s is refused", (query, problem) => expect(problemOf(() => list(query))).toMatchObject(problem));
});

describe("an address", () => {
  it("is of any case, in all assets or in some", () => {
    expect(one(ADDRESS)).toEqual({ address: ADDRESS, symbols: null, format: "json" });
    expect(one(ADDRESS.toUpperCase(), "a=aria,Duet&f=csv")).toEqual({
      ...{ address: ADDRESS, symbols: ["ARIA", "DUET"], format: "csv" },
    });
    const many = Array.from({ length: 200 }, (_, n) => `A${n}`);
    expect(one(ADDRESS, `a=${many}`).symbols).toEqual(many);
    expect(problemOf(() => one(ADDRESS, `a=${[...many, "B"]}`))).toMatchObject({
      type: "too-many-series",
      parameter: "a",
    });
  });

  it.each(["", "ab".repeat(20), `0x${"ab".repeat(19)}`, `${ADDRESS}a`, `0x${"g".repeat(40)}`, `${ADDRESS}\n`])(
    "%j is none",
    (name) => expect(problemOf(() => one(name))).toMatchObject({ type: "invalid-parameter", parameter: "address" }),
  );

  it.each([
    ["a=A,A", { type: "invalid-parameter", parameter: "a" }],
    ["a=A,,B", { type: "invalid-parameter", parameter: "a" }],
    ["sort=cost", { type: "unknown-parameter", parameter: "sort" }],
  ])("%s is refused", (query, problem) => expect(problemOf(() => one(ADDRESS, query))).toMatchObject(problem));
});
