/** clients/python against the Worker, on workerd, and against faults. Skipped where there is no Python. */

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Faulty, startFaulty } from "./faulty.ts";
import { findPython, PYTHON_CLIENT } from "./pythons.ts";
import { type Served, serveTokens } from "./served.ts";

const PYTHON = findPython("pandas") ?? findPython() ?? "";
const hasModule = (module: string) => findPython(module) === PYTHON;
const WITH_ARROW = findPython("pyarrow") ?? "";

let served: Served;
let front: Faulty;

beforeAll(async () => {
  if (PYTHON === "") return;
  served = await serveTokens();
  front = await startFaulty(served.url);
});
afterAll(async () => {
  await front?.close();
  await served?.close();
});
beforeEach(() => {
  if (front) Object.assign(front, { faults: [], otherwise: () => "pass", asked: [] });
});

const statuses = () => front.asked.map(({ status }) => status);

/** What a program prints, a JSON value a line, and what it raises. */
function run(
  program: string,
  variables: Record<string, string> = {},
  python = PYTHON,
): Promise<{ printed: unknown[]; raised: string }> {
  const code = `import json, soprano\nshow = lambda value: print(json.dumps(value))\n${program}`;
  const env = {
    ...process.env,
    ...PYTHON_CLIENT,
    SOPRANO_URL: front.url,
    SOPRANO_KEY: served.key,
    ...variables,
  };
  return new Promise((resolve) => {
    execFile(python, ["-W", "error", "-c", code], { env, timeout: 60_000 }, (_, stdout, stderr) => {
      const printed = stdout
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
      resolve({ printed, raised: stderr.trim().split("\n").at(-1) ?? "" });
    });
  });
}

/** What a program shows. */
async function shown(program: string, variables?: Record<string, string>): Promise<unknown[]> {
  const { printed, raised } = await run(program, variables);
  expect(raised).toBe("");
  return printed;
}

const ask = (path: string) =>
  fetch(`${served.url}${path}`, { headers: { "X-Api-Key": served.key } }).then((response) => response.json());

