/** The active form of a recorded manifest, and how long the data of the last nights took. */

import { describe, expect, it } from "vitest";
import { activationOf, activeManifest, isActiveFormOf } from "../../builder/publish/active-manifest.ts";
import { type Activation, MANIFEST_VERSION, type Manifest, parseManifest } from "../../data-schema/manifest.ts";

const recorded = parseManifest(
  JSON.stringify({
    ...{ schema: MANIFEST_VERSION, symbol: "TOK", name: "Token", chain: "ethereum", contract: `0x${"c".repeat(40)}` },
    ...{ decimals: 18, maxSupply: "1000", balanceUnit: "5e-7", asOf: "2026-11-20T00:00:00Z", build: "1".repeat(16) },
    ...{ created: "2026-11-20T02:00:00Z", engine: "3", counts: { transfers: 1, mints: 1, burns: 0 } },
    inputs: [{ role: "transfers", file: "transfers.csv", sha256: "ab", bytes: 10, rows: 1 }],
    resolutions: { day: { first: null, last: null, periods: [] } },
  }),
);

const at = (iso: string) => new Date(`${iso}Z`);
const night = (asOf: string) => ({ ...recorded, asOf: at(asOf).toISOString() });
const activation: Activation = { at: "2026-11-20T02:00:00.000Z", change: 7, nights: [] };

describe("isActiveFormOf", () => {
  const active = activeManifest(recorded, activation);

  it("does not depend on when the build was activated, nor on the list of its files", () => {
    expect(active.inputs).toEqual([expect.objectContaining({ role: "transfers", files: 1, bytes: 10, rows: 1 })]);
    expect(isActiveFormOf(active, recorded)).toBe(true);
    expect(isActiveFormOf({ ...active, activation: { ...activation, at: "2027-01-01T00:00:00Z" } }, recorded)).toBe(
      true,
    );
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

describe("activationOf", () => {
  it("adds a night with each later as-of, and none for a rollback or another build of the same time", () => {
    const first = activationOf(night("2026-11-20T00:00:00"), 7, undefined, at("2026-11-20T02:00:00"));
    expect(first).toEqual({
      at: "2026-11-20T02:00:00.000Z",
      change: 7,
      nights: [[Date.UTC(2026, 10, 20) / 1000, 7_200]],
    });
    const one = activeManifest(night("2026-11-20T00:00:00"), first);
    const second = activationOf(night("2026-11-21T00:00:00"), 7, one, at("2026-11-21T01:30:00.400"));
    expect(second.nights.map(([, latency]) => latency)).toEqual([7_200, 5_400]);

    const two = activeManifest(night("2026-11-21T00:00:00"), second);
    const back = activationOf(night("2026-11-20T00:00:00"), 7, two, at("2026-11-21T09:00:00"));
    expect(back).toEqual({ at: "2026-11-21T09:00:00.000Z", change: 7, nights: second.nights });
    const again = activationOf(
      night("2026-11-21T00:00:00"),
      7,
      activeManifest(recorded, back),
      at("2026-11-21T10:00:00"),
    );
    expect(again.nights).toEqual(second.nights);
  });

  it("keeps the last ten nights, and none that ended before it began, by a clock that is behind", () => {
    let active: Manifest | undefined;
    for (let day = 1; day <= 12; day++) {
      const asOf = night(`2026-11-${String(day).padStart(2, "0")}T00:00:00`);
      active = activeManifest(
        asOf,
        activationOf(asOf, 7, active, new Date(Date.parse(asOf.asOf) + (day - 2) * 60_000)),
      );
    }
    expect(active?.activation?.nights.map(([, latency]) => latency / 60)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(activationOf(night("2026-11-20T00:00:00"), 7, undefined, at("2026-11-19T23:59:00")).nights[0]![1]).toBe(0);
  });
});
