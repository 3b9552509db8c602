import { describe, expect, it } from "vitest";
import type { Catalog } from "../../../explorer/src/api/catalog.ts";
import { restatedIn, restatedNote, restatedStretches } from "../../../explorer/src/chart/drawing/restated.ts";
import { type ChangeLog, restatementsOf } from "../../../explorer/src/data/restatements.ts";
import { parseAddress } from "../../../explorer/src/state/address.ts";
import { catalog } from "../catalog.ts";
import { catalog as everyMetric } from "../formula/catalog.ts";

const at = (day: string) => Date.parse(day) / 1000;
const points = { appeared: 0, disappeared: 0 };

/** Three activations: the first build, then other prices, then a night that changed hours only. */
const LOG: ChangeLog = {
  changes: [
    {
      build: "c",
      previousBuild: "b",
      asOf: "2025-05-03T00:00:00.000Z",
      activated: "2025-05-03T02:00:00.000Z",
      causes: [{ kind: "new-events" }],
      series: [
        { ...points, resolution: "hour", metric: "sopr", first: "2025-05-01T22:00:00", points: 4, largest: 0.5 },
      ],
    },
    {
      build: "b",
      previousBuild: "a",
      asOf: "2025-05-02T00:00:00.000Z",
      activated: "2025-05-02T02:00:00.000Z",
      causes: [{ kind: "prices" }, { kind: "format" }],
      series: [
        { ...points, resolution: "day", metric: "sopr", first: "2025-03-01T00:00:00", points: 1200, largest: 0.0125 },
        { ...points, resolution: "day", metric: "price", first: "2025-03-02T00:00:00", points: 1, largest: null },
        { ...points, resolution: "day", metric: "@team", first: "2025-03-03T00:00:00", points: 2, largest: null },
        { ...points, resolution: "day", metric: "fifo", first: "2025-03-04T00:00:00", points: 30, largest: 0.02 },
      ],
    },
    {
      build: "a",
      previousBuild: null,
      asOf: "2025-05-01T00:00:00.000Z",
      activated: "2025-05-01T02:00:00.000Z",
      causes: [{ kind: "first-build" }],
      series: [],
    },
  ],
};

const restatements = restatementsOf("ARIA", LOG);

/** Every metric, and an asset with lots and an own cohort. */
const withLots: Catalog = {
  ...catalog,
  metrics: everyMetric.metrics,
  assets: [{ ...catalog.assets[0]!, lots: ["fifo", "hifo"], cohorts: [{ selector: "@team" }] }],
};

/** The restatements of a chart's first pane, with points from one day to another. */
function restated(search: string, first = "2025-01-01", last = "2025-05-02", of = catalog) {
  const { chart } = parseAddress(search, of, []);
  const table = { t: Float64Array.of(at(first), at(last)), columns: [Float64Array.of(1, 2)] };
  const data = { status: "loaded" as const, table, gaps: [], problems: [null], heats: [], isTruncated: false };
  return restatedIn({ chart, catalog: of, data, restatements }, 0);
}

const restatedOfLots = (search: string) => restated(search, "2025-01-01", "2025-05-02", withLots);

const firsts = (...given: Parameters<typeof restated>) =>
  restated(...given).map(({ from }) => new Date(1000 * from).toISOString().slice(0, 13));

describe("restated history", () => {
  it("is that of the chart's series, at its resolution and in its time", () => {
    expect(firsts("?y=sopr:users")).toEqual(["2025-03-01T00"]);
    expect(firsts("?y=sopr:users&r=hour")).toEqual(["2025-05-01T22"]);
    expect(firsts("?y=volume")).toEqual([]);
    expect(firsts("?y=DUET.sopr")).toEqual([]);
    expect(firsts("?y=sopr&price=log")).toEqual(["2025-03-01T00", "2025-03-02T00"]);
    expect(firsts("?y==sma(sopr, 7) / volume")).toEqual(["2025-03-01T00"]);
    expect(firsts("?y=sopr", "2025-01-01", "2025-02-28")).toEqual([]);
    expect(firsts("?y=sopr", "2025-05-02", "2025-05-03")).toEqual([]);
  });

  it("of lots and own cohorts is theirs alone, and not what changed of their metrics' other cohorts", () => {
    const counted = (search: string) => restatedOfLots(search).map(({ of }) => of);
    expect(counted("?y=sopr:fifo")).toEqual(["fifo"]);
    expect(counted("?y=supply:fifo.1y-2y")).toEqual(["fifo"]);
    expect(counted("?y=supply:*age_fifo")).toEqual(["fifo"]);
    expect(counted("?y=sopr:hifo")).toEqual([]);
    expect(counted("?y=sopr:@team")).toEqual(["@team"]);
    expect(counted("?y==mvrv:fifo - sopr:@team")).toEqual(["@team", "fifo"]);
    expect(counted("?y=sopr&y=sopr:fifo")).toEqual(["sopr", "fifo"]);
    expect(counted("?y=sopr:fifo&r=hour")).toEqual([]);
  });

  it("lies before what the build before knew", () => {
    const [prices] = restated("?y=sopr");
    expect(restatedStretches([prices!, { ...prices!, of: "price" }], at("2025-06-01"))).toEqual([
      { from: at("2025-03-01"), to: at("2025-05-01") },
    ]);
    expect(restatedStretches([{ ...prices!, until: null }], at("2025-06-01"))).toEqual([
      { from: at("2025-03-01"), to: at("2025-06-01") },
    ]);
  });

  it("is told below the chart: when, how much, by how much, and why", () => {
    expect(restatedNote(restated("?y=sopr&price=log"), { catalog })).toBe(
      "The bar below the lines marks restated history: on 2 May 2025, 1,201 values of SOPR and price, all cohorts together, " +
        "changed, the first of 1 Mar 2025, by up to 1.25\u202f%. The cause: other prices.",
    );
    expect(restatedNote(restatedOfLots("?y=sopr:fifo"), { catalog: withLots })).toContain(
      "30 values of lots by FIFO, all metrics together, changed, the first of 4 Mar 2025, by up to 2\u202f%.",
    );
    expect(restatedNote(restatedOfLots("?y==sopr - sopr:fifo + sopr:@team"), { catalog: withLots })).toContain(
      "1,232 values of SOPR, @team and lots by FIFO, all cohorts and metrics together, changed",
    );
    const [older] = restated("?y=price");
    expect(restatedNote([older!], { catalog })).toContain(
      "1 value of price changed, the first of 2 Mar 2025. The cause",
    );
    const newer = restated("?y=sopr&r=hour");
    expect(restatedNote([older!, ...newer], { catalog })).toMatch(
      /on 3 May 2025, 4 values.* 50\u202f%\. Earlier .*: 1\.$/,
    );
    expect(restatedNote([], { catalog })).toBe(null);
  });
});
