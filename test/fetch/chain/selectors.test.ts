import * as Hash from "ox/Hash";
import * as Hex from "ox/Hex";
import { expect, it } from "vitest";
import { SELECTORS } from "../../../builder/fetch/chain/selectors.ts";

it.each(Object.entries(SELECTORS))("%s has its selector", (signature, selector) => {
  expect(Hash.keccak256(Hex.fromString(signature), { as: "Hex" }).slice(0, 10)).toBe(selector);
});
