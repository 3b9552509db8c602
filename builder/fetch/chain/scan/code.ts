/** What an address's code says of it. */

/** The code of an account that has delegated to a contract (EIP-7702). */
const DELEGATION = /^0xef0100[0-9a-f]{40}$/i;

/** Whether code is that of a contract. An account that has delegated to one stays a user's. */
export const isContractCode = (code: string): boolean => code !== "0x" && !DELEGATION.test(code);
