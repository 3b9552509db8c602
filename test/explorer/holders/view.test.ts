/** The view of holders ↔ its link, and the request for it. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOLDER_ORDERS, HOLDER_SORTS } from "../../../data-schema/stored/holders/holder-objects.ts";
import type { Holder } from "../../../explorer/src/holders/answers.ts";
import {
  filtered,
  formatView,
  GROUPS,
  type HoldersView,
  LABELS,
  ORDERS,
  parseView,
  recordsText,
  requestPath,
  rowsOf,
} from "../../../explorer/src/holders/view.ts";

const FIRST = parseView("");
const view = (changed: Partial<HoldersView>): HoldersView => ({ ...FIRST, ...changed });

describe("a link", () => {
  const views = fc
    .record({
      asset: fc.constantFrom(null, "ARIA", "A.B"),
      order: fc.constantFrom(...ORDERS),
      group: fc.constantFrom(null, "users", "sc", "cex"),
      label: fc.constantFrom(null, ...LABELS),
      cohort: fc.constantFrom(null, "team", "a_b-c"),
      page: fc.integer({ min: 1, max: 200 }),
    })
    .map(({ order: { sort, order }, ...rest }): HoldersView => ({ ...rest, sort, order, at: null }) as HoldersView);

  it("holds the whole view", () => {
    fc.assert(
      fc.property(views, (one) => {
        expect(parseView(formatView(one))).toEqual(one);
      }),
    );
  });

  it("is empty for the first view, and has the API's names", () => {
    expect(formatView(FIRST)).toBe("");
    const one = view({ asset: "ARIA", sort: "unrealised_profit", order: "asc", group: "users", page: 2 });
    expect(formatView(one)).toBe("?a=ARIA&sort=unrealised_profit&order=asc&group=users&page=2");
  });

  it("of a day has neither order nor filters", () => {
    const day = view({
      asset: "ARIA",
      at: "2025-03-01",
      sort: "cost",
      group: "sc",
      label: "okx",
      cohort: "team",
      page: 3,
    });
    expect(formatView(day)).toBe("?a=ARIA&at=2025-03-01&page=3");
  });

  it.each([
    ["?sort=nothing&order=up", {}],
    ["?sort=cost&order=up", {}],
    ["?group=toString", {}],
    ["?label=nobody", {}],
    ["?page=0", {}],
    ["?page=1.5", {}],
    ["?page=-1&a=", {}],
    ["?a=aria&cohort=@team", { asset: "ARIA", cohort: "team" }],
  ])("%s shows what can be shown", (search, changed) => {
    expect(parseView(search)).toEqual(view(changed));
  });
});

it("every order of the API has words", () => {
  const all = HOLDER_SORTS.flatMap((sort) => HOLDER_ORDERS.map((order) => `${sort} ${order}`));
  expect(ORDERS.map(({ sort, order }) => `${sort} ${order}`).toSorted()).toEqual(all.toSorted());
  expect(Object.keys(GROUPS)).toEqual(["users", "sc", "cex"]);
});

it.each([
  [view({ asset: "ARIA" }), "/v3/holders?a=ARIA&limit=100"],
  [view({ asset: "ARIA", page: 3 }), "/v3/holders?a=ARIA&limit=100&offset=200"],
  // The last that the API reaches.
  [view({ asset: "ARIA", page: 999 }), "/v3/holders?a=ARIA&limit=100&offset=9900"],
  [view({ asset: "ARIA", at: "2025-03-01", page: 999 }), "/v3/holders?a=ARIA&at=2025-03-01&limit=100&offset=900"],
  // An exchange's are in one group, and a thousand are looked through at once.
  [view({ asset: "ARIA", label: "okx", page: 2 }), "/v3/holders?a=ARIA&group=cex&limit=1000&offset=1000"],
  [view({ asset: "ARIA", cohort: "team", sort: "cost" }), "/v3/holders?a=ARIA&sort=cost&limit=1000"],
])("the request for %o", (one, path) => {
  expect(requestPath(one)).toBe(path);
});

it("knows the last page that the API reaches", () => {
  const isLast = (changed: Partial<HoldersView>) => rowsOf(view(changed)).isLast;
  expect([99, 100].map((page) => isLast({ page }))).toEqual([false, true]);
  expect([9, 10].map((page) => isLast({ page, at: "2025-03-01" }))).toEqual([false, true]);
  expect([9, 10].map((page) => isLast({ page, label: "okx" }))).toEqual([false, true]);
});

it("filters by exchange and own cohort, and keeps ranks", () => {
  const row = (label: string | null, cohorts: string[]) => ({ label, cohorts }) as Holder;
  const rows = [row("okx", []), row(null, ["team"]), row("okx", ["team", "dao"]), row(null, [])];
  const ranks = (changed: Partial<HoldersView>) => filtered(rows, view(changed)).map(({ rank }) => rank);
  expect(ranks({})).toEqual([1, 2, 3, 4]);
  expect(ranks({ page: 2 })).toEqual([101, 102, 103, 104]);
  expect(ranks({ label: "okx" })).toEqual([1, 3]);
  expect(ranks({ cohort: "team", page: 2 })).toEqual([1_002, 1_003]);
  expect(ranks({ label: "okx", cohort: "team" })).toEqual([3]);
});

it("writes rows as the API's CSV does, and with tabs for spreadsheets", () => {
  const rows = [
    { address: "0x1", balance: 0.1, share: null, cohorts: ["a", "b"] },
    { address: "0x2", balance: 1e21, share: 0.5, cohorts: [] },
  ];
  expect(recordsText(rows, ",")).toBe("address,balance,share,cohorts\n0x1,0.1,,a b\n0x2,1e+21,0.5,\n");
  expect(recordsText(rows, "\t").split("\n")[1]).toBe("0x1\t0.1\t\ta b");
});
