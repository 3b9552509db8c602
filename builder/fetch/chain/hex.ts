/** Numbers and bytes as JSON-RPC writes them. Source: https://ethereum.org/en/developers/docs/apis/json-rpc/#hex-encoding */

import { ADDRESS_BYTES } from "../../lib/widths.ts";

/** A block number, for instance, as a QUANTITY. */
export const quantity = (number: number): string => `0x${number.toString(16)}`;

/** Up to 13 digits, which a double holds exactly. */
const QUANTITY = /^0x[0-9a-f]{1,13}$/i;

export const isQuantity = (value: unknown): value is string => typeof value === "string" && QUANTITY.test(value);

/** Whether a value is DATA: whole bytes, or none. */
export const isBytes = (value: unknown): value is string =>
  typeof value === "string" && /^0x([0-9a-f]{2})*$/i.test(value);

/** Each of the addresses: 0x and 40 digits. */
export function addressTexts({ buffer, byteOffset, length }: Uint8Array): string[] {
  const text = Buffer.from(buffer, byteOffset, length).toString("hex");
  return Array.from({ length: length / ADDRESS_BYTES }, (_, i) => `0x${text.slice(40 * i, 40 * i + 40)}`);
}
