/** Slices → the body of a response: one piece when it is short, a stream in flat memory when it is long. */

import { logFailure } from "../log.ts";
import type { Slice } from "../read/slice.ts";
import type { Layout } from "./layouts.ts";
import { CAPACITY, writeRows } from "./rows.ts";

/** Up to this many points are read before the response begins, so that their failures become problem documents. */
const GATHERED_POINTS = 131_072;

/** What has left: `cut` says whose doing it is that it was not all. */
export interface Sent {
  points: number;
  bytes: number;
  cut?: "failure" | "client";
}

export interface Body {
  content: Uint8Array<ArrayBuffer> | string | ReadableStream<Uint8Array>;
  /** Of a stream, once it has ended. */
  sent: Sent | Promise<Sent>;
}

/**
 * The body, once its first points are there.
 *
 * @param id of the request, for the log
 * @throws what reading throws while the first points are gathered; later, the stream fails and the connection is reset
 */
export async function body(slices: AsyncGenerator<Slice>, layout: Layout, id: string): Promise<Body> {
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
  if (points === 0) return { content: layout.empty, sent: { points, bytes: layout.empty.length } };
  if (finished && points <= CAPACITY) {
    const content = writeRows(gathered, layout, layout.open, layout.close);
    return { content, sent: { points, bytes: content.length } };
  }
  const sent: Sent = { points: 0, bytes: 0 };
  const { promise, resolve } = Promise.withResolvers<Sent>();
  const parts = write(gathered, finished ? null : slices, layout, sent);
  return { content: stream(parts, sent, () => resolve(sent), id), sent: promise };
}

async function* write(
  gathered: Slice[],
  rest: AsyncGenerator<Slice> | null,
  layout: Layout,
  sent: Sent,
): AsyncGenerator<Uint8Array> {
  let before = layout.open;
  for await (const part of parts(gathered, rest)) {
    const text = writeRows(part, layout, before, "");
    for (const { t } of part) sent.points += t.length;
    sent.bytes += text.length;
    yield text;
    before = layout.between;
  }
  sent.bytes += layout.close.length;
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
function stream(
  parts: AsyncGenerator<Uint8Array>,
  sent: Sent,
  end: () => void,
  id: string,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await parts.next();
          if (!done) return controller.enqueue(value);
          controller.close();
        } catch (error) {
          sent.cut = "failure";
          logFailure("a response was cut off", error, id);
          controller.error(error);
        }
        end();
      },
      async cancel() {
        sent.cut = "client";
        end();
        await parts.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
