/** `soprano status --cost` as a table with a row an asset, and the bill of a month. */

import { alignColumns } from "../../lib/terminal/align.ts";
import { count } from "../../lib/terminal/amount-text.ts";
import { billOf, dollarsOf, METERS, type Meter, PLAN_DOLLARS, PRICES_OF, type Used, usedTogether } from "./cost.ts";

/** What is told of a part of the store. */
export interface CostRow {
  name: string;
  used: Pick<Used, "storedBytes"> & Partial<Pick<Used, "writes" | "reads">>;
}

export interface StoreCost {
  rows: CostRow[];
  requests: number;
  /** Amounts a month, requests included. */
  used: Used;
  /** Dollars a month above what is included, by what is billed. */
  above: Record<Meter, number>;
  /** Dollars a month, the plan included. */
  dollars: number;
  assumptions: string[];
}

/** @param requests what the API answers a month, and what they use */
export function costOf(rows: CostRow[], requests: Partial<Used>): StoreCost {
  const used = usedTogether([...rows.map((row) => row.used), requests]);
  const above = billOf(used);
  return {
    rows,
    requests: used.requests,
    used,
    above,
    dollars: PLAN_DOLLARS + Object.values(above).reduce((sum, one) => sum + one, 0),
    assumptions: [
      `Prices are Cloudflare's as of ${PRICES_OF}: check them.`,
      `${count(used.requests)} requests a month, nine in ten of them warm: --requests says how many there are.`,
      "Each build writes as much as the last one of its asset, or, where that was a full build, 113 objects, 85 without block series; with 18 lists, 235 reads, verify once a week and gc.",
      "30 builds a month, 720 of an asset with the freshness hour. An asset's dollars are those of a store that has used up what the plan includes.",
    ],
  };
}

/** How each meter is told. */
const LINES: Record<Meter, string> = {
  requests: "requests",
  cpuMilliseconds: "ms of CPU time",
  kvReads: "reads of KV",
  writes: "writes and lists of R2",
  reads: "reads of R2",
  storedBytes: "GB stored",
};

/** Gigabytes, without the unit. */
const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(3);
const amountText = (meter: Meter, amount: number) =>
  meter === "storedBytes" ? gigabytes(amount) : count(Math.round(amount));

const DETAILED = ["storedBytes", "writes", "reads"] as const;

export function formatCost({ rows, used, above, dollars, assumptions }: StoreCost): string {
  const cells = ({ name, used }: CostRow) => [
    name,
    ...DETAILED.map((meter) => (used[meter] === undefined ? "" : amountText(meter, used[meter]))),
    dollarsOf(used).toFixed(4),
  ];
  const titles = ["a month", ...DETAILED.map((meter) => LINES[meter]), "dollars"];
  const bill = (Object.keys(METERS) as Meter[]).map((meter) => [
    LINES[meter],
    amountText(meter, used[meter]),
    amountText(meter, METERS[meter].included),
    above[meter].toFixed(2),
  ]);
  return [
    alignColumns([titles, ...rows.map(cells)], [1, 2, 3, 4]),
    alignColumns(
      [
        ["in all", "used", "included", "dollars"],
        ["Workers, the paid plan", "", "", PLAN_DOLLARS.toFixed(2)],
        ...bill,
        ["a month", "", "", dollars.toFixed(2)],
      ],
      [1, 2, 3],
    ),
    assumptions.join("\n"),
  ].join("\n\n");
}
