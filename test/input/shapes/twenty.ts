/** Twenty made-up transfers of three days, in order: a mint, then payments among five addresses. */

import { ZERO } from "../folder.ts";
import type { WrittenTransfer } from "./transfer-writers.ts";

/** 2024-01-01. */
const FIRST_DAY = 1_704_067_200;
const account = (number: number) => `0x${String(number + 1).repeat(40)}`;
const hash = (number: number) => `0x${number.toString(16).padStart(4, "0").repeat(16)}`;

export const TWENTY: readonly WrittenTransfer[] = Array.from({ length: 20 }, (_, at) => {
  const block = 18_900_000 + 700 * Math.floor(at / 2);
  return {
    block,
    log: at % 2 === 0 ? 0 : 17,
    time: FIRST_DAY + 25_200 * Math.floor(at / 2),
    from: at === 0 ? ZERO : account((at - 1) % 5),
    to: account(at % 5),
    // Each sends a little less than it has received.
    value: at === 0 ? 10n ** 24n : 10n ** 18n * BigInt(20 - at) + BigInt((20 - at) * 7919),
    transaction: hash(4096 + at),
    blockHash: hash(block % 65_536),
  };
});
