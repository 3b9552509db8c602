/** Numbers and bytes as JSON-RPC writes them. Source: https://ethereum.org/en/developers/docs/apis/json-rpc/#hex-encoding */

/** A block number, for instance, as a QUANTITY. */
export const quantity = (number: number): string => `0x${number.toString(16)}`;

/** Up to 13 digits, which a double holds exactly. */
const QUANTITY = /^0x[0-9a-f]{1,13}$/i;

export const isQuantity = (value: unknown): value is string => typeof value === "string" && QUANTITY.test(value);

/** Whether a value is DATA: whole bytes, or none. */
export const isBytes = (value: unknown): value is string =>
  typeof value === "string" && /^0x([0-9a-f]{2})*$/i.test(value);
