/** The metric registry against the tables of the original specification. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { HOLDING_TERMS } from "../../data-schema/registry/cohorts.ts";
import { EXCHANGE_SELECTORS } from "../../data-schema/registry/exchanges.ts";
import {
  findMetric,
  METRICS,
  type Metric,
  type MetricName,
  metricByName,
  metricNames,
  resolutionsOf,
  selectorIn,
  seriesOf,
  VERSIONS,
  v1ResolutionsOf,
} from "../../data-schema/registry/metrics.ts";

const specification = readFileSync(new URL("specification-tables.md", import.meta.url), "utf8");

/** Text between two markers, the second excluded. */
function section(from: string, to: string): string {
  const start = specification.indexOf(from);
  const end = specification.indexOf(to, start);
  return specification.slice(start, end < 0 ? undefined : end);
}

const quoted = (text: string) => Array.from(text.matchAll(/`([^`]+)`/g), ([, value]) => value!);

function bullet(label: string): string[] {
  const line = specification.split("\n").find((candidate) => candidate.startsWith(`- ${label}`));
  return quoted(line ?? "");
}

/** Rows of a table whose first cell is a metric: its name, its parameters, and the set of its selector. */
function rows(from: string, to: string): [name: string, parameters: string, set: string][] {
  return section(from, to)
    .split("\n")
    .filter((line) => /^\| [a-z_]+ \|/.test(line))
    .map((line) => {
      const [name = "", parameters = "", set = ""] = line.slice(2, -2).split(" | ");
      return [name, parameters, set];
    });
}

const subdivisions = [...bullet("Value ranges"), ...bullet("Balance cohorts"), ...bullet("Holding-age cohorts")];
const sets: Record<string, string[]> = {
  "Set A": ["total", "users", ...subdivisions],
  "Set B": ["total", "users"],
  "Set C": ["total", "users", ...subdivisions, "sc", "cex"],
  "Set D": subdivisions,
  "Set E": ["total", ...subdivisions],
  "Exchange selector": [...EXCHANGE_SELECTORS],
};
const samples = quoted(section("### Transfer sample values", "### Exchange selector values").split("\n")[2] ?? "");
const sorted = (values: readonly string[]) => [...values].sort();

const v1 = rows("### 4.2 Version v1", "\u0000");
const v2 = rows("### 4.1 Version v2", "### 4.2 Version v1");

/** Parameters of a row: those in backquotes, but not those named as absent (`(no r)`, `; no c`). */
const parameters = (cell: string) => quoted(cell.replace(/\(.*?\)|;.*$/g, "")).filter((name) => /^[a-z]$/.test(name));

describe("registry and specification", () => {
  it("have 43 metrics in v1 and 11 in v2", () => {
    expect(v1).toHaveLength(43);
    expect(v2).toHaveLength(11);
    expect(metricNames("v1")).toEqual(v1.map(([name]) => name));
    expect(sorted(metricNames("v2"))).toEqual(sorted(v2.map(([name]) => name)));
  });

  it.each(v1)("v1 %s takes %s", (name, parametersCell, set) => {
    const metric = findMetric("v1", name) as Metric;
    const taken = parameters(parametersCell);
    expect(v1ResolutionsOf(metric)).toEqual(taken.includes("r") ? ["day", "hour", "block"] : ["day"]);
    const selector = metric.selectors.v1;
    if (taken.includes("t")) {
      expect(selector).toMatchObject({ parameter: "t", default: "all" });
      expect(selector?.values).toEqual(samples);
    } else if (set === "none") {
      expect(selector).toBeNull();
    } else {
      expect(selector?.parameter).toBe("c");
      expect(sorted(selector?.values ?? [])).toEqual(sorted(sets[set]!));
      const [, stated] = section(`- ${set}`, "\n").match(/Default `([^`]+)`/) ?? [];
      expect(selector?.default).toBe(stated);
    }
  });

  it.each(v2)("v2 %s takes %s", (name, parametersCell) => {
    const metric = findMetric("v2", name) as Metric;
    const taken = parameters(parametersCell);
    expect(v1ResolutionsOf(metric)).toEqual(taken.includes("r") ? ["day", "hour", "block"] : ["day"]);
    const selector = metric.selectors.v2;
    if (!taken.includes("c")) expect(selector).toBeNull();
    else {
      const [allowed = "", stated = ""] = section("v2 `c` for", "\n").split("Default");
      expect(selector?.values).toEqual(quoted(allowed.slice(allowed.indexOf("one of"))));
      expect(selector?.default).toBe(quoted(stated)[0]);
    }
  });

  it("has 53 exchange selectors without repeats", () => {
    expect(new Set(EXCHANGE_SELECTORS).size).toBe(53);
    expect(EXCHANGE_SELECTORS.length).toBe(53);
  });

  it("serves no metric under a version that lacks it", () => {
    expect(findMetric("v2", "num_transfers")).toBeUndefined();
    expect(findMetric("v1", "nothing")).toBeUndefined();
    for (const version of VERSIONS) {
      for (const name of metricNames(version)) expect(findMetric(version, name)?.name).toBe(name);
    }
  });

  it("stores every selector that any version serves", () => {
    for (const metric of METRICS as readonly Metric[]) {
      const stored = seriesOf(metric);
      for (const value of metric.selectors.v2?.values ?? []) expect(stored).toContain(value);
      for (const value of metric.selectors.v1?.values ?? []) expect(stored).toContain(value);
    }
  });
});

describe("v3", () => {
  const own = (METRICS as readonly (Metric & { name: MetricName })[]).filter(({ selectors }) => !("v1" in selectors));

  it("has metrics of its own besides those of v1", () => {
    expect(own).toHaveLength(35);
    // A metric that is added names the engine with which it comes.
    expect(own.filter(({ cameWith }) => cameWith === undefined)).toHaveLength(20);
    for (const { name } of own) {
      for (const version of VERSIONS) expect(findMetric(version, name)).toBeUndefined();
    }
  });

  it("has terms wherever a metric takes cohorts, and nowhere else", () => {
    for (const metric of METRICS as readonly Metric[]) {
      const [before, after] = [metric.selectors.v1, selectorIn(metric)];
      if (before === undefined) continue;
      const terms = before?.title === "Address cohort" ? HOLDING_TERMS : [];
      expect(after?.values).toEqual(before?.values && [...before.values, ...terms]);
    }
    expect(selectorIn(metricByName("price"))).toBeNull();
  });

  it("has states of coin age by day, and activity by every resolution but blocks", () => {
    expect(resolutionsOf(metricByName("mean_age"))).toEqual(["day", "week", "month"]);
    expect(resolutionsOf(metricByName("active_addresses"))).toEqual(["day", "hour", "week", "month"]);
    expect(resolutionsOf(metricByName("new_addresses"))).toContain("block");
  });

  it("has weeks and months of every metric, and the price of every hour", () => {
    expect(resolutionsOf(metricByName("volume"))).toEqual(["day", "hour", "block", "week", "month"]);
    expect(resolutionsOf(metricByName("supply"))).toEqual(["day", "week", "month"]);
    expect(resolutionsOf(metricByName("price"))).toEqual(["day", "hour", "week", "month"]);
  });
});
