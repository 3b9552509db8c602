import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { columnName, requestUrl } from "../../../explorer/src/api/request.ts";
import { parseAddress } from "../../../explorer/src/state/address.ts";
import {
  inputSeries,
  loadBounds,
  rangeBounds,
  snippetRequests,
  tableRequests,
} from "../../../explorer/src/state/requests.ts";
import { catalog, charts } from "../catalog.ts";

const chart = (search: string) => parseAddress(search, catalog, []).chart;
const urls = (search: string) => snippetRequests(chart(search), catalog).map((request) => requestUrl(request, ""));

it.each([
  ["?y=sopr", "/v3/series?a=ARIA&m=sopr&c=total&r=day"],
  ["?y=market_cap:users", "/v3/series?a=ARIA&m=market_cap&c=users&r=day"],
  ["?y=sc_volume_locked", "/v3/series?a=ARIA&m=sc_volume_locked&r=day"],
  ["?y=num_transfers:$20m%2B&r=hour", "/v3/series?a=ARIA&m=num_transfers&c=$20m%2B&r=hour&s=2025-10-03"],
  ["?y=num_transfers:$20m%2B&y=num_transfers", "/v3/series?a=ARIA&m=num_transfers&c=*&r=day"],
  ["?y=volume:<1d&range=30d", "/v3/series?a=ARIA&m=volume&c=%3C1d&r=day&s=2025-12-02"],
  ["?y=volume&s=2025-01-01&u=2025-02-01", "/v3/series?a=ARIA&m=volume&c=total&r=day&s=2025-01-01&u=2025-02-01"],
  ["?y=sopr&y=sopr:users&y2=volume:users&y2=volume", "/v3/series?a=ARIA&m=sopr,volume&c=total,users&r=day"],
  ["?y=volume&y=num_transfers&y2=market_cap", "/v3/series?a=ARIA&m=volume,num_transfers,market_cap&c=total,all&r=day"],
  ["?y=sopr&y=DUET.sopr&price=linear", "/v3/series?a=ARIA,DUET&m=sopr&c=total&r=day /v3/series?a=ARIA&m=price&r=day"],
  ["?y=sopr&price=linear", "/v3/series?a=ARIA&m=sopr,price&c=total&r=day"],
  ["?y=sopr&y=volume:users", "/v3/series?a=ARIA&m=sopr&c=total&r=day /v3/series?a=ARIA&m=volume&c=users&r=day"],
  [
    "?y=volume&y=market_cap&r=hour&s=2025-12-01",
    "/v3/series?a=ARIA&m=volume&c=total&r=hour&s=2025-12-01 /v3/series?a=ARIA&m=market_cap&c=total&r=day&s=2025-12-01",
  ],
  ["?y=sopr&known=first", "/v3/series?a=ARIA&m=sopr&c=total&r=day&known=first"],
  [
    "?y=sopr&y2=volume&known=revision",
    "/v3/series?a=ARIA&m=sopr,volume&c=total&r=day /v3/series?a=ARIA&m=sopr&c=total&r=day&known=first",
  ],
  [
    "?y=volume&z=2025-01-01,2025-02-01T10:30:15",
    "/v3/series?a=ARIA&m=volume&c=total&r=day&s=2025-01-01&u=2025-02-01T10:30:15",
  ],
])("%s requests %s", (search, expected) => {
  expect(urls(search).join(" ")).toBe(expected);
});

it("requests answer each series of a chart, and no other", () => {
  fc.assert(
    fc.property(charts, (chart) => {
      const wanted = inputSeries(chart, catalog);
      const requests = tableRequests(wanted, catalog, { since: null, until: null });
      const answered = requests.flatMap(({ columns }) => columns);
      expect(new Set(answered)).toEqual(new Set(wanted.map(columnName)));
      for (const { query, columns, resolution, isFirst } of requests) {
        expect(new Map(query).get("r")).toBe(resolution);
        expect(new Map(query).get("known")).toBe(isFirst ? "first" : undefined);
        const own = wanted
          .filter((series) => series.resolution === resolution && series.isFirst === isFirst)
          .map(columnName);
        expect(own).toEqual(expect.arrayContaining(columns));
      }
    }),
  );
});

describe("a chart loads", () => {
  const bounds = (search: string) => loadBounds(chart(search), catalog);

  it("all days, whatever it shows of them", () => {
    expect(bounds("?y=sopr&range=30d&z=2025-12-10,2025-12-12")).toEqual({ since: null, until: null });
  });

  it("the range of its hours, whatever the zoom, and what moving averages start from", () => {
    const since = Date.UTC(2025, 11, 2) / 1000;
    expect(bounds("?y=sopr&r=hour&range=30d&z=2025-12-10,2025-12-12")).toEqual({ since, until: null });
    expect(bounds("?y=sopr&r=hour&range=30d&smooth=7")).toEqual({ since: since - 7 * 86_400, until: null });
  });
});

it("a preset ends with the last bucket and covers the days of its name", () => {
  const [aria] = catalog.assets;
  expect(rangeBounds(chart("?y=sopr&range=7d"), aria)).toEqual({ since: Date.UTC(2025, 11, 25) / 1000, until: null });
});

it("a URL reads back as the parameters that it was made from", () => {
  fc.assert(
    fc.property(charts, (chart) => {
      for (const request of snippetRequests(chart, catalog)) {
        const url = new URL(requestUrl(request, "https://soprano.test", { api_key: "x", f: "csv" }));
        expect([...url.searchParams]).toEqual([["api_key", "x"], ["f", "csv"], ...request.query]);
        expect(url.pathname).toBe("/v3/series");
      }
    }),
  );
});
