/** Lots in the explorer: an asset says which there are. */

import { expect, it } from "vitest";
import { type Asset, type Catalog, catalogMetric, selectorFamilies } from "../../../explorer/src/api/catalog.ts";
import { requestUrl } from "../../../explorer/src/api/request.ts";
import { selectorName } from "../../../explorer/src/format/names.ts";
import { divisionsOf } from "../../../explorer/src/lines/family-line.ts";
import { FORMULA_LINE } from "../../../explorer/src/lines/formula-line.ts";
import { parseAddress } from "../../../explorer/src/state/address.ts";
import { chartCode } from "../../../explorer/src/state/chart-code.ts";
import { snippetRequests } from "../../../explorer/src/state/requests.ts";
import { catalog as plain } from "../formula/catalog.ts";

const [first, second] = plain.assets as [Asset, Asset];
const aria: Asset = { ...first, lots: ["fifo", "hifo"] };
const catalog: Catalog = { ...plain, assets: [aria, second] };
const metric = (name: string) => catalogMetric(catalog, name)!;

const chart = (search: string) => parseAddress(search, catalog, []).chart;
const urls = (search: string) => snippetRequests(chart(search), catalog).map((request) => requestUrl(request, ""));

it("they are the last families of a metric that has them, of an asset that has some", () => {
  const familiesOf = (name: string, asset: Asset) => selectorFamilies(metric(name), asset).map(({ title }) => title);
  expect(familiesOf("sopr", aria).slice(-2)).toEqual(["Lots, FIFO", "Lots, HIFO"]);
  expect(familiesOf("num_transfers", aria).join()).not.toContain("Lots");
  expect(familiesOf("sopr", second).join()).not.toContain("Lots");
  expect(selectorFamilies(metric("liveliness"), aria).flatMap(({ values }) => values)).toEqual(["fifo", "hifo"]);
});

it("they have names", () => {
  expect(["fifo", "fifo.1y-2y", "hifo.sth"].map((value) => selectorName(value, aria))).toEqual([
    "FIFO",
    "FIFO, 1y-2y",
    "HIFO, Short-term holders",
  ]);
});

it("the families by age and by term are of addresses, or of lots by a method", () => {
  const by = (asset: Asset) => divisionsOf(metric("supply"), asset).map((division) => division.by);
  expect(by(aria)).toEqual(expect.arrayContaining(["age", "term", "age_fifo", "term_fifo", "age_hifo", "term_hifo"]));
  expect(by(second).join()).not.toContain("_");
  expect(divisionsOf(metric("supply"), aria).find((division) => division.by === "term_fifo")).toEqual({
    by: "term_fifo",
    ordered: true,
    adds: true,
    parts: ["fifo.sth", "fifo.lth"],
    beside: [],
    whole: "fifo.users",
  });
});

it("requests answer the series of a chart exactly, although a metric of one series gives it beside others alone", () => {
  const [both] = urls("?y=supply:fifo&y=supply");
  expect(both).toContain("c=fifo,total");
  expect(urls("?y=supply:fifo&y2=price").join(" ")).toContain("m=supply,price&c=fifo");
  expect(urls("?y=supply:fifo&y2=liveliness")).toHaveLength(2);
  for (const both of ["?y=liveliness:fifo&y=liveliness", "?y=liveliness&y=liveliness:fifo"]) {
    expect(
      urls(both)
        .map((url) => new URL(url, "http://soprano").searchParams.get("c"))
        .sort(),
    ).toEqual(["fifo", null]);
  }
  expect(urls("?y=supply:fifo&y2=liveliness:fifo").join(" ")).toContain("m=supply,liveliness&c=fifo");
  // The asset has no such lots.
  expect(urls("?y=supply:lifo&y=supply").join(" ")).not.toContain("lifo");
});

it("a formula of lots that its asset lacks says so, and asks for nothing", () => {
  const problemOf = (text: string, asset: Asset) =>
    FORMULA_LINE.problem!({ kind: "formula", text }, { catalog, asset })?.message;
  expect(problemOf("mvrv:fifo", aria)).toBeUndefined();
  expect(problemOf("mvrv:lifo", aria)).toContain("has no lots by lifo");
  expect(problemOf("supply:fifo.sth / supply", second)).toContain("has no lots by fifo");
  expect(urls("?y==mvrv:lifo&y==mvrv").join(" ")).not.toContain("lifo");
});

it("code asks for the single series of a metric that is computed beside lots", () => {
  const asked = (search: string) =>
    new URL(
      /http[^"]+/.exec(chartCode("python", chart(search), catalog, "http://soprano", "KEY"))![0],
    ).searchParams.get("c");
  expect(asked("?y==liveliness / liveliness:fifo")).toBe("total,fifo");
  expect(asked("?y==price * supply:fifo")).toBe("fifo");
  expect(asked("?y==liveliness * 2")).toBeNull();
});
