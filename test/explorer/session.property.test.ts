/** The address bar always holds the whole chart: what a link draws is what the page drew, whatever was done to it. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SCALES } from "../../data-schema/chart-link.ts";
import { DAY_SECONDS } from "../../data-schema/text.ts";
import type { Catalog } from "../../explorer/src/api/catalog.ts";
import { drawingsOf } from "../../explorer/src/chart/drawing/drawing.ts";
import type { ChartData } from "../../explorer/src/chart-data.ts";
import { entriesOf, type FamilyLine, pictureOf } from "../../explorer/src/lines/family-line.ts";
import { PLAIN_STYLE } from "../../explorer/src/lines/line-style.ts";
import type { Line } from "../../explorer/src/lines/lines.ts";
import { pictureContent } from "../../explorer/src/picture/content.ts";
import { NO_HISTORY, type Page, pinnedTimes, Session } from "../../explorer/src/session.ts";
import { formatAddress } from "../../explorer/src/state/address.ts";
import { addRemark, setLines, setLook, setRange, setResolution } from "../../explorer/src/state/changes.ts";
import { type ChartState, contextOf } from "../../explorer/src/state/chart-state.ts";
import { tracesOf } from "../../explorer/src/state/traces.ts";
import { tries } from "../effort.ts";
import { catalog, charts, everyMetric } from "./catalog.ts";

const ROWS = 30;
const FIRST = Date.parse("2025-01-01") / 1000;
const timeOf = (row: number) => FIRST + row * DAY_SECONDS;

/** Made-up values, others for each curve and row, some of them missing: the order of sizes changes from row to row. */
function valueAt(code: string, row: number): number {
  let hash = row + 1;
  for (const character of code) hash = (Math.imul(hash, 31) + character.codePointAt(0)!) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
  return hash % 17 === 0 ? Number.NaN : (hash % 1000) - 100;
}

function dataOf(chart: ChartState, catalog: Catalog): ChartData {
  const traces = tracesOf(chart, catalog);
  const t = Float64Array.from({ length: ROWS }, (_, row) => timeOf(row));
  const columns = traces.map(({ code }) => Float64Array.from(t, (_, row) => valueAt(code, row)));
  const problems = traces.map(() => null);
  return { status: "loaded", table: { t, columns }, problems, gaps: [], heats: [], isTruncated: false };
}

async function opened(search: string, catalog: Catalog): Promise<Session> {
  const load = async (chart: ChartState) => dataOf(chart, catalog);
  const session = new Session({ catalog, history: NO_HISTORY, load, zone: "UTC" }, search);
  await session.load();
  return session;
}

/** All that is drawn: on the page, and in a picture. */
const drawn = (page: Page) => ({
  address: formatAddress(page.chart),
  traces: page.traces,
  drawings: drawingsOf(page),
  columns: page.data.table.columns,
  pins: pinnedTimes(page),
  picture: pictureContent(page, [], "https://soprano.example"),
});

const row = fc.nat({ max: ROWS - 1 });
const rows = fc
  .uniqueArray(row, { minLength: 2, maxLength: 2 })
  .map((pair) => pair.sort((a, b) => a - b) as [number, number]);

type Change = (chart: ChartState, catalog: Catalog) => ChartState;

/** What people do to a chart, with the transition that the page takes for it. */
const actions: fc.Arbitrary<[how: "adjust" | "change", change: Change]> = fc.oneof(
  adjusting(row, (at) => (chart) => ({ ...chart, pins: [timeOf(at)] })),
  adjusting(rows, ([a, b]) => (chart) => ({ ...chart, pins: [timeOf(a), timeOf(b)] })),
  adjusting(rows, ([a, b]) => (chart) => ({ ...chart, zoom: { from: timeOf(a), to: timeOf(b) } })),
  adjusting(
    rows,
    ([a, b]) =>
      (chart) =>
        addRemark(chart, { from: timeOf(a), to: timeOf(b), text: "Why" }),
  ),
  adjusting(fc.constantFrom(...SCALES), (scale) => (chart) => setLook(chart, 0, { scale })),
  adjusting(fc.boolean(), (isIndexed) => (chart) => setLook(chart, 0, { isIndexed })),
  adjusting(
    fc.nat({ max: 20 }),
    (which) => (chart, catalog) =>
      setLines(chart, 0, (lines) =>
        lines.map((line) => (line.kind === "family" ? withoutPart(line, which, chart, catalog) : line)),
      ),
  ),
  changing(
    fc.nat({ max: 5 }),
    (which) => (chart) =>
      setLines(chart, 0, (lines) => lines.map((line, i) => (i === which % lines.length ? hidden(line) : line))),
  ),
  changing(row, (at) => (chart) => setRange(chart, { since: timeOf(at), until: null })),
  changing(fc.constantFrom("day" as const, "week" as const), (to) => (chart) => setResolution(chart, to)),
);

function adjusting<T>(values: fc.Arbitrary<T>, change: (value: T) => Change) {
  return values.map((value): ["adjust", Change] => ["adjust", change(value)]);
}

function changing<T>(values: fc.Arbitrary<T>, change: (value: T) => Change) {
  return values.map((value): ["change", Change] => ["change", change(value)]);
}

const hidden = (line: Line): Line =>
  line.kind === "family" ? line : { ...line, style: { ...PLAIN_STYLE, ...line.style, isOff: true } };

function withoutPart(line: FamilyLine, which: number, chart: ChartState, catalog: Catalog): FamilyLine {
  const entries = entriesOf(pictureOf(line, contextOf(chart, catalog))!.division);
  return { ...line, only: null, off: [entries[which % entries.length]!] };
}

const starts = fc.oneof(
  charts.map((chart) => ({ search: formatAddress(chart), catalog })),
  fc
    .constantFrom("?y=cex_reserve:*exchange", "?y=cex_reserve:*exchange:lines&price=log", "?y=supply:*age&y2=sopr")
    .map((search) => ({ search, catalog: everyMetric })),
);

describe("a link", () => {
  it("draws the whole chart again, pins and hidden lines included, and so does undo", async () => {
    let pinned = 0;
    await fc.assert(
      fc.asyncProperty(starts, fc.array(actions, { minLength: 1, maxLength: 6 }), async ({ search, catalog }, done) => {
        const session = await opened(search, catalog);
        const before = drawn(session.page);
        for (const [how, change] of done) session[how]((chart) => change(chart, catalog));
        await session.load();
        const after = drawn(session.page);
        pinned += pinnedTimes(session.page).length;
        expect(drawn((await opened(after.address, catalog)).page)).toEqual(after);
        session.visit(before.address);
        await session.load();
        expect(drawn(session.page)).toEqual(before);
      }),
      { numRuns: tries(50) },
    );
    expect(pinned).toBeGreaterThan(10);
  });

  it("pins the buckets that its times are in", async () => {
    const { page } = await opened("?y=sopr&pin=2025-01-02T12:00,2025-01-30T23:59", catalog);
    expect(pinnedTimes(page)).toEqual([timeOf(1), timeOf(29)]);
    expect((await opened("?y=sopr&pin=2024-12-31,2025-01-31", catalog)).page.chart.pins).toHaveLength(2);
    expect(pinnedTimes((await opened("?y=sopr&pin=2024-12-31,2025-01-31", catalog)).page)).toEqual([]);
  });
});
