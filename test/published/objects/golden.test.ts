import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { decodeObject } from "../../../builder/published/objects/decode-series.ts";
import { COST_PERCENTILES, DISTRIBUTION_NAMES, percentileMetric } from "../../../data-schema/registry/distributions.ts";
import { METRICS } from "../../../data-schema/registry/metrics.ts";
import { RESOLUTIONS } from "../../../data-schema/registry/resolutions.ts";
import { runBuild } from "../../build/checkpoint/nights.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { unpack } from "../../store/unpacked.ts";

/**
 * The input, golden-input/, is of 3,000 simulated transfers. Objects are named by their content. If these change on purpose, raise `ENGINE_VERSION` or the schema version. The points
 * of v1 have a digest of their own, that of 0.3.0: what has come later has changed nothing of them.
 */
const GOLDEN = {
  objects: { count: 332, sha256: "75bc0939429e901c049050c980c88623502f436fd29d54d07f51d8c642d8b214" },
  distributions: { count: 18, sha256: "8e60b302c0653b8c69e977ae759389b2740b35fe52e420ac82913ddd6e5bdd7d" },
  percentiles: { count: 21, sha256: "63620f7ed1a148bdd9658624e39e282a8ab46f009068bec9ea7efc2da6bdfb05" },
  transfers: { count: 17, sha256: "68dfabb65a11c4fab146b1f1d62204726505c68339331fb5309131ff80c93f3c" },
  v1: { count: 2353, sha256: "ad300b80a3d75d8ac0957f7de6fd01e5af6aef6a5c8d3595566ae1cce6582034" },
};

it("the same input gives the same objects as ever, byte for byte, and v1 the same points", async () => {
  const store = new MemoryStore();
  await runBuild(store, fileURLToPath(new URL("golden-input/asset.json", import.meta.url)), { threads: 2 });
  await unpack(store);
  const keys = [...store.objects.keys()].filter((key) => key.startsWith("series/")).sort();
  const isDistribution = (key: string) => DISTRIBUTION_NAMES.some((name) => key.includes(`/${name}/`));
  const isPercentile = (key: string) => COST_PERCENTILES.some((one) => key.includes(`/${percentileMetric(one)}/`));
  const objects = keys.filter((key) => !isDistribution(key) && !isPercentile(key));
  const digest = (lines: string[]) => ({ count: lines.length, sha256: sha256(Buffer.from(lines.join("\n"))) });
  const series = keys.flatMap((key) => pointsOfV1(store.objects.get(key)!.bytes)).sort();
  expect({
    objects: digest(objects),
    distributions: digest(keys.filter(isDistribution)),
    percentiles: digest(keys.filter(isPercentile)),
    transfers: digest([...store.objects.keys()].filter((key) => key.startsWith("transfers/")).sort()),
    v1: digest(series),
  }).toEqual(GOLDEN);
});

/** A line for each series of v1 in an object: its name, and a digest of its points. */
function pointsOfV1(bytes: Uint8Array): string[] {
  const { info, series: runs } = decodeObject(bytes);
  const selector = METRICS.find(({ name }) => name === info.metric)?.selectors.v1;
  if (selector === undefined || !RESOLUTIONS.slice(0, 3).includes(info.resolution)) return [];
  const values = selector?.values ?? ["total"];
  return runs
    .filter((run) => values.includes(run.selector))
    .map(({ selector, t, v, block }) => {
      const columns = [t, v, ...(block ? [block] : [])].map((column) => sha256(new Uint8Array(column.slice().buffer)));
      return [info.metric, info.resolution, info.period, selector, ...columns].join(" ");
    });
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
