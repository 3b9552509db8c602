/** Slices → the body of a response: one piece when it is short, a stream in flat memory when it is long. */

import { logFailure } from "../log.ts";
import type { Slice } from "../read/slice.ts";
import type { Layout } from "./layouts.ts";
import { CAPACITY, writeRows } from "./rows.ts";

/** Up to this many points are read before the response begins, so that their failures become problem documents. */
const GATHERED_POINTS = 131_072;

export type Body = Uint8Array<ArrayBuffer> | string | ReadableStream<Uint8Array>;

/**
 * The body, once its first points are there.
 *
 * @throws what reading throws while the first points are gathered; later, the stream fails and the connection is reset
 */
export async function body(slices: AsyncGenerator<Slice>, layout: Layout): Promise<Body> {
  const gathered: Slice[] = [];
  let points = 0;
  let finished = false;
  while (!finished && points <= GATHERED_POINTS) {
    const next = await slices.next();
    if (next.done) finished = true;
    else {
      gathered.push(next.value);
      points += next.value.t.length;
    }
  }
  if (points === 0) return layout.empty;
  if (finished && points <= CAPACITY) return writeRows(gathered, layout, layout.open, layout.close);
  return stream(write(gathered, finished ? null : slices, layout));
}

async function* write(
  gathered: Slice[],
  rest: AsyncGenerator<Slice> | null,
  layout: Layout,
): AsyncGenerator<Uint8Array> {
  let before = layout.open;
  for await (const part of parts(gathered, rest)) {
    yield writeRows(part, layout, before, "");
    before = layout.between;
  }
  yield new TextEncoder().encode(layout.close);
}

/** The same points, as many at a time as can be written at once. */
async function* parts(gathered: Slice[], rest: AsyncGenerator<Slice> | null): AsyncGenerator<Slice[]> {
  async function* all() {
    // Shifted, so that what has been written can be collected.
    for (let slice = gathered.shift(); slice !== undefined; slice = gathered.shift()) yield slice;
    if (rest !== null) yield* rest;
  }
  let part: Slice[] = [];
  let room = CAPACITY;
  for await (const { t, v } of all()) {
    for (let from = 0; from < t.length; ) {
      const to = Math.min(from + room, t.length);
      part.push({ t: t.subarray(from, to), v: v.subarray(from, to) });
      room -= to - from;
      from = to;
      if (room > 0) continue;
      yield part;
      part = [];
      room = CAPACITY;
    }
  }
  if (part.length > 0) yield part;
}

/** Pulled: nothing is read or formatted before the client has taken what came before. */
function stream(parts: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await parts.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          logFailure("a response was cut off", error);
          controller.error(error);
        }
      },
      async cancel() {
        await parts.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
