/** What the lots of a method go on with beside the lots themselves: the metadata entry `soprano` of their table. Source: docs/formats.md#lots. */

import * as v from "valibot";
import { byCalendar } from "../../../data-schema/registry.ts";
import type { WrittenGroups } from "../../lib/fixed-width-table.ts";
import { openBucket } from "./checkpoint-file.ts";

/** Raised whenever a file of the version before can't be read. */
const FORMAT = 1;

const entrySchema = v.pipe(
  v.strictObject({
    format: v.literal(FORMAT),
    /** The checkpoint's, Unix seconds. */
    time: v.pipe(v.number(), v.integer()),
    /** Token-days of the pieces of all lots on all days, and what the days of the open week and month add up to. */
    coinDaysDestroyed: v.pipe(v.number(), v.finite()),
    openBuckets: v.strictObject(byCalendar(() => openBucket)),
  }),
  v.transform(({ format: _, ...state }) => state),
);

export type LotState = v.InferOutput<typeof entrySchema>;

/** The beginning of a table, without its entry. For `toJson`. */
export interface WrittenLots {
  written: WrittenGroups;
  /** 32-bit words of each amount. */
  words: number;
}

export const lotEntry = (state: LotState): string => JSON.stringify({ format: FORMAT, ...state });

/** @throws {Error} it is of another version */
export const parseLotEntry = (entry: string | undefined): LotState => v.parse(entrySchema, JSON.parse(entry ?? "null"));
