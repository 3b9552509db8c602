/** Parses the API's CSV into points while it arrives. */

/** Points of a series: times in Unix seconds, which may repeat at block resolution, and values. */
export interface Points {
  t: Float64Array;
  v: Float64Array;
}

/** Characters of a time: `YYYY-MM-DDTHH:MM:SS`. */
const TIME_LENGTH = 19;

export class PointReader {
  #t = new Float64Array(4096);
  #v = new Float64Array(4096);
  #rest = "";
  #isHeader = true;
  #day = "";
  #dayStart = 0;
  length = 0;

  /** Parses the next piece of the text, which may end in the middle of a line. */
  push(piece: string): void {
    const text = this.#rest + piece;
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      if (this.#isHeader) this.#isHeader = false;
      else this.#line(text, start, end);
      start = end + 1;
    }
    this.#rest = text.slice(start);
  }

  points(): Points {
    return { t: this.#t.slice(0, this.length), v: this.#v.slice(0, this.length) };
  }

  #line(text: string, start: number, end: number): void {
    if (this.length === this.#t.length) {
      this.#t = doubled(this.#t);
      this.#v = doubled(this.#v);
    }
    const day = text.slice(start, start + 10);
    if (day !== this.#day) {
      this.#day = day;
      this.#dayStart = Date.parse(day) / 1000;
    }
    const at = (offset: number) =>
      (text.charCodeAt(start + offset) - 48) * 10 + text.charCodeAt(start + offset + 1) - 48;
    this.#t[this.length] = this.#dayStart + at(11) * 3600 + at(14) * 60 + at(17);
    this.#v[this.length] = Number(text.slice(start + TIME_LENGTH + 1, end));
    this.length++;
  }
}

function doubled(array: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(array.length * 2);
  longer.set(array);
  return longer;
}