describe.skipIf(PYTHON === "")("soprano (needs Python)", () => {
  it("series is the answer of the API", async () => {
    const [table] = await shown('show(soprano.series(["ARIA", "DUET"], "sopr", ["total", "<1d"], since="-90d"))');
    expect(table).toEqual(await ask("/v3/series?a=ARIA,DUET&m=sopr&c=total,%3C1d&s=-90d"));
  });

  it("takes dates, datetimes, seconds and texts as times", async () => {
    const [times] = await shown(`
from datetime import date, datetime, timedelta, timezone
east = timezone(timedelta(hours=2))
times = [date(2025, 12, 1), datetime(2025, 12, 1), datetime(2025, 12, 1, 2, 0, 0, 5, east), 1764547200, "2025-12-01"]
show([soprano.series("ARIA", "sopr", since=time, until=time)["t"] for time in times])`);
    expect(times).toEqual(Array(5).fill(["2025-12-01T00:00:00"]));
  });

  it("takes spans, floats and whole numbers of other kinds", async () => {
    const [spans, counts] = await shown(`
from datetime import timedelta
show([soprano.series("ARIA", "sopr", since=span)["t"][0] for span in [timedelta(days=30), "-30d", timedelta(hours=-720)]])
show([len(soprano.series("ARIA", "sopr", last=count)["t"]) for count in [3, 3.0]])`);
    expect(new Set(spans as string[]).size).toBe(1);
    expect(counts).toEqual([3, 3]);
    expect((await run('soprano.series("ARIA", "sopr", last=2.5)')).raised).toBe(
      "ValueError: 2.5 is not a whole number.",
    );
  });

  it("asks in parts for more series than the API answers at once", async () => {
    const [whole, time, requests] = await shown(`
names = [metric["name"] for metric in soprano.Client().metrics()]
table = soprano.series(["ARIA", "DUET"], names[:30], last=40)
show([[one["asset"], one["metric"], one["selector"]] for one in table["series"]])
show([table["t"], sorted(table["builds"]), [len(one["v"]) for one in table["series"]]])
parts = {one["metric"]: one["v"] for one in soprano.series("ARIA", names[:5], last=40)["series"]}
show(all(one["v"][-1] == parts[one["metric"]][-1] for one in table["series"] if one["asset"] == "ARIA" and one["metric"] in parts))`);
    const [t, builds, lengths] = time as [string[], string[], number[]];
    expect([t.length, builds, new Set(lengths)]).toEqual([40, ["ARIA", "DUET"], new Set([40])]);
    expect(new Set((whole as string[][]).map(([asset, metric]) => `${asset} ${metric}`)).size).toBe(60);
    expect(requests).toBe(true);
  });

  it("asks in parts for all selectors of a metric", async () => {
    const [names] = (await shown(`
by = lambda r: [one["selector"] for one in soprano.series("ARIA", "cex_inflow", "*", resolution=r, last=2)["series"]]
show([by("day"), by("block")])`)) as [string[][]];
    expect(names[0]!.length).toBeGreaterThan(32);
    expect(names[1]).toEqual(names[0]);
  });

  describe("parts", () => {
    const problem = {
      type: "/problems/too-many-series",
      title: "Too many",
      status: 400,
      detail: "Fewer.",
      parameter: "c",
    };
    const headers = { "Content-Type": "application/problem+json" };
    const refusal = { status: 400, headers, body: JSON.stringify(problem) };

    /** Refuses all requests but those for a single series or formula. */
    const oneByOne = (path: string) => {
      const query = new URL(path, served.url).searchParams;
      const count = (name: string, separator = ",") => query.get(name)?.split(separator).length ?? 0;
      const series = count("m") * Math.max(1, count("c")) + count("x", ";");
      return path.startsWith("/v3/series") && count("a") * series > 1 ? refusal : "pass";
    };

    it("are together what one answer would be", async () => {
      const both = { a: "ARIA,DUET" };
      const block = { r: "block" };
      const queries: Record<string, Record<string, string>> = {
        "several of all": { ...both, m: "sopr,supply", c: "users,total", s: "-90d" },
        "different selectors": { a: "ARIA", m: "price,cex_inflow,sopr", c: "users,binance,all", s: "-1m" },
        "all selectors, and a formula with a name": { a: "duet,aria", m: "price,mvrv", c: "*", last: "3" },
        "the last rows, which are of different times": { a: "DUET,ARIA", m: "volume,sopr", ...block, last: "7" },
        "a span before the last block of all": { ...both, m: "volume,sopr", ...block, s: "-20h" },
        "spans at both ends": { ...both, m: "volume,num_transfers", r: "hour", s: "-1w", u: "-1d" },
        "a formula that names its asset": { ...both, x: "DUET.price;twice=sopr*2", m: "price,supply", last: "5" },
        "one that names another asset": { a: "DUET", x: "ARIA.volume/2;volume/2", m: "volume", ...block, s: "-9h" },
        "semicolons in quotes": { a: "ARIA", x: `one=sopr:'users'; two=index(price, "2025-12-01")`, s: "-1y" },
        "all lots of a method": { ...both, m: "sopr,supply", c: "fifo.*", last: "3" },
        "lots beside all other selectors": { a: "ARIA", m: "mvrv,cex_inflow,liveliness", c: "*,fifo.*", last: "2" },
        "lots, and selectors that other metrics have": {
          ...both,
          m: "liveliness,price,sopr,asopr",
          c: "<1d,fifo.sth,fifo",
          s: "-9d",
        },
        "lots, of a metric that has none": { a: "ARIA", m: "active_addresses", c: "users,fifo,sth", last: "3" },
        "lots alone": { a: "ARIA", m: "liveliness,mean_age,price", c: "fifo,fifo.users", last: "3" },
        "values as they were first published": { ...both, m: "sopr,supply", known: "first", s: "-30d" },
      };
      front.otherwise = oneByOne;
      const tables = await shown(`
names = {"a": "asset", "m": "metric", "c": "cohort", "s": "since", "u": "until", "r": "resolution", "x": "formula"}
for query in json.loads(r"""${JSON.stringify(Object.values(queries))}"""):
    show(soprano.series(**{names.get(name, name): value for name, value in query.items()}))`);
      const whole = Object.values(queries).map((query) => ask(`/v3/series?${new URLSearchParams(query)}`));
      const named = (all: unknown[]) => Object.fromEntries(Object.keys(queries).map((name, at) => [name, all[at]]));
      expect(named(tables)).toEqual(named(await Promise.all(whole)));
    });

    it("refuse what one answer would", async () => {
      front.otherwise = oneByOne;
      const [raised] = (await shown(`
calls = [
    (["price", "sopr"], ["users", "binance"], None),
    (["cex_inflow", "sopr"], ["users"], None),
    (None, None, ["a=sopr", "a=price"]),
]
raised = []
for metric, cohort, formula in calls:
    try:
        soprano.series("ARIA", metric, cohort, formula=formula)
    except (soprano.SopranoError, ValueError) as error:
        raised.append(str(error))
show(raised)`)) as [string[]];
      expect(raised).toEqual([
        expect.stringContaining('selector "binance"'),
        expect.stringContaining("cex_inflow has"),
        "Two columns would be called ARIA:a. Give the formula a name of its own.",
      ]);
    });

    const activeAndEarlier = async () => {
      const { builds } = (await ask("/v3/assets/ARIA/builds")) as { builds: { build: string; asOf: string }[] };
      const isEarlier = ({ asOf }: { asOf: string }) => asOf.startsWith("2025-12-01");
      return [builds.find((one) => !isEarlier(one))!.build, builds.find(isEarlier)!.build] as const;
    };

    it("are read again if a build became active in between", async () => {
      const [active, earlier] = await activeAndEarlier();
      front.faults = [refusal, { build: earlier }, "pass"];
      const [table] = await shown('show(soprano.series("ARIA", ["sopr", "supply"], since="-3d"))');
      expect(table).toEqual(await ask("/v3/series?a=ARIA&m=sopr,supply&s=-3d"));
      expect((table as { builds: unknown }).builds).toEqual({ ARIA: active });
      // The second part has not changed.
      expect(statuses()).toEqual([400, 200, 200, 200, 304]);
    });

    it("count spans from the build that they are of", async () => {
      const [, earlier] = await activeAndEarlier();
      // The last point is of the earlier build, and the parts are not.
      front.faults = [refusal, refusal, { build: earlier }];
      front.otherwise = oneByOne;
      const [table] = await shown('show(soprano.series(["ARIA", "DUET"], "supply", since="-3d"))');
      expect(table).toEqual(await ask("/v3/series?a=ARIA,DUET&m=supply&s=-3d"));
    });

    it("are an error if there is another build each time", async () => {
      const [, earlier] = await activeAndEarlier();
      front.faults = [refusal];
      front.otherwise = (path) => (path.includes("supply") ? { build: earlier } : "pass");
      const { raised } = await run('soprano.Client(patience=0.7).series("ARIA", ["sopr", "supply"])');
      expect(raised).toMatch(/MixedBuilds: ARIA: another build became active .* Ask again in a minute/);
      expect(front.asked).toHaveLength(5);
    });
  });

  it("asks for formulas once, even if metrics are asked for in parts", async () => {
    const [names, first, formulas] = await shown(`
names = [metric["name"] for metric in soprano.Client().metrics()][:30]
table = soprano.series("ARIA", names, last=3, formula={"twice": "sopr * 2", "week": "smooth(sopr, 7)"})
show([one.get("name") for one in table["series"] if "name" in one])
show([one["metric"] for one in table["series"] if "metric" in one] == names)
show([one for one in table["series"] if "name" in one])`);
    expect(names).toEqual(["twice", "week"]);
    expect(first).toBe(true);
    const query = new URLSearchParams({ a: "ARIA", x: "twice=sopr*2;week=smooth(sopr,7)", last: "3" });
    const { series } = (await ask(`/v3/series?${query}`)) as { series: { v: number[] }[] };
    expect((formulas as { v: number[] }[]).map(({ v }) => v)).toEqual(series.map(({ v }) => v));
  });

  it("gives an earlier build", async () => {
    const { builds } = (await ask("/v3/assets/ARIA/builds")) as { builds: { build: string; asOf: string }[] };
    const { build } = builds.find(({ asOf }) => asOf.startsWith("2025-12-01"))!;
    const [earlier, problem] = await shown(`
show(soprano.series("ARIA", "sopr", build="${build}"))
try:
    soprano.series("ARIA", "sopr", build="${build.slice(0, 15)}x")
except soprano.SopranoError as error:
    show([error.status, error.parameter])`);
    const [then, now] = [await ask(`/v3/series?a=ARIA&m=sopr&build=${build}`), await ask("/v3/series?a=ARIA&m=sopr")];
    expect(earlier).toEqual(then);
    expect((earlier as { t: string[] }).t.at(-1)).toBe("2025-11-30T00:00:00");
    expect((now as { t: string[] }).t.at(-1)).toBe("2025-12-31T00:00:00");
    expect(problem).toEqual([400, "build"]);
  });

  it("rows are those of series", async () => {
    const [rows, first] = await shown(`
show(list(soprano.rows("ARIA", ["volume", "sopr"], resolution="hour", last=500)))
show(next(soprano.rows("ARIA", "volume", resolution="block", sb=0, time="unix")))`);
    const { t, series } = (await ask("/v3/series?a=ARIA&m=volume,sopr&r=hour&last=500")) as {
      t: string[];
      series: { v: number[] }[];
    };
    expect(rows).toEqual(
      t.map((t, row) => ({ t, "ARIA:volume:total": series[0]!.v[row], "ARIA:sopr:total": series[1]!.v[row] })),
    );
    expect(first).toEqual({
      t: expect.any(Number),
      block: expect.any(Number),
      "ARIA:volume:total": expect.any(Number),
    });
  });

  it("the catalog needs no key", async () => {
    const [symbols, metrics] = await shown(
      `
show([asset["symbol"] for asset in soprano.Client().assets()])
show([metric["name"] for metric in soprano.Client().metrics()])`,
      { SOPRANO_KEY: "" },
    );
    expect(symbols).toEqual(["ARIA", "DUET"]);
    expect(metrics).toEqual(expect.arrayContaining(["sopr", "price"]));
  });

  describe("errors", () => {
    it("have the members of the problem", async () => {
      const [problem] = await shown(`
try:
    soprano.series("ARIA", "sopr", "user")
except soprano.SopranoError as error:
    show([str(error), error.status, error.type, error.parameter, error.suggestion, "users" in error.allowed])`);
      expect(problem).toEqual([
        'Parameter value not allowed: sopr has no selector "user". Did you mean users?',
        ...[400, "/problems/invalid-parameter", "c", "users", true],
      ]);
    });

    it("never show the key", async () => {
      const key = "11111111-1111-4111-8111-111111111111";
      const program = `
import traceback
client = soprano.Client(key="${key}")
try:
    client.series("ARIA", "sopr")
except soprano.SopranoError as error:
    show([error.status, repr(error), repr(client), "".join(traceback.format_exception(None, error, error.__traceback__))])`;
      const [texts] = (await shown(program)) as [string[]];
      expect(texts[0]).toBe(401);
      expect(JSON.stringify(texts)).not.toContain(key);
      expect(front.asked.map(({ path }) => path).join()).not.toContain(key);
    });

    it("are problems, whatever is in front of the server says", async () => {
      front.faults = [{ status: 502, headers: { "Content-Type": "text/html" }, body: "<h1>Bad gateway</h1>" }];
      expect((await run('soprano.series("ARIA", "sopr")')).raised).toBe(
        "soprano.SopranoError: Bad Gateway: Something in front of Soprano answered with status 502. Check the URL of the client.",
      );
    });

    it("name what there is instead", async () => {
      expect((await run('soprano.series("ARIA", "sopr", start="2025-01-01")')).raised).toBe(
        "TypeError: There is no argument start. Did you mean since?",
      );
      expect((await run('soprano.series("ARIA", "sopr", f="csv")')).raised).toMatch(
        /^TypeError: There is no argument f: /,
      );
      expect((await run('soprano.download("ARIA", "x", metric="soppr")')).raised).toBe(
        "ValueError: ARIA has no files of the metric 'soppr'. Did you mean sopr?",
      );
      expect((await run('soprano.download("ARIA", "x", resolution="minute")')).raised).toMatch(
        /no files of the resolution 'minute'/,
      );
    });

    it("a key with a line break at its end works; one with a break inside is refused, and not shown", async () => {
      const program = 'show(soprano.series("ARIA", "supply", last=1)["t"])';
      expect(await shown(program, { SOPRANO_KEY: `${served.key}\r\n` })).toEqual([["2025-12-31T00:00:00"]]);
      const { raised } = await run(program, { SOPRANO_KEY: "s3cret\nrest" });
      expect(raised).toBe("ValueError: The key has characters that no key has. Copy it again.");
    });

    it("a redirect is not followed: it would take the key along", async () => {
      front.faults = [{ status: 302, headers: { Location: `${front.url}/elsewhere` } }];
      expect((await run('soprano.series("ARIA", "sopr")')).raised).toMatch(/SopranoError: Found: .* status 302/);
      expect(front.asked).toHaveLength(1);
    });
  });

  describe("tries again", () => {
    const program = 'show(soprano.series("ARIA", "supply", last=1)["t"])';

    it("after 429 and 503, when the server says, and after connections that break", async () => {
      const headers = { "Retry-After": "0" };
      front.faults = [{ status: 429, headers }, "drop", { status: 503, headers }, "cut"];
      expect(await shown(program)).toEqual([["2025-12-31T00:00:00"]]);
      expect(statuses()).toEqual([429, 0, 503, 200, 200]);
    });

    it("after one that falls silent", async () => {
      front.faults = ["silent"];
      expect(await shown(`soprano.Client(timeout=0.5).series("ARIA", "supply")["t"]`)).toEqual([]);
      expect(front.asked).toHaveLength(2);
    });

    it("six times at most", async () => {
      front.faults = Array(10).fill({ status: 503, headers: { "Retry-After": "0" } });
      expect((await run(program)).raised).toMatch(/^soprano.SopranoError/);
      expect(front.asked).toHaveLength(6);
    });

    it("not if the server asks for more patience than there is", async () => {
      front.faults = [{ status: 429, headers: { "Retry-After": "60" } }];
      expect((await run('soprano.Client(patience=59).series("ARIA", "supply")')).raised).toMatch(/status 429/);
      expect(front.asked).toHaveLength(1);
    });

    it("hardly where nothing listens", async () => {
      const [raised, seconds] = (await shown(`
import time
began = time.monotonic()
try:
    soprano.Client("http://127.0.0.1:9").metrics()
except OSError as error:
    show(["refused" in str(error), time.monotonic() - began < 2])`)) as [unknown, unknown];
      expect([raised, seconds]).toEqual([[true, true], undefined]);
    });

    it("not if the disk fails", async () => {
      const { raised } = await run('soprano.download("ARIA", "/proc/nowhere", metric="sopr")');
      expect(raised).toMatch(/^FileNotFoundError|^PermissionError|^OSError/);
      expect(front.asked).toHaveLength(1);
    });

    it("not in the midst of rows: a body that breaks off raises", async () => {
      front.faults = ["cut"];
      const { printed, raised } = await run(
        'for row in soprano.rows("ARIA", "volume", resolution="hour"): pass\nshow(1)',
      );
      expect([printed, raised]).toEqual([[], expect.stringContaining("IncompleteRead")]);
      expect(front.asked).toHaveLength(1);
    });
  });

  describe("download", () => {
    const program = (folder: string) =>
      `show(soprano.download("aria", r"${folder}", metric=["sopr", "supply"], resolution="day"))`;

    it("fetches files of lots, and of what they divide", async () => {
      const [paths] = (await shown(
        `show(soprano.download("DUET", r"${join(served.folder, "lots")}", metric=["fifo", "fifo.cost_basis"], resolution="day"))`,
      )) as [string[]];
      expect(paths.map((path) => path.split(sep).at(-2))).toEqual(["fifo", "fifo.cost_basis"]);
    });

    it("fetches the files of a build once, resumes what was interrupted, and checks what has arrived", async () => {
      const folder = join(served.folder, "files");
      front.faults = ["pass", "cut"];
      const [paths] = (await shown(program(folder))) as [string[]];
      expect(paths.map((path) => relative(folder, path).split(sep).slice(0, 2))).toEqual([
        ["day", "sopr"],
        ["day", "supply"],
      ]);
      expect(statuses()).toEqual([200, 206, 206, 206]);
      expect(front.asked[2]!.headers.range).toMatch(/^bytes=[1-9]\d*-$/);
      for (const path of paths) {
        const digest = createHash("sha256").update(readFileSync(path)).digest("hex");
        expect(digest.slice(0, 32)).toBe(path.split(".").at(-2));
      }
      expect(await shown(program(folder))).toEqual([paths]);
      expect(front.asked).toHaveLength(5);
    });

    it("refuses bytes that were not published", async () => {
      const folder = join(served.folder, "damaged");
      front.faults = ["pass", { status: 200, body: "PAR1" }];
      const { printed, raised } = await run(program(folder));
      expect([printed, raised]).toEqual([[], expect.stringMatching(/^OSError: day\/sopr\/.* Download it again\.$/)]);
      expect(globSync("**/*.parquet*", { cwd: folder })).toEqual([]);
    });
  });

  it("an answer that has not changed is not sent again, within the cache's bound", async () => {
    const twice = (client: string) => shown(`client = ${client}\nshow(client.metrics() == client.metrics())`);
    expect(await twice("soprano.Client()")).toEqual([true]);
    expect(statuses()).toEqual([200, 304]);
    expect(await twice("soprano.Client(cache_bytes=100)")).toEqual([true]);
    expect(statuses()).toEqual([200, 304, 200, 200]);
  });
});

