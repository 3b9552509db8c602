/** Bytes of what every token has. */

export const ADDRESS_BYTES = 20;
/** The bytes of an amount in raw units, as the chain has it. */
export const VALUE_BYTES = 32;
