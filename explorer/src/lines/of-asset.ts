/** A line moved to another asset: what a chart compares assets with. */

import { forAsset } from "../formula/for-asset.ts";
import type { Line } from "./lines.ts";

/** Null for a formula that can't be read, or in which every series names its asset. */
export function ofAsset(line: Line, symbol: string): Line | null {
  if (line.kind !== "formula") return { ...line, asset: symbol };
  const text = forAsset(line.text, symbol);
  return text === null || text === line.text ? null : { ...line, text };
}
