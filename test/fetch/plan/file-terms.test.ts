import { expect, it } from "vitest";
import { checkTerms } from "../../../builder/fetch/plan/file-terms.ts";
import type { AssetFile } from "../../../builder/input/asset/asset.ts";
import type { Source } from "../../../builder/input/asset/source.ts";
import type { Fetched } from "../../../builder/input/fetched/fetched.ts";
import { MemoryStore } from "../../store/memory-store.ts";

const contract = `0x${"70".repeat(20)}`;
const asset = { path: "assets/HUM.json", symbol: "HUM", contract } as AssetFile;
const source: Source = { chainId: 1, firstBlock: 5, events: "weth9", labels: "none" };
const fetched = {
  chainId: 1,
  contract,
  terms: { events: "erc20" },
  files: [{ from: 5, to: 9 }],
} as Fetched;

it("names all that is to be removed: the folder, and what the bucket would bring back", () => {
  const check = (store?: MemoryStore) => () =>
    checkTerms(asset, source, { events: "weth9" }, fetched, { folder: "inputs/HUM", store });
  expect(check()).toThrow("Correct it, or remove that folder to fetch everything again.");
  expect(check(new MemoryStore())).toThrow(
    "Correct it, or remove that folder and inputs/HUM/ in memory to fetch everything again.",
  );
});
