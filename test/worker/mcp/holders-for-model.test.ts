/** The tools read_holders, read_address, read_largest_transfers and read_events of POST /mcp. */

import { env } from "cloudflare:workers";
import type { CallToolResult, Client as Model } from "@modelcontextprotocol/client";
import { beforeAll, expect, it } from "vitest";
import { type Client, freshIsolate, putKey } from "../client.ts";
import { at, DAY, publish } from "../token.ts";
import { connect } from "./model.ts";

const FIRST = at("2025-03-01");
const addressOf = (n: number) => `0x${String(n).padStart(40, "0")}`;

let worker: Client;
let model: Model;

beforeAll(async () => {
  await putKey();
  await publish(env.BUCKET, {
    symbol: "ARIA",
    metrics: ["price"],
    periods: { day: [{ name: "all", from: FIRST, to: FIRST + 10 * DAY }] },
    range: { day: [FIRST, FIRST + DAY] },
    series: () => [],
    holders: {
      // More than an answer has room for.
      rows: Array.from({ length: 200 }, (_, n) => ({
        ...{ address: addressOf(n + 1), label: n % 2, balance: BigInt(n) * 10n ** 18n, basis: n % 3, since: FIRST },
        ...{ firstEvent: FIRST, lastEvent: FIRST + DAY, realised: -n, sent: 1, receipts: 1, sends: 1, cohorts: [] },
      })),
      price: 1,
      days: [{ day: FIRST, supply: 5n, largest: [[addressOf(7), 3n]] }],
      groupRows: 64,
      hasLists: false,
    },
    transfers: [FIRST, FIRST + DAY].map((time, n) => ({
      ...{ time, block: n, logIndex: n, from: addressOf(1), to: addressOf(2), fromLabel: 0, toLabel: 1 },
      ...{ price: 2, raw: 3n * 10n ** 18n },
    })),
    events: [{ t: FIRST, title: "Listing" }],
  });
  worker = freshIsolate();
  model = await connect(worker);
});

const call = async (name: string, given: Record<string, unknown>) =>
  (await model.callTool({ name, arguments: given })) as CallToolResult;
async function valuesOf(name: string, given: Record<string, unknown>) {
  const { isError, structuredContent, content } = await call(name, given);
  expect(isError, JSON.stringify(content)).toBeFalsy();
  return structuredContent as { holders: Record<string, unknown>[]; omitted: string[]; url: string };
}
const json = async (path: string) => (await worker.fetch(path)).json<{ holders: Record<string, unknown>[] }>();

it("reads what GET /v3/holders reads, and says where all of it is", async () => {
  const given = { asset: "ARIA", sort: "unrealised_profit", order: "asc", group: "users", limit: 3 };
  const { url, omitted, ...answer } = await valuesOf("read_holders", given);
  expect(url).toBe("https://soprano.test/v3/holders?a=ARIA&sort=unrealised_profit&order=asc&group=users&limit=3");
  expect(omitted).toEqual([]);
  expect(answer).toEqual(await json(new URL(url).pathname + new URL(url).search));
  expect(answer.holders).toHaveLength(3);
  expect((await valuesOf("read_holders", { asset: "aria" })).holders).toHaveLength(20);
  const largest = await valuesOf("read_holders", { asset: "ARIA", at: "2025-03-01" });
  expect(largest).toMatchObject({ at: "2025-03-01T00:00:00", holders: [{ address: addressOf(7), raw: "3" }] });
});

it("leaves out the last rows if they are too many", async () => {
  const { holders, omitted } = await valuesOf("read_holders", { asset: "ARIA", limit: 200 });
  expect(holders.length).toBeGreaterThan(10);
  expect(holders.length).toBeLessThan(100);
  expect(holders[0]).toMatchObject({ address: addressOf(200) });
  expect(omitted).toEqual([`The last ${200 - holders.length} rows are left out; the url has them.`]);
});

it("reads an address", async () => {
  const { url, holders } = await valuesOf("read_address", { address: addressOf(5) });
  expect(url).toBe(`https://soprano.test/v3/holders/${addressOf(5)}`);
  expect(holders).toMatchObject([{ asset: "ARIA", address: addressOf(5), balance: 4, group: "users" }]);
  expect((await valuesOf("read_address", { address: addressOf(999), assets: ["ARIA"] })).holders).toEqual([]);
});

it("reads the largest transfers of some days, and the calendar", async () => {
  const { url, omitted, ...answer } = await valuesOf("read_largest_transfers", { asset: "ARIA", since: "-1d" });
  expect([url, omitted]).toEqual(["https://soprano.test/v3/transfers/largest?a=ARIA&s=-1d", []]);
  expect(answer).toEqual(await json(new URL(url).pathname + new URL(url).search));
  expect(answer).toMatchObject({ transfers: [{ block: 0, dollars: 6 }, { block: 1 }] });
  const last = await valuesOf("read_largest_transfers", { asset: "ARIA" });
  expect(last).toMatchObject({ transfers: [{ block: 1 }] });
  const calendar = await valuesOf("read_events", { asset: "aria" });
  expect(calendar).toMatchObject({
    events: [{ t: "2025-03-01T00:00:00", title: "Listing", link: null }],
    url: "https://soprano.test/v3/assets/ARIA/events",
  });
});

it("says what is wrong", async () => {
  const wrong = async (name: string, given: Record<string, unknown>) =>
    JSON.stringify((await call(name, given)).content);
  expect(await wrong("read_holders", { asset: "ARIA", sort: "price" })).toContain("sort: There is no such value.");
  expect(await wrong("read_holders", { asset: "ARIA", at: "2025-03-01", group: "sc" })).toContain(
    "at: at and group exclude",
  );
  expect(await wrong("read_holders", { asset: "ARIA", at: "2026-01-01" })).toContain("from 2025-03-01 to 2025-03-02");
  expect(await wrong("read_holders", { asset: "NONE" })).toContain("asset: There are no metrics");
  expect(await wrong("read_largest_transfers", { asset: "ARIA", since: "soon" })).toContain("since: ");
  expect(await wrong("read_events", { asset: "NONE" })).toContain("asset: There are no metrics");
  expect(await wrong("read_address", { address: "0x12" })).toContain("address: ");
  expect(await wrong("read_address", { address: addressOf(1), assets: ["NONE"] })).toContain(
    "assets: There are no metrics",
  );
});
