import fc from "fast-check";
import { expect, it } from "vitest";
import { requestUrl } from "../../../explorer/src/api/request.ts";
import { parseAddress } from "../../../explorer/src/state/address.ts";
import { loadRequests, rangeBounds, snippetRequests } from "../../../explorer/src/state/requests.ts";
import { catalog, charts } from "../catalog.ts";

const chart = (search: string) => parseAddress(search, catalog, []).chart;

it.each([
  ["?y=sopr", "/v1/metrics/sopr?a=ARIA&c=total&r=day"],
  ["?y=market_cap:users", "/v1/metrics/market_cap?a=ARIA&c=users"],
  ["?y=sc_volume_locked", "/v1/metrics/sc_volume_locked?a=ARIA"],
  ["?y=num_transfers:$20m%2B&r=hour", "/v1/metrics/num_transfers?a=ARIA&t=$20m%2B&r=hour&s=2025-10-03"],
  ["?y=volume:<1d&range=30d", "/v1/metrics/volume?a=ARIA&c=%3C1d&r=day&s=2025-12-02"],
  ["?y=volume&s=2025-01-01&u=2025-02-01", "/v1/metrics/volume?a=ARIA&c=total&r=day&s=2025-01-01&u=2025-02-01"],
  [
    "?y=volume&z=2025-01-01,2025-02-01T10:30:15",
    "/v1/metrics/volume?a=ARIA&c=total&r=day&s=2025-01-01&u=2025-02-01T10:30:15",
  ],
])("%s requests %s", (search, url) => {
  const requests = snippetRequests(chart(search), catalog);
  expect(requests.map(({ request }) => requestUrl(request, ""))).toEqual([url]);
});

it("a chart loads its whole range, whatever its zoom", () => {
  const requests = (search: string) => loadRequests(chart(search), catalog);
  expect(requests("?y=sopr&y=volume&z=2025-01-01,2025-02-01")).toEqual(requests("?y=sopr&y=volume"));
});

it("a preset ends with the last bucket and covers the days of its name", () => {
  const [aria] = catalog.assets;
  expect(rangeBounds(chart("?y=sopr&range=7d"), aria)).toEqual({ since: Date.UTC(2025, 11, 25) / 1000, until: null });
});

it("a URL reads back as the parameters that it was made from", () => {
  fc.assert(
    fc.property(charts, (chart) => {
      for (const { request } of snippetRequests(chart, catalog)) {
        const url = new URL(requestUrl(request, "https://soprano.test", { api_key: "x", f: "csv" }));
        expect([...url.searchParams]).toEqual([["api_key", "x"], ["f", "csv"], ...request.query]);
        expect(url.pathname).toBe(request.path);
      }
    }),
  );
});
