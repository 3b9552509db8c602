/** The formats of a series. */

import type { Format } from "../request/parameters.ts";

/** The text around times and values: `open` time `beforeValue` value `between` time … value `close`; or `empty`. */
export interface Layout {
  mediaType: string;
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
    open: '[{"t":"',
    beforeValue: '","v":',
    between: '},{"t":"',
    close: "}]",
    empty: "[]",
  },
  csv: {
    mediaType: "text/csv; charset=utf-8",
    open: "t,v\n",
    beforeValue: ",",
    between: "\n",
    close: "\n",
    empty: "t,v\n",
  },
};
