/** What was fetched of contracts that a token had before. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Fetched, formatFetched } from "../../../builder/input/fetched/fetched.ts";
import { readAssetToBuild } from "../../../builder/input/fetched/fetched-asset.ts";
import { Folder, OTHER_TOKEN, TOKEN } from "../folder.ts";

const file = {
  file: "transfers/2026-10.parquet",
  from: 5,
  to: 90,
  lastHash: `0x${"1".repeat(64)}`,
  rows: 1,
  bytes: 1,
  sha256: "f".repeat(64),
};
const record: Fetched = {
  schema: 2,
  chainId: 1,
  contract: OTHER_TOKEN,
  terms: { events: "erc20" },
  asOf: "2026-11-01T00:00:00.000Z",
  files: [{ ...file, source: "rpc" }],
};
const check = {
  status: "failed",
  block: 9,
  hash: `0x${"1".repeat(64)}`,
  holders: 1,
  of: 1,
  supply: "1",
  at: "2026-11-01T00:00:00.000Z",
} as const;

/** The sentence with which an asset is refused, whose predecessor was fetched so; undefined if it is not. */
async function refusal(
  fetched: Fetched | undefined,
  keys: Record<string, unknown> = {},
  asOf = "2026-11-01T00:00:00Z",
) {
  const folder = new Folder();
  if (fetched) {
    mkdirSync(join(folder.path, "inputs/OLD"), { recursive: true });
    writeFileSync(join(folder.path, "inputs/OLD/fetch.json"), formatFetched(fetched));
  }
  const transfers = "inputs/OLD/transfers/*.parquet";
  const swap = { by: "swap", swap: TOKEN };
  const path = folder.asset({
    asOf,
    predecessors: [{ contract: OTHER_TOKEN, transfers, ratio: "1:1", ...swap, ...keys }],
  });
  const said = await readAssetToBuild(path).then(
    () => undefined,
    (error: Error) => error.message,
  );
  return said?.replaceAll(`${folder.path}/`, "").replace(/run .*OLD\.json.*$/, "run …");
}

const NAMED = 'asset.json: inputs/OLD, which "predecessors[0]" names,';

it("must be there, of that contract, found right, and go as far as the asset", async () => {
  expect(await refusal(undefined)).toBe(`${NAMED} has not been fetched yet: run …`);
  expect(await refusal({ ...record, contract: TOKEN })).toBe(
    `${NAMED} was fetched for ${TOKEN}, not for ${OTHER_TOKEN}.`,
  );
  expect(await refusal({ ...record, check })).toBe(`${NAMED} differs from the chain, as its last check says: run …`);
  expect(await refusal(record, {}, "2026-11-02T00:00:00Z")).toBe(
    `${NAMED} is fetched up to 2026-11-01T00:00:00.000Z, not up to 2026-11-02T00:00:00.000Z, and tokens may still be swapped: run …`,
  );
  expect(await refusal(record, { until: 91 })).toBe(`${NAMED} ends before block 91, its "until": run …`);
});

it("is enough up to its last block, or up to the time of the asset", async () => {
  expect(await refusal(record, { until: 90 }, "2026-11-02T00:00:00Z")).toBeUndefined();
  expect(await refusal(record)).toBeUndefined();
});
