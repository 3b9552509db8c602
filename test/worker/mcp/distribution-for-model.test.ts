/** The tool read_distribution of POST /mcp. */

import { env } from "cloudflare:workers";
import type { CallToolResult, Client as Model } from "@modelcontextprotocol/client";
import { beforeAll, describe, expect, it } from "vitest";
import { bucketSeries, DISTRIBUTION_FIELDS } from "../../../data-schema/registry/distributions.ts";
import { freshIsolate, putKey } from "../client.ts";
import { at, DAY, publish } from "../token.ts";
import { connect } from "./model.ts";

const FIRST = at("2025-03-01");
/** More than an answer has room for. */
const STEPS = Array.from({ length: 400 }, (_, i) => i - 200);

let model: Model;

beforeAll(async () => {
  await putKey();
  await publish(env.BUCKET, {
    symbol: "ARIA",
    metrics: ["price"],
    periods: { day: [{ name: "all", from: FIRST, to: FIRST + 10 * DAY }] },
    range: { day: [FIRST, FIRST + DAY] },
    series: () => [FIRST, FIRST + DAY].map((t) => ({ t, v: 1.03 })),
    distributions: (name, resolution) => {
      if (resolution !== "day" || name === "first_seen") return [];
      const buckets = name === "acquired" ? ["2024-12", "2025-03"] : STEPS.map((k) => `k${k}`);
      return DISTRIBUTION_FIELDS.flatMap((field) =>
        buckets.map((bucket, i) => ({
          selector: bucketSeries(field, "total", bucket),
          t: Float64Array.of(FIRST, FIRST + DAY),
          v: Float64Array.of(1 + i, 2 + i),
        })),
      );
    },
  });
  model = await connect(freshIsolate());
});

const call = async (given: Record<string, unknown>) =>
  (await model.callTool({ name: "read_distribution", arguments: { asset: "ARIA", ...given } })) as CallToolResult;
const valuesOf = async (given: Record<string, unknown>) => {
  const { isError, structuredContent, content } = await call(given);
  expect(isError, JSON.stringify(content)).toBeFalsy();
  return structuredContent as { t: string | null; buckets: Record<string, unknown>[]; omitted: string[]; url: string };
};

describe("read_distribution", () => {
  it("gives the buckets at the last close, or at an earlier one", async () => {
    const { t, buckets, omitted, url } = await valuesOf({ distribution: "acquired" });
    expect([t, omitted]).toEqual(["2025-03-02T00:00:00", []]);
    expect(url).toBe("https://soprano.test/v3/distributions/acquired?a=ARIA&last=1");
    expect(buckets).toEqual([
      ...[{ name: "2024-12", from: "2024-12-01T00:00:00", to: "2025-01-01T00:00:00", ...of(2) }],
      ...[{ name: "2025-03", from: "2025-03-01T00:00:00", to: "2025-04-01T00:00:00", ...of(3) }],
    ]);
    const before = await valuesOf({ distribution: "acquired", until: "2025-03-01" });
    expect([before.t, before.buckets[0]]).toMatchObject(["2025-03-01T00:00:00", of(1)]);
    expect(await valuesOf({ distribution: "first_seen" })).toMatchObject({ t, buckets: [] });
  });

  it("leaves out the buckets with the least tokens if they are too many", async () => {
    const { buckets, omitted } = await valuesOf({ distribution: "cost_basis" });
    expect(buckets.length).toBeGreaterThan(50);
    expect(buckets.length).toBeLessThan(STEPS.length);
    expect(buckets.map(({ name }) => name)).toEqual(STEPS.slice(-buckets.length).map((k) => `k${k}`));
    expect(omitted).toEqual([
      `The ${STEPS.length - buckets.length} buckets with the least supply are left out; the url has them.`,
    ]);
  });

  it("gives the buckets around the price, and on which side of it they are", async () => {
    const { buckets, omitted, url, ...others } = await valuesOf({ distribution: "cost_basis", around: 1 });
    expect(others).toMatchObject({ t: "2025-03-02T00:00:00", price: 1.03 });
    expect(url).toBe("https://soprano.test/v3/distributions/cost_basis?a=ARIA&around=1&last=1");
    expect(omitted).toEqual([]);
    expect(buckets.map(({ name, side }) => [name, side])).toEqual([
      ...[
        ["below", "in"],
        ["k-1", "in"],
        ["k0", "at"],
        ["k1", "out"],
      ],
      ["above", "out"],
    ]);
    expect(buckets[2]).toMatchObject({ from: 1, ...of(2 + 200) });
  });

  it("says what is wrong", async () => {
    const wrong = async (given: Record<string, unknown>) => JSON.stringify((await call(given)).content);
    expect(await wrong({ distribution: "cost" })).toContain("distribution: There is no such value.");
    expect(await wrong({ distribution: "acquired", selector: "sth" })).toContain("selector: There is no such value.");
    expect(await wrong({ distribution: "acquired", asset: "NONE" })).toContain("asset: There are no metrics");
    expect(await wrong({ distribution: "acquired", until: "tomorrow" })).toContain("until: ");
    expect(await wrong({ distribution: "acquired", around: 3 })).toContain("around: Only cost_basis takes around");
    expect(await wrong({ distribution: "cost_basis", around: 101 })).toContain("around");
  });
});

const of = (value: number) => ({ supply: value, realised_cap: value, num_addresses: value });
