/** The active form of a recorded manifest. */

import { describe, expect, it } from "vitest";
import { activeManifest, isActiveFormOf } from "../../../builder/published/publish/active-manifest.ts";
import { MANIFEST_VERSION, type Manifest, parseManifest } from "../../../data-schema/stored.ts";

const recorded = parseManifest(
  JSON.stringify({
    schema: MANIFEST_VERSION,
    symbol: "TOK",
    name: "Token",
    chain: "ethereum",
    contract: `0x${"c".repeat(40)}`,
    decimals: 18,
    maxSupply: "1000",
    balanceUnit: "5e-7",
    asOf: "2026-11-20T00:00:00Z",
    build: "1".repeat(16),
    created: "2026-11-20T02:00:00Z",
    engine: "3",
    counts: { transfers: 1, mints: 1, burns: 0 },
    inputs: [{ role: "transfers", file: "transfers.csv", sha256: "ab", bytes: 10, rows: 1 }],
    resolutions: { day: { first: null, last: null, periods: [] } },
  }),
);

describe("isActiveFormOf", () => {
  const active = activeManifest(recorded);

  it("does not depend on the list of the files", () => {
    expect(active.inputs).toEqual([expect.objectContaining({ role: "transfers", files: 1, bytes: 10, rows: 1 })]);
    expect(isActiveFormOf(active, recorded)).toBe(true);
  });

  it("does not depend on why it was built last", () => {
    expect(isActiveFormOf({ ...active, reason: "resumed from 2026-11-19" }, recorded)).toBe(true);
  });

  it.each<[string, Manifest | undefined]>([
    ["nothing", undefined],
    ["another time of creation", { ...recorded, created: "2026-11-20T02:00:01Z" }],
    ["a file with other bytes", { ...recorded, inputs: [{ ...recorded.inputs[0]!, sha256: "cd" }] }],
    ["another file", { ...recorded, inputs: [...recorded.inputs, ...recorded.inputs] }],
  ])("is not that of %s", (_, other) => {
    expect(isActiveFormOf(active, other)).toBe(false);
  });
});
