import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type CohortFile, readOwnCohort } from "../../../builder/input/labels/own-cohorts.ts";
import type { ContractKind } from "../../../data-schema/registry/contract-kinds.ts";
import { scratchFolder } from "../../folders.ts";

const [A, B, C] = ["a1", "b1", "c1"].map((byte) => `0x${byte.repeat(20)}`);

function table(kind?: ContractKind): CohortFile {
  const path = join(scratchFolder(), "kinds.csv");
  const text = `address,kind,name,source,date\n${A},dex,x,s,2026-01-01\n${B},lending,x,s,2026-01-01\n${C},dex,x,s,2026-01-01\n`;
  writeFileSync(path, text);
  return { name: "kinds.csv", path, bytes: text.length, ...(kind && { kind }) };
}

const hex = (addresses: Uint8Array) => Buffer.from(addresses).toString("hex");

it("of a table of kinds, only the rows of its own kind count", async () => {
  const dex = await readOwnCohort("@dex", table("dex"));
  expect(hex(dex.address)).toBe("a1".repeat(20) + "c1".repeat(20));
  expect([dex.rows, dex.list.addresses, dex.notices]).toEqual([2, 2, []]);
  const all = await readOwnCohort("@all", table());
  expect([all.rows, all.list.addresses]).toEqual([3, 3]);
});

it("a kind without addresses is empty, and one sentence says so", async () => {
  const { list, notices } = await readOwnCohort("@vesting", table("vesting"));
  expect(list.addresses).toBe(0);
  expect(notices).toEqual([
    "kinds.csv has no address of the kind “vesting”, so @vesting is empty: Soprano ships none for this chain.",
  ]);
});
