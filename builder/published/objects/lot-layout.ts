/** How lots lie in tables. Source: docs/formats.md#lots-at-the-checkpoint. */

import type { Layout } from "../../lib/fixed-width-table.ts";

/**
 * Lots of addresses, by address, hour and price: of the checkpoint before, a row group a partition; at the close of the last day,
 * by partition; and in the checkpoint, a row group for each of its own. @param words 32-bit words of each amount
 */
export const lots = <const W extends number>(words: W) =>
  ({
    /** The address, by its place among the rows of `held`, or of the checkpoint's row group. */
    holder: "rising u32",
    hour: "u32",
    price: "f64",
    amount: ["u32", words],
  }) as const satisfies Layout;
