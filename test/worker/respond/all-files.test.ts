/** GET /v3/files of what is no metric: own cohorts and distributions. */

import { env } from "cloudflare:workers";
import { createHash } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { type Client, freshIsolate, putKey } from "../client.ts";
import { at, DAY, publish } from "../token.ts";

const FIRST = at("2025-03-01");

interface File {
  path: string;
  metric: string;
  resolution: string;
  period: string;
  sha256: string;
}

let client: Client;
let files: File[];

beforeAll(async () => {
  await Promise.all([
    putKey(),
    publish(env.BUCKET, {
      symbol: "ARIA",
      own: ["@team-1"],
      metrics: ["supply"],
      periods: { day: [{ name: "all", from: FIRST, to: FIRST + 9 * DAY }] },
      range: { day: [FIRST, FIRST] },
      series: () => [{ t: FIRST, v: 1 }],
      distributions: (name, resolution) =>
        resolution === "week"
          ? []
          : [{ selector: `supply:total:${name}`, t: Float64Array.of(FIRST), v: Float64Array.of(1) }],
    }),
  ]);
  client = freshIsolate();
  ({ files } = await (await client.fetch("/v3/files/ARIA")).json<{ files: File[] }>());
});

describe("files", () => {
  it("are listed of metrics, own cohorts and distributions", () => {
    expect(files.map(({ resolution, metric, period }) => [resolution, metric, period].join(" "))).toEqual([
      ...["day supply all", "day @team-1 all"],
      ...["day cost_basis 2025", "day acquired 2025", "day first_seen 2025"],
      ...["month cost_basis 2025", "month acquired 2025", "month first_seen 2025"],
    ]);
  });

  it("have the bytes that the list says", async () => {
    for (const { path, sha256 } of files) {
      const response = await client.fetch(`/v3/files/ARIA/${path}`);
      expect(response.status, path).toBe(200);
      const bytes = new Uint8Array(await response.arrayBuffer());
      expect(createHash("sha256").update(bytes).digest("hex")).toBe(sha256);
    }
  });

  it("that are no longer there have a successor", async () => {
    for (const { path } of files) {
      const gone = path.replace(/[0-9a-f]{32}/, "0".repeat(32));
      const response = await client.fetch(`/v3/files/ARIA/${gone}`);
      expect([response.status, await response.json()]).toMatchObject([
        404,
        { type: "/problems/unknown-file", suggestion: `/v3/files/ARIA/${path}` },
      ]);
    }
  });

  it("are named as they are published", async () => {
    const hash = "0".repeat(32);
    for (const path of [
      ...[
        `day/cost_basis/all.${hash}.parquet`,
        `hour/cost_basis/2025.${hash}.parquet`,
        `day/@Team/all.${hash}.parquet`,
      ],
      ...[`day/supply/2025.${hash}.parquet`, `day/@/all.${hash}.parquet`, `day/@..%2f/all.${hash}.parquet`],
    ]) {
      const response = await client.fetch(`/v3/files/ARIA/${path}`);
      expect([response.status, await response.json()], path).toMatchObject([404, { type: "/problems/unknown-file" }]);
    }
  });
});
