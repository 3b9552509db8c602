/** A table with one series → the bars of TradingView's UDF protocol: candles of one value. Source: docs/api.md#udf. */

import type { Manifest } from "../../data-schema/stored.ts";
import type { SeriesContext } from "../context.ts";
import { digestTag } from "../digest-tag.ts";
import { type Body, body } from "../format/body.ts";
import type { Rows, TextPiece } from "../format/rows-and-pieces.ts";
import { planRows, readTable } from "../read/read-table.ts";
import { tableTag } from "../read/table-of-query.ts";
import type { Table } from "../read/table-parts.ts";
import type { TableQuery } from "../request/table-query.ts";
import { arrayText, NUMBERS, timesOf } from "./columnar.ts";

/** The members of a bar whose value is the point's. */
const VALUES = ["o", "h", "l", "c"] as const;

const encoder = new TextEncoder();
const piece = (text: string): TextPiece => ({ text: encoder.encode(text), points: 0 });

/** Version of the bars: raise it if the same table gives another text of them. */
const CANDLE_REPRESENTATION = 1;

/** The strong entity tag of bars: other than that of their table. */
export async function candleTag(table: Table, query: TableQuery, manifests: readonly Manifest[]): Promise<string> {
  return digestTag(JSON.stringify(["udf", CANDLE_REPRESENTATION, await tableTag(table, query, manifests)]));
}

/**
 * The body with the bars of a table; without one, it tells the time of the last bar before.
 *
 * @param last the last so many rows; null for all
 * @throws {Problem} as `tableBody`
 */
export async function candleBody(table: Table, last: number | null, context: SeriesContext): Promise<Body> {
  const { lease } = context;
  try {
    const bars = await barsOf(table, last, context);
    const pieces = bars.length > 0 ? candleText(bars) : noBars(await timeBefore(table, context));
    return await body(pieces, null, context);
  } catch (error) {
    lease.end();
    throw error;
  }
}

/** The rows with a value. */
async function barsOf(table: Table, last: number | null, context: SeriesContext): Promise<Rows[]> {
  const held: Rows[] = [];
  for await (const chunk of readTable(await planRows(table, last, "hold", context), context)) {
    const bars = valued(chunk);
    if (bars.t.length > 0) held.push(bars);
    else context.lease.free([chunk.t]);
  }
  return held;
}

/** A chunk without the rows that lack a value; its arrays are used again. */
function valued({ t, columns: [v] }: Rows): Rows {
  let rows = 0;
  for (let row = 0; row < t.length; row++) {
    if (Number.isNaN(v![row])) continue;
    [t[rows], v![rows]] = [t[row]!, v![row]!];
    rows++;
  }
  return { t: t.subarray(0, rows), block: null, columns: [v!.subarray(0, rows)] };
}

/** Rows in which a bar before is looked for: a formula may lack a value in the last ones. */
const LOOKED_BACK = 1_000;

/** The time of the last bar before a table, Unix seconds; null if there is none. */
async function timeBefore(table: Table, context: SeriesContext): Promise<number | null> {
  if (!Number.isFinite(table.since)) return null;
  const before = { ...table, since: Number.NEGATIVE_INFINITY, until: table.since - 1 };
  const bars = await barsOf(before, LOOKED_BACK, context);
  return bars.at(-1)?.t.at(-1) ?? null;
}

async function* noBars(nextTime: number | null): AsyncGenerator<TextPiece> {
  yield piece(JSON.stringify({ s: "no_data", ...(nextTime !== null && { nextTime }) }));
}

async function* candleText(bars: readonly Rows[]): AsyncGenerator<TextPiece> {
  yield piece('{"s":"ok","t":[');
  yield* arrayText(bars, timesOf("unix"), ({ t }) => ({ t, block: null, columns: [] }), 0);
  for (const [index, name] of VALUES.entries()) {
    yield piece(`],"${name}":[`);
    yield* arrayText(bars, NUMBERS, ({ t, columns }) => ({ t, block: null, columns }), index === 0 ? 1 : 0);
  }
  yield piece("]}");
}
