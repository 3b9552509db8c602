import { expect, it } from "vitest";
import { parseAddress } from "../../../explorer/src/state/address.ts";
import { commonAsset, tracesOf } from "../../../explorer/src/state/traces.ts";
import { catalog } from "../catalog.ts";

it.each([
  ["?y=volume", [["ARIA"]], "ARIA"],
  ["?y=DUET.volume", [["DUET"]], "DUET"],
  ["?y=volume&y=DUET.volume", [["ARIA"], ["DUET"]], undefined],
  ["?y==volume - DUET.volume", [["ARIA", "DUET"]], undefined],
])("%s is of its assets", (search, assets, common) => {
  const traces = tracesOf(parseAddress(search, catalog, []).chart, catalog);
  expect(traces.map((trace) => trace.assets)).toEqual(assets);
  expect(commonAsset(traces, catalog)?.symbol).toBe(common);
});
