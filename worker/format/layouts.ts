/** The formats of a series. */

import type { Format } from "../request/parameters.ts";

/** The text around times and values: `open` time `beforeValue` value `between` time … value `close`; or `empty`. */
export interface Layout {
  mediaType: string;
  /** Whether Soprano compresses it: Cloudflare's edge does so for JSON, but not for CSV. */
  compressed: boolean;
  /** Bytes of a point, roughly. */
  pointBytes: number;
  open: string;
  /** Up to 8 characters, like `between`. */
  beforeValue: string;
  between: string;
  close: string;
  empty: string;
}

export const LAYOUTS: Record<Format, Layout> = {
  json: {
    mediaType: "application/json",
    compressed: false,
    pointBytes: 50,
    open: '[{"t":"',
    beforeValue: '","v":',
    between: '},{"t":"',
    close: "}]",
    empty: "[]",
  },
  csv: {
    mediaType: "text/csv; charset=utf-8",
    compressed: true,
    pointBytes: 38,
    open: "t,v\n",
    beforeValue: ",",
    between: "\n",
    close: "\n",
    empty: "t,v\n",
  },
};
