import { expect, it } from "vitest";
import { forAsset } from "../../../explorer/src/formula/for-asset.ts";

it("names an asset before each metric, and before no function", () => {
  expect(forAsset("mvrv", "DUET")).toBe("DUET.mvrv");
  expect(forAsset("sma(supply:$10M+, 7)/ SUPPLY:users", "DUET")).toBe("sma(DUET.supply:$10M+, 7)/ DUET.SUPPLY:users");
  expect(forAsset("price", "LP-3")).toBe('"LP-3".price');
});

it("leaves assets that are named", () =>
  expect(forAsset("price / ARIA.price", "DUET")).toBe("DUET.price / ARIA.price"));

it("has nothing to say of what is no formula", () => expect(forAsset("price $", "DUET")).toBeNull());
