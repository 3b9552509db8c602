/** Events of calendars: what is read of them, when they are asked for, and which of them share a mark. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Ask } from "../../../explorer/src/api/load.ts";
import { Problem } from "../../../explorer/src/api/problem.ts";
import { type AssetEvent, EventLog, eventsOf, eventText, grouped } from "../../../explorer/src/data/events.ts";

const DAY = 86_400;
const event = (t: number): AssetEvent => ({ asset: "ARIA", t, title: `at ${t}`, link: null });

describe("events", () => {
  it("lead to pages alone", () => {
    const links = ["https://example.org/", "javascript:alert(1)", "http://example.org/", null];
    const events = links.map((link) => ({ t: "2025-03-01T00:00:00", title: "Listing", link }));
    expect(eventsOf({ asset: "ARIA", events }).map(({ t, link }) => [t, link])).toEqual([
      [1_740_787_200, "https://example.org/"],
      [1_740_787_200, null],
      [1_740_787_200, null],
      [1_740_787_200, null],
    ]);
  });

  it("are told with their day, or with their hour", () => {
    expect(eventText({ ...event(1_740_787_200), title: "Listing" }, "UTC")).toBe("1 Mar 2025: Listing");
    expect(eventText({ ...event(1_740_787_200 + 3_600), title: "Listing" }, "UTC")).toBe(
      "1 Mar 2025, 01:00 UTC: Listing",
    );
  });

  it("are asked for once an asset, and again after a failure", async () => {
    const asked: string[] = [];
    const ask = (async (path: string) => {
      asked.push(path);
      if (asked.length === 1) return new Problem("unreachable", "No connection", "Try again.");
      return { asset: "ARIA", events: [{ t: "2025-03-01T00:00:00", title: "Listing", link: null }] };
    }) as Ask;
    const log = new EventLog(ask);
    expect(await log.of("ARIA")).toEqual([]);
    const [first, second] = await Promise.all([log.of("ARIA"), log.of("ARIA")]);
    expect(first).toHaveLength(1);
    expect(second).toBe(first);
    expect(asked).toEqual(["/v3/assets/ARIA/events", "/v3/assets/ARIA/events"]);
  });
});

describe("marks", () => {
  it("are shared by events that are near each other", () => {
    const events = [0, 1, 5, 40, 99, 200].map((day) => event(day * DAY));
    const groups = grouped(events, (t) => t / DAY - 1, { width: 100, markWidth: 24 });
    expect(groups.map(({ x, events }) => [x, events.length])).toEqual([
      [0, 2],
      [39, 1],
      [98, 1],
    ]);
  });

  it("are a mark's width apart, and have each visible event once, in their order", () => {
    const times = fc
      .array(fc.integer({ min: -50, max: 150 }), { maxLength: 40 })
      .map((all) => all.sort((a, b) => a - b));
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 30 }), (times, markWidth) => {
        const groups = grouped(times.map(event), (t) => t, { width: 100, markWidth });
        expect(groups.flatMap(({ events }) => events.map(({ t }) => t))).toEqual(
          times.filter((t) => t >= 0 && t <= 100),
        );
        for (const [i, { x, events }] of groups.entries()) {
          expect(events[0]!.t).toBe(x);
          if (i > 0) expect(x - groups[i - 1]!.x).toBeGreaterThanOrEqual(markWidth);
          for (const { t } of events) expect(t - x).toBeLessThan(markWidth);
        }
      }),
    );
  });
});
