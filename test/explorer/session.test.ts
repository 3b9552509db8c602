import { describe, expect, it } from "vitest";
import { type ChartData, LOADING } from "../../explorer/src/chart-data.ts";
import { Session, visibleRows } from "../../explorer/src/session.ts";
import { setLook, setRange } from "../../explorer/src/state/changes.ts";
import { catalog } from "./catalog.ts";

const DATA: ChartData = {
  status: "loaded",
  table: { t: Float64Array.of(100, 200, 300), columns: [Float64Array.of(1, 2, 3)] },
  problems: [null],
  gaps: [],
  heats: [],
  isTruncated: false,
};

/** A session whose loads the test answers, with the calls it makes to the browser's history. */
function open(search: string) {
  const entries: string[] = [];
  const loads: { signal: AbortSignal; answer: (data: ChartData) => void }[] = [];
  const session = new Session(
    {
      catalog,
      history: {
        pushState: (_data, _unused, url) => entries.push(`push ${url}`),
        replaceState: (_data, _unused, url) => entries.push(`replace ${url}`),
      },
      load: (_chart, signal) => new Promise((answer) => loads.push({ signal, answer })),
      zone: "UTC",
    },
    search,
  );
  return { session, entries, loads };
}

describe("a session", () => {
  it("opens a link, reports names that do not exist, and loads", async () => {
    const { session, entries, loads } = open("?y=volume&y=nothing");
    expect(session.page).toMatchObject({ chart: { asset: "ARIA" }, data: LOADING });
    expect(session.page.traces.map(({ name }) => name)).toEqual(["On-chain volume, Total"]);
    expect(session.page.notes).toEqual(["There is no series nothing, so it isn't shown."]);
    expect(entries).toEqual(["replace ?a=ARIA&y=volume:total"]);
    const loading = session.load();
    loads[0]!.answer(DATA);
    await loading;
    expect(session.page.data).toBe(DATA);
  });

  it("adds a changed chart to the history, clears the notes and loads", () => {
    const { session, entries, loads } = open("?y=volume&y=nothing");
    session.adjust((chart) => setLook(chart, 0, { scale: "log" }));
    session.change((chart) => setRange(chart, { preset: "7d" }));
    expect(entries.at(-1)).toBe("push ?a=ARIA&y=volume:total&range=7d&scale=log");
    expect(session.page.notes).toEqual([]);
    expect(loads).toHaveLength(1);
  });

  it("zooms and rescales in the same history entry, without loading", async () => {
    const { session, entries, loads } = open("?y=volume");
    const loading = session.load();
    loads[0]!.answer(DATA);
    await loading;
    session.adjust((chart) => ({ ...setLook(chart, 0, { scale: "log" }), zoom: { from: 150, to: 300 } }));
    expect(entries.at(-1)).toBe("replace ?a=ARIA&y=volume:total&scale=log&z=1970-01-01T00:02:30,1970-01-01T00:05");
    expect(visibleRows(session.page)).toEqual({ from: 1, to: 3 });
    expect(loads).toHaveLength(1);
  });

  it("ignores the result of a cancelled load", async () => {
    const { session, loads } = open("?y=volume");
    const first = session.load();
    const second = session.load();
    expect(loads.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    loads[0]!.answer({ ...DATA, isTruncated: true });
    await first;
    expect(session.page.data).toBe(LOADING);
    loads[1]!.answer(DATA);
    await second;
    expect(session.page.data).toBe(DATA);
  });

  it("renders a view at once, and again only after a watched part has changed", () => {
    const { session } = open("?y=volume");
    const scales: string[] = [];
    session.watch(["panes"], ({ chart }) => scales.push(chart.panes[0]?.scale ?? "natural"));
    session.setCursor({ row: 1, isByKeyboard: false });
    session.adjust((chart) => setLook(chart, 0, { scale: "log" }));
    session.adjust((chart) => ({ ...chart, zoom: { from: 0, to: 100 } }));
    session.adjust((chart) => setLook(chart, 0, { scale: "linear" }));
    expect(scales).toEqual(["natural", "log", "linear"]);
  });
});
