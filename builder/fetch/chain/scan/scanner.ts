/**
 * Contracts that exist for the length of one `eth_call`, and look at thousands of addresses each (`run.ts`). No instruction
 * is newer than Byzantium, so they run on every EVM chain. Each answer begins with the block that it is of (`../seal.ts`).
 */

import { SELECTORS } from "../selectors.ts";
import { assemble } from "./assemble-bytecode.ts";

/** 20 bytes of `soprano scanner` and zeros: nobody has a key for it. */
export const SCANNER_ADDRESS = "0x736f7072616e6f207363616e6e65720000000000";

/** ArbSys of Arbitrum, whose NUMBER is another chain's, and its arbBlockNumber(). Elsewhere nobody's code is there. */
const ARB_SYS = "64";
const ARB_BLOCK_NUMBER = "a3b1b31d";
/** More than it takes, and little where something else is there that burns all its gas. */
const ARB_SYS_GAS = "2710";

const operand = (place: number) => place.toString(16).padStart(4, "0");

/** Writes the seal, of three words, to a place in memory. Leaves nothing on the stack, and memory dirty below 20. */
const seal = (place: number) => `
        PUSH4 ${ARB_BLOCK_NUMBER} PUSH1 00 MSTORE
        TIMESTAMP PUSH2 ${operand(place)} MSTORE
        NUMBER PUSH2 ${operand(place + 0x20)} MSTORE
        ; replaces NUMBER if there is an answer
        PUSH1 20 PUSH2 ${operand(place + 0x20)} PUSH1 04 PUSH1 1c PUSH1 ${ARB_SYS} PUSH2 ${ARB_SYS_GAS} STATICCALL POP
        PUSH1 01 NUMBER SUB BLOCKHASH PUSH2 ${operand(place + 0x40)} MSTORE
`;

/** Gas that one `balanceOf` may use. Tokens behind several proxies take some 50,000. */
const BALANCE_GAS = "07a120";
/** With less left, the call below would get less than its gas and fail for that reason: the whole scan fails instead. */
const BALANCE_GAS_LEFT = "083d60";

/**
 * Calldata: the token's address, then the holders', 20 bytes each. Answer: 33 bytes a holder, 01 and the balance if
 * `balanceOf` returned at least 32 bytes, else 00 and 32 bytes without meaning.
 */
export const BALANCE_SCANNER = assemble(`
  ; memory: 00 balanceOf's selector in the last 4 bytes, 20 its argument, 40 token, 60 its answer, 80 seal, e0… our answer
        ${seal(0x80)}
        PUSH4 ${SELECTORS["balanceOf(address)"].slice(2)} PUSH1 00 MSTORE
        PUSH1 14 PUSH1 00 PUSH1 4c CALLDATACOPY
        PUSH1 e0 PUSH1 14                             ; out in
  next:
        DUP1 CALLDATASIZE GT ISZERO @end JUMPI        ; until in = calldatasize
        PUSH3 ${BALANCE_GAS_LEFT} GAS LT @fail JUMPI
        PUSH1 14 DUP2 PUSH1 2c CALLDATACOPY
        PUSH1 20 PUSH1 60 PUSH1 24 PUSH1 1c PUSH1 40 MLOAD PUSH3 ${BALANCE_GAS} STATICCALL
        RETURNDATASIZE PUSH1 1f LT AND                ; out in ok
        DUP3 MSTORE8
        PUSH1 60 MLOAD DUP3 PUSH1 01 ADD MSTORE       ; out in
        PUSH1 14 ADD SWAP1 PUSH1 21 ADD SWAP1
        @next JUMP
  end:
        POP PUSH1 80 SWAP1 SUB PUSH1 80 RETURN
  fail:
        PUSH1 00 PUSH1 00 REVERT
`);

/** Bytes of an answer of BALANCE_SCANNER for a holder. */
export const BALANCE_ANSWER_BYTES = 33;

/** Bytes of the call of a view, at most: a selector and some words. */
export const MOST_VIEW_BYTES = 0x1c0;

/**
 * Calldata: for each call the address, 20 bytes, the length of its calldata, 2 bytes, and that. Answer: for each call 01 if
 * it succeeded, else 00; the length of what it returned, 32 bytes; and that.
 */
export const VIEW_SCANNER = assemble(`
  ; memory: 00 address, 20 length of the calldata, 40… calldata, 200 seal, 260… our answer
        ${seal(0x200)}
        PUSH2 0260 PUSH1 00                           ; out in
  next:
        DUP1 CALLDATASIZE GT ISZERO @end JUMPI
        PUSH3 ${BALANCE_GAS_LEFT} GAS LT @fail JUMPI
        PUSH1 14 DUP2 PUSH1 0c CALLDATACOPY
        PUSH1 02 DUP2 PUSH1 14 ADD PUSH1 3e CALLDATACOPY
        PUSH1 20 MLOAD                                ; out in length
        DUP1 DUP3 PUSH1 16 ADD PUSH1 40 CALLDATACOPY
        PUSH1 00 PUSH1 00 DUP3 PUSH1 40 PUSH1 00 MLOAD PUSH3 ${BALANCE_GAS} STATICCALL
        DUP4 MSTORE8                                  ; out in length
        RETURNDATASIZE DUP4 PUSH1 01 ADD MSTORE
        RETURNDATASIZE PUSH1 00 DUP5 PUSH1 21 ADD RETURNDATACOPY
        ADD PUSH1 16 ADD SWAP1                        ; in out
        RETURNDATASIZE ADD PUSH1 21 ADD SWAP1
        @next JUMP
  end:
        POP PUSH2 0200 SWAP1 SUB PUSH2 0200 RETURN
  fail:
        PUSH1 00 PUSH1 00 REVERT
`);

/**
 * Calldata: addresses, 20 bytes each. Answer: a byte each, 01 for code, 00 for none or a delegation: EIP-7702 sets the
 * code of a user's account to 23 bytes, 0xef0100 and an address.
 */
export const CODE_SCANNER = assemble(`
  ; memory: 00 address, 20 the first bytes of its code in the last 3, 40 seal, a0… our answer
        ${seal(0x40)}
        PUSH1 a0 PUSH1 00                             ; out in
  next:
        DUP1 CALLDATASIZE GT ISZERO @end JUMPI
        PUSH1 14 DUP2 PUSH1 0c CALLDATACOPY
        PUSH1 00 MLOAD DUP1 EXTCODESIZE               ; out in address size
        DUP1 PUSH1 17 EQ @short JUMPI
        ISZERO ISZERO
  store:
        DUP4 MSTORE8 POP                              ; out in
        PUSH1 14 ADD SWAP1 PUSH1 01 ADD SWAP1
        @next JUMP
  short:
        POP PUSH1 03 PUSH1 00 PUSH1 3d DUP4 EXTCODECOPY
        PUSH1 20 MLOAD PUSH3 ef0100 EQ ISZERO         ; out in address isCode
        @store JUMP
  end:
        POP PUSH1 40 SWAP1 SUB PUSH1 40 RETURN
`);

/** Calldata: an address, 20 bytes. Answer: its code. */
export const CODE_READER = assemble(`
  ; memory: 00 address, 20 seal, 80… our answer
        ${seal(0x20)}
        PUSH1 14 PUSH1 00 PUSH1 0c CALLDATACOPY
        PUSH1 00 MLOAD DUP1 EXTCODESIZE               ; address size
        DUP1 PUSH1 00 PUSH1 80 DUP5 EXTCODECOPY
        PUSH1 60 ADD PUSH1 20 RETURN
`);
