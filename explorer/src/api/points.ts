/** Parses the API's CSV, of one or more series, while it arrives. */

/** Points of a series: times in Unix seconds, which may repeat at block resolution, and values. */
export interface Points {
  t: Float64Array;
  v: Float64Array;
  /** The number of each point's block, at block resolution. */
  block?: Float64Array | undefined;
}

export const NO_POINTS: Points = { t: new Float64Array(), v: new Float64Array() };

/** Reads lines of `t`, `block` at block resolution, and a number or nothing for each series; times are Unix seconds. */
export class TableReader {
  /** The header; `t` and `block` are columns, too. */
  #names: string[] = [];
  #columns: Float64Array<ArrayBuffer>[] = [];
  #rest = "";
  rows = 0;

  /** Numbers that have been read. */
  get size(): number {
    return this.rows * this.#columns.length;
  }

  /** Parses the next piece of the text, which may end in the middle of a line. */
  push(piece: string): void {
    const text = this.#rest + piece;
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      if (this.#names.length > 0) this.#line(text, start, end);
      else this.#header(text.slice(start, end));
      start = end + 1;
    }
    this.#rest = text.slice(start);
  }

  /** The points of each series, by the names of their columns. Series without gaps share their times. */
  series(): Map<string, Points> {
    const columns = new Map(this.#names.map((name, i) => [name, this.#columns[i]!.slice(0, this.rows)]));
    const t = columns.get("t") ?? new Float64Array();
    const block = columns.get("block");
    return new Map(
      [...columns]
        .filter(([name]) => name !== "t" && name !== "block")
        .map(([name, v]) => [name, withoutGaps({ t, v, block })]),
    );
  }

  #header(line: string): void {
    this.#names = line.split(",").map((name) => name.replaceAll('"', ""));
    this.#columns = this.#names.map(() => new Float64Array(4096));
  }

  #line(text: string, start: number, end: number): void {
    if (this.rows === this.#columns[0]!.length) this.#columns = this.#columns.map(doubled);
    let from = start;
    for (const column of this.#columns) {
      const comma = text.indexOf(",", from);
      const to = comma === -1 || comma > end ? end : comma;
      column[this.rows] = to > from ? Number(text.slice(from, to)) : Number.NaN;
      from = to + 1;
    }
    this.rows++;
  }
}

/** A table has rows at which some of its series have no point. */
export function withoutGaps({ t, v, block }: Points): Points {
  const kept = v.every((value) => !Number.isNaN(value)) ? null : indexesOf(v, (value) => !Number.isNaN(value));
  if (kept === null) return { t, v, block };
  const pick = (from: Float64Array) => Float64Array.from(kept, (i) => from[i]!);
  return { t: pick(t), v: pick(v), block: block && pick(block) };
}

function indexesOf(values: Float64Array, test: (value: number) => boolean): number[] {
  const found: number[] = [];
  for (let i = 0; i < values.length; i++) if (test(values[i]!)) found.push(i);
  return found;
}

function doubled(array: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(array.length * 2);
  longer.set(array);
  return longer;
}
