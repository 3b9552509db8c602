/** The one request that a program's series come from. */

import { SINGLE_SERIES } from "../../../../data-schema/registry.ts";
import { isoTimeWithoutZone } from "../../../../data-schema/text.ts";
import { type Catalog, catalogMetric, type Resolution } from "../../api/catalog.ts";
import { queryValue } from "../../api/request.ts";
import { shortTime } from "../../format/time.ts";
import { type Bounds, neededBounds } from "../needed-bounds.ts";
import { type Program, type ProgramLine, programInputs } from "./program.ts";

/** The program for lines between two times, from a server at an origin. */
export function programOf(
  lines: readonly ProgramLine[],
  {
    resolution,
    bounds,
    origin,
    key,
    isFirst = false,
  }: { resolution: Resolution; bounds: Bounds; origin: string; key: string; isFirst?: boolean },
  catalog: Catalog,
): Program {
  const inputs = programInputs(lines);
  const distinct = (values: readonly string[]) => [...new Set(values)].join(",");
  const query = [
    ["a", distinct(inputs.map(({ asset }) => asset))],
    ["m", distinct(inputs.map(({ metric }) => metric))],
  ];
  // Without `c`, each metric has its default.
  if (inputs.some(({ metric, selector }) => selector !== (catalogMetric(catalog, metric)?.selector?.default ?? null))) {
    // Beside its lots, the single series of a metric must be named: lots alone leave it out.
    const ofSingle = (metric: string) => (catalogMetric(catalog, metric)?.lots ? [SINGLE_SERIES] : []);
    query.push(["c", distinct(inputs.flatMap(({ metric, selector }) => selector ?? ofSingle(metric)))]);
  }
  if (resolution !== "day") query.push(["r", resolution]);
  const { since, until } = neededBounds(
    bounds,
    lines.map(({ formula }) => formula),
    resolution,
  );
  if (since !== null) query.push(["s", shortTime(since)]);
  if (until !== null) query.push(["u", shortTime(until)]);
  if (isFirst) query.push(["known", "first"]);
  return {
    url: `${origin}/v3/series?${query.map(([name, value]) => `${name}=${queryValue(value!)}`).join("&")}`,
    key,
    resolution,
    lines,
    since: since === bounds.since ? null : isoTimeWithoutZone(bounds.since!),
    until: until === bounds.until ? null : isoTimeWithoutZone(bounds.until!),
  };
}
