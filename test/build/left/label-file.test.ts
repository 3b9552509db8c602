/** Labels as a file beside the plan. */

import { expect, it } from "vitest";
import { LocalFolder } from "../../../builder/build/folder/local-folder.ts";
import { readLabelsOf, writeLabels } from "../../../builder/build/left/label-file.ts";
import { USER } from "../../../builder/engine/classification.ts";
import { scratchFolder } from "../../folders.ts";
import { labelColumns } from "../../input/label-columns.ts";

/** Addresses whose first digits are the same, or spread over all there are, in no order. */
const address = (number: number) =>
  `0x${(number % 3 === 0 ? "00000000" : (Math.imul(number, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0")) + number.toString(16).padStart(32, "0")}`;
const columnOf = (numbers: readonly number[]) =>
  new Uint8Array(Buffer.from(numbers.map((number) => address(number).slice(2)).join(""), "hex"));

const folder = () => new LocalFolder(scratchFolder(), "/assets/tok.json", false);

it("are found in all row groups, and only there", async () => {
  const labels = new Map(Array.from({ length: 300_000 }, (_, i) => [address(2 * i), 1 + (i % 7)]));
  const work = folder();
  await writeLabels(work, labelColumns(labels));
  const asked = Array.from({ length: 20_000 }, (_, i) => (i * 7919) % 650_000);
  const found = await readLabelsOf(work, columnOf(asked));
  expect([...found]).toEqual(asked.map((number) => labels.get(address(number)) ?? USER));
});

it("may be none", async () => {
  const work = folder();
  await writeLabels(work, labelColumns(new Map()));
  expect([...(await readLabelsOf(work, columnOf([1, 2])))]).toEqual([USER, USER]);
});
