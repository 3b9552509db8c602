import { expect, it } from "vitest";
import { changedLabels } from "../../../builder/build/checkpoint/changed-labels.ts";
import { labelColumns } from "../../input/label-columns.ts";

const address = (byte: string) => byte.repeat(20);

it("finds the labels that have changed, and names the first address", () => {
  const batch = (...rows: [byte: string, label: number][]) => ({
    rows: rows.length,
    // A row more than there are.
    addresses: Uint8Array.from(Buffer.from([...rows.map(([byte]) => byte), "0d"].map(address).join(""), "hex")),
    labels: Uint8Array.from([...rows.map(([, label]) => label), 4]),
  });
  const seen = [batch(["0a", 2], ["0b", 1]), batch(), batch(["0c", 0])];
  const labels = (...groups: [byte: string, group: number][]) => ({
    ...labelColumns(new Map(groups.map(([byte, group]) => [`0x${address(byte)}`, group]))),
    hasDeposits: false,
    notices: [],
  });
  expect(changedLabels(seen, labels(["0a", 2], ["0b", 1], ["0d", 7]))).toBeUndefined();
  expect(changedLabels(seen, labels(["0b", 7], ["0c", 3]))).toEqual({
    count: 3,
    first: { address: `0x${address("0a")}`, before: 2, now: 0 },
  });
});
