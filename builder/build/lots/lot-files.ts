/** Where tasks leave what they find of lots, and how wide amounts are in it. */

import type { LotMethod } from "../../../data-schema/registry.ts";
import type { Outline } from "../../engine/history.ts";

/** Seconds: purchase times are starts of hours, and are stored by their numbers. */
export const HOUR = 3600;

/** Pieces of sends, by partition. */
export const PIECE_TABLE = (method: LotMethod, partition: number) => `pieces-${method}/${partition}.parquet`;
/** How what is held changes: by partition and run, and after the last run. */
export const BOOK = (method: LotMethod, partition: number, run: number) => `book-${method}/${partition}-${run}.parquet`;
/** Lots at the last close, by partition. */
export const CLOSING_LOTS = (method: LotMethod, partition: number) => `lots-${method}/${partition}.parquet`;
/** Lots of the checkpoint before, by division. */
export const SEED_LOTS = (method: LotMethod, division: number) => `lot-seeds-${method}/${division}.parquet`;
/** The beginning of the table of the next checkpoint. */
export const LOT_TABLE = (method: LotMethod) => `lot-table-${method}`;

/** 32-bit words of an amount: the kernel's limbs are pairs of words. */
export const amountWords = ({ balanceWords }: Pick<Outline, "balanceWords">): number => 2 * Math.ceil(balanceWords / 2);

/** 32-bit words of the changes of a key: one of all addresses and one of users, each with a limb more than an amount. */
export const changeWords = (outline: Pick<Outline, "balanceWords">): number => 2 * (amountWords(outline) + 2);
