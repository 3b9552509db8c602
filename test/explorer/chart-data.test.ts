/** The data of charts, from a service that activates builds while it answers. */

import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Loader } from "../../explorer/src/api/load.ts";
import { loadChart } from "../../explorer/src/chart-data.ts";
import { parseAddress } from "../../explorer/src/state/address.ts";
import { catalog } from "./catalog.ts";

/** A service whose values are the number of their build, the requests it got, by metric, and what charts show of it. */
function service(buildOf: (request: number, asset: string) => number) {
  const requests: string[] = [];
  vi.stubGlobal("fetch", async (path: string) => {
    const { searchParams } = new URL(path, "http://localhost");
    const [assets, metrics, selectors] = ["a", "m", "c"].map((name) => searchParams.get(name)?.split(","));
    const builds = assets!.map((asset) => buildOf(requests.length, asset));
    requests.push(searchParams.get("m") ?? path.match(/[a-z_]+(?=\?)/)![0]);
    if (metrics === undefined) {
      return Response.json({
        build: `${builds[0]}`,
        buckets: [{ from: 1, to: 2 }],
        t: [86_400],
        supply: [[builds[0]]],
      });
    }
    const columns = assets!.flatMap((asset, i) =>
      metrics.flatMap((metric) =>
        (selectors ?? ["total"]).map((selector) => [`${asset}:${metric}:${selector}`, builds[i]]),
      ),
    );
    const lines = [
      ["t", ...columns.map(([name]) => name)],
      [86_400, ...columns.map(([, build]) => build)],
    ];
    return new Response(lines.map((line) => `${line}\n`).join(""), {
      headers: { "X-Soprano-Build": builds.join(", ") },
    });
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const loader = new Loader();
  const load = async (search: string) => {
    const { chart } = parseAddress(search, catalog, []);
    const { table, problems, heats } = await loadChart(chart, catalog, loader, "key", new AbortController().signal);
    return {
      values: table.columns.map(([value]) => value),
      problems: problems.map((problem) => problem?.type),
      tokens: heats.map((heat) => (heat && "values" in heat ? heat.values[0] : heat?.type)),
    };
  };
  return { requests, load };
}

describe("a chart that takes two requests", () => {
  const SEARCH = "?y=sopr&y=volume:users";

  it("is read again where another build was activated between them", async () => {
    const { requests, load } = service((request) => (request === 0 ? 1 : 2));
    expect(await load(SEARCH)).toMatchObject({ values: [2, 2], problems: [undefined, undefined] });
    expect(requests).toEqual(["sopr", "volume", "sopr", "volume"]);
  });

  it("is read again where a part was loaded before the activation", async () => {
    const { requests, load } = service((request) => (request === 0 ? 1 : 2));
    expect((await load("?y=sopr")).values).toEqual([1]);
    expect((await load(SEARCH)).values).toEqual([2, 2]);
    expect(requests).toEqual(["sopr", "volume", "sopr", "volume"]);
    expect((await load(SEARCH)).values).toEqual([2, 2]);
    expect(requests).toHaveLength(4);
  });

  it("shows nothing of builds that stay different, and reads them again when it is loaded again", async () => {
    vi.spyOn(globalThis, "setTimeout").mockImplementation(((done: () => void) => queueMicrotask(done)) as never);
    onTestFinished(() => void vi.restoreAllMocks());
    const { requests, load } = service((request) => (request < 8 ? request % 2 : 2));
    expect(await load(SEARCH)).toMatchObject({
      values: [undefined, undefined],
      problems: ["mixed-builds", "mixed-builds"],
    });
    expect(requests).toHaveLength(8);
    expect((await load(SEARCH)).values).toEqual([2, 2]);
  });

  it("has its distribution and its series of one build", async () => {
    const { requests, load } = service((request) => (request === 0 ? 1 : 2));
    expect(await load("?y=price&heat=cost_basis")).toMatchObject({ values: [2], tokens: [2] });
    expect(requests.toSorted()).toEqual(["cost_basis", "cost_basis", "price", "price"]);
  });

  it("is read once where its assets have builds of their own", async () => {
    const { requests, load } = service((_, asset) => (asset === "ARIA" ? 1 : 2));
    expect((await load("?y=sopr&y=DUET.sopr&y=volume:users")).values).toEqual([1, 2, 1]);
    expect(requests).toEqual(["sopr", "volume"]);
  });
});
