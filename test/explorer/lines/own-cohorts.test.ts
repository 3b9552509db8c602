import { expect, it } from "vitest";
import { type Catalog, catalogMetric, selectorFamilies } from "../../../explorer/src/api/catalog.ts";
import { requestUrl } from "../../../explorer/src/api/request.ts";
import { complete } from "../../../explorer/src/formula/complete.ts";
import { formatAddress, parseAddress } from "../../../explorer/src/state/address.ts";
import { setSelector } from "../../../explorer/src/state/changes.ts";
import { snippetRequests } from "../../../explorer/src/state/requests.ts";
import { catalog as plain } from "../formula/catalog.ts";

/** ARIA has two own cohorts, and the other assets none. */
const catalog: Catalog = {
  ...plain,
  assets: plain.assets.map((asset) =>
    asset.symbol === "ARIA" ? { ...asset, cohorts: [{ selector: "@a-b" }, { selector: "@team" }] } : asset,
  ),
};
const [aria, duet] = catalog.assets;

const chart = (search: string) => parseAddress(search, catalog, []).chart;
const urls = (search: string) => snippetRequests(chart(search), catalog).map((request) => requestUrl(request, ""));

it.each([
  ["?y=sopr:@team", "/v3/series?a=ARIA&m=sopr&c=%40team&r=day"],
  ["?y=sopr:@team&y=sopr:@a-b&y=sopr", "/v3/series?a=ARIA&m=sopr&c=%40team,%40a-b,total&r=day"],
  ["?y=sopr&y=sopr:@other", "/v3/series?a=ARIA&m=sopr&c=total&r=day"],
  ["?y=sopr&y=num_transfers:@team", "/v3/series?a=ARIA&m=sopr&c=total&r=day"],
  ["?y=sopr&y=DUET.sopr:@team", "/v3/series?a=ARIA&m=sopr&c=total&r=day"],
  ["?y==mvrv:@team", "/v3/series?a=ARIA&m=market_cap,realised_cap&c=%40team&r=day"],
])("%s requests %s", (search, expected) => {
  expect(urls(search).join(" ")).toBe(expected);
});

it("they are the last family of a metric that takes them, of an asset that has some", () => {
  const familiesOf = (metric: string, asset = aria) =>
    selectorFamilies(catalogMetric(catalog, metric)!, asset).map(({ title }) => title);
  expect(familiesOf("sopr").at(-1)).toBe("Own cohorts");
  expect(familiesOf("num_transfers")).not.toContain("Own cohorts");
  expect(familiesOf("sopr", duet)).not.toContain("Own cohorts");
});

it("a cohort is chosen for all series of a pane that take it", () => {
  const { panes } = setSelector(chart("?y=sopr&y=num_transfers"), 0, "@team", catalog);
  expect(panes[0]!.lines).toMatchObject([
    { metric: "sopr", selector: "@team" },
    { metric: "num_transfers", selector: "all" },
  ]);
});

it("they are a family of lines beside all addresses, whose parts don't add up", () => {
  const { panes } = chart("?y=sopr:*own&y2=DUET.sopr:*own");
  expect(panes).toMatchObject([
    { lines: [{ kind: "family", by: "own", mode: "lines" }] },
    { lines: [{ kind: "family", by: "own", asset: "DUET" }] },
  ]);
  const { chart: only, notes } = parseAddress("?y=sopr:*own:stack:off=@team", catalog, []);
  expect(notes).toEqual([]);
  expect(formatAddress(only)).toBe("?a=ARIA&y=sopr:*own:lines:off%3D%40team");
  expect(urls("?y=sopr:*own")).toEqual(["/v3/series?a=ARIA&m=sopr&c=total,%40a-b,%40team&r=day"]);
});

it("they complete a selector", () => {
  const labels = complete("sopr:@", 6, { catalog, asset: aria }).candidates.map(({ label }) => label);
  expect(labels).toEqual(["@a-b", "@team"]);
  expect(complete("sopr:@", 6, { catalog, asset: duet }).candidates).toEqual([]);
});
