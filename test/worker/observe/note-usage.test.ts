/** What is counted of each key. */

import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { freshIsolate, KEY, putKey } from "../client.ts";
import { LONG, publishSeen } from "./seen.ts";

const log = vi.spyOn(console, "log");
const errors = vi.spyOn(console, "error");
beforeEach(() => {
  log.mockImplementation(() => {});
  errors.mockImplementation(() => {});
});
afterEach(() => {
  log.mockReset();
  errors.mockReset();
});

beforeAll(async () => {
  await putKey();
  await putKey("00000000-0000-4000-8000-000000000001", { id: "gone", status: "revoked" });
  await publishSeen();
});

/** A client, and the data points that it leaves. */
function counted() {
  const points: AnalyticsEngineDataPoint[] = [];
  const usage = { writeDataPoint: (point?: AnalyticsEngineDataPoint) => void points.push(point!) };
  return { client: freshIsolate({ usage }), points };
}

it("is each request with a key, and what was sent", async () => {
  const { client, points } = counted();
  const one = (await (await client.fetch("/v1/metrics/sopr?a=seen")).bytes()).length;
  const table = (await (await client.fetch("/v3/series?a=seen&m=sopr&f=csv")).bytes()).length;
  await client.fetch("/v1/metrics/sopr?a=seen", { method: "HEAD" });
  await client.fetch("/v1/metrics/sopr?a=none");
  await client.fetch("/v1/metrics/sopr?a=seen", { headers: { "X-Api-Key": KEY, "If-None-Match": "*" } });
  const metric = "/:version/metrics/:metric";
  expect(points).toEqual([
    { indexes: ["k1"], blobs: [metric, "sopr", "json", "SEEN", "200"], doubles: [1, 3, one] },
    { indexes: ["k1"], blobs: ["/v3/series", "", "csv", "SEEN", "200"], doubles: [1, 3, table] },
    { indexes: ["k1"], blobs: [metric, "sopr", "json", "SEEN", "200"], doubles: [1, 0, 0] },
    { indexes: ["k1"], blobs: [metric, "sopr", "json", "", "404"], doubles: [1, 0, 0] },
    { indexes: ["k1"], blobs: [metric, "sopr", "json", "SEEN", "304"], doubles: [1, 0, 0] },
  ]);
});

it("is a long answer once it has been sent", async () => {
  const { client, points } = counted();
  const response = await client.fetch("/v1/metrics/sopr?a=seen&r=block");
  expect(points).toEqual([]);
  const { length } = await response.bytes();
  await vi.waitFor(() => expect(points).toHaveLength(1));
  expect(points[0]!.doubles).toEqual([1, LONG, length]);
});

it("is no request without a valid key", async () => {
  const { client, points } = counted();
  await client.fetch("/v1/metrics");
  await client.fetch("/v1/metrics/sopr?a=seen&api_key=");
  await client.fetch("/v1/metrics/sopr?a=seen&api_key=00000000-0000-4000-8000-000000000001");
  expect(points).toEqual([]);
});

it("names the tool of a language model", async () => {
  const { client, points } = counted();
  const params = { name: "read_series", arguments: { assets: ["SEEN"], metrics: ["sopr"] } };
  await client.fetch("/mcp", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  expect(points).toMatchObject([{ indexes: ["k1"], blobs: ["/mcp", "read_series", "", "", "200"] }]);
  expect(points[0]!.doubles!.slice(0, 2)).toEqual([1, 3]);
});

it("takes no request down with it", async () => {
  const usage = {
    writeDataPoint: () => {
      throw new Error("too many data points");
    },
  };
  const { status } = await freshIsolate({ usage }).fetch("/v1/metrics/sopr?a=seen");
  expect(status).toBe(200);
  expect(errors.mock.calls[0]![0]).toContain('"kind":"usage-unavailable"');
});
