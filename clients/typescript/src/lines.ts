/** Streams of lines → rows and points, as they arrive. */

import type { Point, Row, TimeForm } from "./query.ts";

/** The objects of newline-delimited JSON. */
export async function* parseRows<T extends TimeForm>(stream: ReadableStream<Uint8Array>): AsyncGenerator<Row<T>> {
  for await (const line of linesOf(stream)) yield JSON.parse(line);
}

/** The points of CSV with the columns t and v. */
export async function* parsePoints(stream: ReadableStream<Uint8Array>): AsyncGenerator<Point> {
  let isHeader = true;
  for await (const line of linesOf(stream)) {
    const comma = line.indexOf(",");
    if (!isHeader) yield { t: line.slice(0, comma), v: Number(line.slice(comma + 1)) };
    isHeader = false;
  }
}

/** The lines, without their ends. A caller that stops ends the request. */
async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  // Not every browser can iterate over a stream.
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop()!;
      yield* lines;
    }
    if (rest !== "") yield rest;
  } finally {
    await reader.cancel().catch(() => {});
  }
}
