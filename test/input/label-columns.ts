import { addressOrder } from "../../builder/input/address-order.ts";
import type { LabelColumns } from "../../builder/input/labels/address-labels.ts";

/** @param groups by `0x…` address */
export function labelColumns(groups: ReadonlyMap<string, number>): LabelColumns {
  const addresses = Buffer.from(Array.from(groups.keys(), (address) => address.slice(2)).join(""), "hex");
  const order = [...addressOrder(addresses)];
  const labels = [...groups.values()];
  return {
    address: Buffer.concat(order.map((row) => addresses.subarray(20 * row, 20 * row + 20))),
    label: Uint8Array.from(order, (row) => labels[row]!),
  };
}
