import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Fetched, formatFetched, parseFetched, readFetched } from "../../../builder/input/fetched/fetched.ts";

const file = (name: string, from: number, to: number): Fetched["files"][number] => ({
  file: `transfers/${name}.parquet`,
  from,
  to,
  lastHash: `0x${"ab".repeat(32)}`,
  rows: 12,
  bytes: 3456,
  sha256: "cd".repeat(32),
  source: "rpc",
});

const hours = (from: number, ...files: Fetched["files"]) => ({
  files,
  from,
  to: 300,
  lastHash: `0x${"ab".repeat(32)}`,
});

const FETCHED: Fetched = {
  schema: 2,
  chainId: 1,
  contract: `0x${"70".repeat(20)}`,
  terms: { events: "erc20" },
  asOf: "2026-11-22T00:00:00Z",
  files: [file("2026-10", 100, 199), file("2026-11-01", 200, 199), file("2026-11-02", 200, 250)],
  labels: "2026-11",
  check: {
    status: "failed",
    block: 260,
    hash: `0x${"ef".repeat(32)}`,
    holders: 10,
    of: 10,
    supply: "1000000000000000000000000000",
    at: "2026-11-22T00:10:00.000Z",
    problems: ["Two balances differ."],
  },
};

describe("fetch.json", () => {
  it("reads what it writes", async () => {
    const folder = mkdtempSync(join(tmpdir(), "soprano-fetched-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    expect(await readFetched(folder)).toBeUndefined();
    writeFileSync(join(folder, "fetch.json"), formatFetched(FETCHED));
    expect(await readFetched(folder)).toEqual(FETCHED);
  });

  it("reads hours, which earlier versions of Soprano don't know", () => {
    const running = hours(251, file("2026-11-03T04", 255, 260), file("2026-11-03T09", 290, 300));
    const { check: _, ...rest } = FETCHED;
    const record: Fetched = { ...rest, asOf: "2026-11-03T11:00:00Z", hours: running };
    const text = formatFetched(record);
    expect(JSON.parse(text).schema).toBe(3);
    expect(JSON.parse(formatFetched(FETCHED)).schema).toBe(2);
    expect(parseFetched("fetch.json", text)).toEqual(record);
  });

  it("reads a table of kinds, which earlier versions of Soprano don't know", () => {
    const record: Fetched = { ...FETCHED, kinds: "ethereum-2026-11", tables: { kinds: "ab".repeat(32) } };
    const text = formatFetched(record);
    expect(JSON.parse(text).schema).toBe(4);
    expect(parseFetched("fetch.json", text)).toEqual(record);
  });

  it.each<[string, unknown, RegExp]>([
    ["cut off", formatFetched(FETCHED).slice(0, 100), /^fetch\.json is not JSON; restore it/],
    ["null", "null", /is damaged at the object;/],
    ["of a later version", { ...FETCHED, schema: 5 }, /another version of Soprano \(schema 5\); update/],
    ["without its chain", { ...FETCHED, chainId: undefined }, /damaged at chainId;/],
    ["with a foreign path", { ...FETCHED, files: [file("../../x", 1, 2)] }, /damaged at files\.0\.file;/],
    [
      "with a gap",
      { ...FETCHED, files: [file("2026-10", 100, 199), file("2026-11", 201, 300)] },
      /damaged at files\.1:/,
    ],
    ["whose hours begin later", { ...FETCHED, hours: hours(253) }, /damaged at hours: they do not follow/],
    ["whose hours end later", { ...FETCHED, hours: hours(251, file("2026-11-03T04", 299, 301)) }, /damaged at hours:/],
    [
      "with a day among its hours",
      { ...FETCHED, hours: hours(251, file("2026-11-03", 251, 260)) },
      /damaged at hours\./,
    ],
    ["with an hour among its days", { ...FETCHED, files: [file("2026-11-03T04", 1, 2)] }, /damaged at files\.0\.file;/],
  ])("refuses a record that is %s", (_, content, message) => {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    expect(() => parseFetched("fetch.json", text)).toThrow(message);
  });
});
