import { expect, it } from "vitest";
import { compile } from "./contracts/compile.ts";
import compiled from "./contracts/compiled.json" with { type: "json" };
import { creation, encode } from "./contracts.ts";

it("compiled.json is what the sources compile to: npx node test/fetch/chain/contracts/compile.ts", async () => {
  expect(compiled).toEqual(await compile());
});

it("a call is encoded by its ABI", () => {
  const address = `0x${"ab".repeat(20)}`;
  const words = ["ab".repeat(20).padStart(64, "0"), "ff".padStart(64, "0")];
  expect(encode("Token", "transfer", address, 255n)).toBe(`0xa9059cbb${words.join("")}`);
  expect(creation("WETH9")).toMatch(/^0x6080/);
  expect(creation("Aggregator", 8)).toBe(`${compiled.Aggregator.creation}${"8".padStart(64, "0")}`);
});
