/**
 * The formats of GET /v3/series, of distributions, holders, transfers and events, and what answers of /v1 and /v2 say of theirs. How each is written is in
 * worker/table/writers.ts, and for /v1 and /v2 in v1-body.ts beside it.
 */

import type { Format } from "./v1-parameters.ts";

/** What an answer says of its format. */
export interface FormatFacts {
  mediaType: string;
  /** Whether Soprano compresses it: Cloudflare's edge does so for JSON, but not for CSV and lines of JSON. */
  compressed: boolean;
  /** Bytes of a value, roughly. */
  pointBytes: number;
  /** The extension of a file name; null if clients show the answer. */
  extension: string | null;
}

/** What clients see of a format of tables. */
export interface TableFormatFacts extends FormatFacts {
  /** The schema in the OpenAPI document, and an answer as an example. */
  schema: string;
  example?: unknown;
}

export const TABLE_FORMATS = {
  json: {
    mediaType: "application/json",
    compressed: false,
    pointBytes: 18,
    extension: null,
    schema: "Table",
    example: {
      builds: { ARIA: "64874e0a1b2c3d4e" },
      asOf: { ARIA: "2025-03-03T00:00:00Z" },
      resolution: "day",
      t: ["2025-03-01T00:00:00", "2025-03-02T00:00:00"],
      series: [
        {
          asset: "ARIA",
          metric: "sopr",
          selector: "total",
          unit: "ratio",
          v: [1.1531384013725186, 1.1334308125688835],
        },
      ],
    },
  },
  csv: {
    mediaType: "text/csv; charset=utf-8",
    compressed: true,
    pointBytes: 18,
    extension: "csv",
    schema: "TableCsv",
    example: "t,ARIA:sopr:total\n2025-03-01T00:00:00,1.1531384013725186\n",
  },
  ndjson: {
    mediaType: "application/x-ndjson",
    compressed: true,
    pointBytes: 40,
    extension: "ndjson",
    schema: "TableLines",
    example: '{"t":"2025-03-01T00:00:00","ARIA:sopr:total":1.1531384013725186}\n',
  },
  arrow: {
    mediaType: "application/vnd.apache.arrow.stream",
    compressed: false,
    pointBytes: 8,
    extension: "arrows",
    schema: "TableArrow",
  },
  parquet: {
    mediaType: "application/vnd.apache.parquet",
    compressed: false,
    pointBytes: 8,
    extension: "parquet",
    schema: "TableParquet",
  },
} as const satisfies Record<string, TableFormatFacts>;

/** The formats of a single series: a point has its time and the text around it, too. */
export const SERIES_FORMATS: Record<Format, FormatFacts> = {
  json: { ...TABLE_FORMATS.json, pointBytes: 50 },
  csv: { ...TABLE_FORMATS.csv, pointBytes: 38 },
};

/** The formats of a distribution: rows have a time and a bucket for three values, and matrices have those once. */
export const DISTRIBUTION_FORMATS: Record<TableFormat, TableFormatFacts> = {
  json: { ...TABLE_FORMATS.json, schema: "Distribution", example: undefined },
  csv: { ...TABLE_FORMATS.csv, pointBytes: 36, schema: "DistributionCsv", example: undefined },
  ndjson: { ...TABLE_FORMATS.ndjson, pointBytes: 60, schema: "DistributionLines", example: undefined },
  arrow: { ...TABLE_FORMATS.arrow, pointBytes: 20, schema: "DistributionArrow" },
  parquet: { ...TABLE_FORMATS.parquet, schema: "DistributionParquet" },
};

/** The formats of lists of addresses. */
export const HOLDERS_FORMATS: Record<TableFormat, TableFormatFacts> = {
  json: { ...TABLE_FORMATS.json, schema: "Holders", example: undefined },
  csv: { ...TABLE_FORMATS.csv, schema: "HoldersCsv", example: undefined },
  ndjson: { ...TABLE_FORMATS.ndjson, schema: "HoldersLines", example: undefined },
  arrow: { ...TABLE_FORMATS.arrow, schema: "HoldersArrow" },
  parquet: { ...TABLE_FORMATS.parquet, schema: "HoldersParquet" },
};

/** The formats of large transfers. */
export const TRANSFERS_FORMATS: Record<TableFormat, TableFormatFacts> = {
  json: { ...TABLE_FORMATS.json, schema: "Transfers", example: undefined },
  csv: { ...TABLE_FORMATS.csv, schema: "TransfersCsv", example: undefined },
  ndjson: { ...TABLE_FORMATS.ndjson, schema: "TransfersLines", example: undefined },
  arrow: { ...TABLE_FORMATS.arrow, schema: "TransfersArrow" },
  parquet: { ...TABLE_FORMATS.parquet, schema: "TransfersParquet" },
};

/** The formats of events. */
export const EVENTS_FORMATS: Record<TableFormat, TableFormatFacts> = {
  json: { ...TABLE_FORMATS.json, schema: "Events", example: undefined },
  csv: { ...TABLE_FORMATS.csv, schema: "EventsCsv", example: undefined },
  ndjson: { ...TABLE_FORMATS.ndjson, schema: "EventsLines", example: undefined },
  arrow: { ...TABLE_FORMATS.arrow, schema: "EventsArrow" },
  parquet: { ...TABLE_FORMATS.parquet, schema: "EventsParquet" },
};

/** The formats of an address. */
export const ADDRESS_FORMATS: Record<TableFormat, TableFormatFacts> = {
  ...HOLDERS_FORMATS,
  json: { ...HOLDERS_FORMATS.json, schema: "Address" },
};

export type TableFormat = keyof typeof TABLE_FORMATS;

export const TABLE_FORMAT_NAMES = Object.keys(TABLE_FORMATS) as TableFormat[];
