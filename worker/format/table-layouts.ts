/** The formats of a table. */

import type { TableFormat, TimeForm } from "../request/table-parameters.ts";
import type { RowTexts } from "./table-rows.ts";

/** A format whose rows follow each other. */
export interface RowLayout {
  /** The text before the first row. */
  head: (names: readonly string[], hasBlock: boolean) => string;
  row: (names: readonly string[], hasBlock: boolean, time: TimeForm) => RowTexts;
}

export interface TableLayout {
  mediaType: string;
  /** Whether Soprano compresses it: Cloudflare's edge does so for JSON, but not for CSV and lines of JSON. */
  compressed: boolean;
  /** Bytes of a value, roughly. */
  pointBytes: number;
  /** Of a file name; null if clients show the answer. */
  extension: string | null;
  /** Null where rows do not follow each other as text. */
  rows: RowLayout | null;
}

/** Times are texts in JSON, unless they are numbers. */
const quote = (time: TimeForm) => (time === "iso" ? '"' : "");

export const TABLE_LAYOUTS: Record<TableFormat, TableLayout> = {
  json: { mediaType: "application/json", compressed: false, pointBytes: 18, extension: null, rows: null },
  csv: {
    mediaType: "text/csv; charset=utf-8",
    compressed: true,
    pointBytes: 18,
    extension: "csv",
    rows: {
      head: (names, hasBlock) => `${["t", ...(hasBlock ? ["block"] : []), ...names].join(",")}\n`,
      row: (names, hasBlock, time) => ({
        open: "",
        time,
        afterTime: "",
        beforeBlock: hasBlock ? "," : null,
        beforeValues: names.map(() => ","),
        missing: "",
        close: "\n",
      }),
    },
  },
  ndjson: {
    mediaType: "application/x-ndjson",
    compressed: true,
    pointBytes: 40,
    extension: "ndjson",
    rows: {
      head: () => "",
      row: (names, hasBlock, time) => ({
        open: `{"t":${quote(time)}`,
        time,
        afterTime: quote(time),
        beforeBlock: hasBlock ? ',"block":' : null,
        beforeValues: names.map((name) => `,${JSON.stringify(name)}:`),
        missing: "null",
        close: "}\n",
      }),
    },
  },
  arrow: {
    mediaType: "application/vnd.apache.arrow.stream",
    compressed: false,
    pointBytes: 8,
    extension: "arrows",
    rows: null,
  },
  parquet: {
    mediaType: "application/vnd.apache.parquet",
    compressed: false,
    pointBytes: 8,
    extension: "parquet",
    rows: null,
  },
};

/** The rows of one array of columnar JSON: each begins with a comma. */
export const ARRAYS = {
  t: (time: TimeForm): RowTexts => ({ ...NOTHING, open: `,${quote(time)}`, time, afterTime: quote(time) }),
  numbers: { time: null, open: "", afterTime: "", beforeBlock: null, beforeValues: [","], missing: "null", close: "" },
} satisfies Record<string, RowTexts | ((time: TimeForm) => RowTexts)>;

const NOTHING: Omit<RowTexts, "open" | "time" | "afterTime"> = {
  beforeBlock: null,
  beforeValues: [],
  missing: "",
  close: "",
};