describe.skipIf(!hasModule("pandas"))("soprano.frame (needs Python with pandas)", () => {
  it("is one line: the cohorts of a metric as columns", async () => {
    const [columns, kinds, rows, sum] = await shown(`
frame = soprano.frame("ARIA", "supply", cohort="*", since="-1y")
show(list(frame.columns))
show([str(frame.index.dtype), frame.index.name, sorted({str(kind) for kind in frame.dtypes})])
show([[time.isoformat(), *values] for time, values in zip(frame.index, frame[["total", "users"]].values.tolist())])
show(bool((frame[["cex", "sc", "users"]].sum(axis=1) - frame["total"]).abs().max() < 1e-3))`);
    const table = (await ask("/v3/series?a=ARIA&m=supply&c=*&s=-1y")) as {
      t: string[];
      series: { selector: string; v: number[] }[];
    };
    expect(columns).toEqual(table.series.map(({ selector }) => selector));
    expect(kinds).toEqual([expect.stringMatching(/^datetime64\[n?s, UTC\]$/), "t", ["float64"]]);
    const [total, users] = ["total", "users"].map((name) => table.series.find(({ selector }) => selector === name)!);
    expect(rows).toEqual(table.t.map((t, row) => [`${t}+00:00`, total!.v[row], users!.v[row]]));
    expect(sum).toBe(true);
  });

  it("has NaN where a series has no point", async () => {
    const [[missing, rows]] = (await shown(
      'frame = soprano.frame(["ARIA", "DUET"], "supply")\nshow([int(frame["DUET"].isna().sum()), len(frame)])',
    )) as [[number, number]];
    expect(missing).toBeGreaterThan(30);
    expect(rows - missing).toBeGreaterThan(30);
  });

  it("has columns that are named by what tells them apart", async () => {
    const named = [
      ['"ARIA", "sopr"', ["sopr"]],
      ['"ARIA", ["supply", "price"]', ["supply", "price"]],
      ['"ARIA", ["sopr", "inflow_cohort"]', ["sopr", "inflow_cohort"]],
      ['["ARIA", "DUET"], "supply"', ["ARIA", "DUET"]],
      ['["ARIA", "DUET"], "sopr_loss", "users,lth"', ["ARIA users", "ARIA lth", "DUET users", "DUET lth"]],
      ['"ARIA", formula="sma(sopr:lth, 7)"', ["sma(sopr:lth, 7)"]],
      [
        '"ARIA", "price", formula={"week": "sma(sopr, 7)", "above": "price / realised_price"}',
        ["price", "week", "above"],
      ],
      ['["ARIA", "DUET"], formula=["sopr - 1"]', ["ARIA", "DUET"]],
      ['"ARIA", ["mvrv", "sopr"], ["users", "lth"]', ["mvrv users", "mvrv lth", "sopr users", "sopr lth"]],
      ['"ARIA", ["herfindahl", "price"], "*"', ["herfindahl total", "herfindahl users", "price total"]],
    ] as const;
    const calls = named.map(([call]) => `show(list(soprano.frame(${call}, last=1).columns))`);
    expect(await shown(calls.join("\n"))).toEqual(named.map(([, columns]) => columns));
  });

  it("at block resolution, the index has time and block", async () => {
    const [names] = await shown('show(list(soprano.frame("ARIA", "volume", resolution="block").index.names))');
    expect(names).toEqual(["t", "block"]);
  });

  it("says in its attributes which data it is", async () => {
    const [attributes] = await shown('show(soprano.frame("ARIA", ["sopr", "price"], last=1).attrs)');
    const { builds, asOf } = (await ask("/v3/series?a=ARIA&m=sopr&last=1")) as Record<string, unknown>;
    expect(attributes).toEqual({
      builds,
      as_of: asOf,
      resolution: "day",
      units: { sopr: "ratio", price: "usd_per_token" },
    });
  });

  it("takes NumPy's numbers and times", async () => {
    const [times, count] = await shown(`
import numpy as np, pandas as pd
times = [np.datetime64("2025-12-01"), np.datetime64("2025-12-01T00:00:00.000000000"), pd.Timestamp("2025-12-01"), np.int64(1764547200), np.float64(1764547200.0)]
show([soprano.series("ARIA", "sopr", since=time, until=time)["t"] for time in times])
show(len(soprano.series("ARIA", "sopr", last=np.int32(3))["t"]) + len(soprano.series("ARIA", "sopr", since=np.timedelta64(2, "D"))["t"]))`);
    expect(times).toEqual(Array(5).fill(["2025-12-01T00:00:00"]));
    expect(count).toBe(6);
  });

  it("without points, it is an empty frame", async () => {
    const [shape] = await shown('show(list(soprano.frame("ARIA", ["supply", "price"], until="2001-01-01").shape))');
    expect(shape).toEqual([0, 2]);
  });
});

describe.skipIf(WITH_ARROW === "")("Client.arrow (needs Python with pyarrow)", () => {
  it("has the times and values of series, and null where there is none", async () => {
    const program = `
client = soprano.Client()
asked = (["ARIA", "DUET"], ["volume", "sopr"], "*")
table = client.arrow(*asked, time="unix")
expected = client.series(*asked, time="unix")
show([column.to_pylist() for column in table.columns] == [expected["t"], *(one["v"] for one in expected["series"])])
show([sum(column.null_count for column in table.columns) > 0, str(client.arrow(*asked).schema.field("t").type)])`;
    expect(await run(program, {}, WITH_ARROW)).toEqual({
      printed: [true, [true, "timestamp[ms, tz=UTC]"]],
      raised: "",
    });
  });
});
