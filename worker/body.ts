/** Slices → the body of a response: one text when it is short, a stream in flat memory when it is long. */

import { formatPoints, type Layout } from "./format.ts";
import { logFailure } from "./log.ts";
import type { Slice } from "./read/slice.ts";

/** Up to this many points are read before the response begins, so that their failures become problem documents. */
const GATHERED_POINTS = 131_072;

/** Points formatted at once: half a megabyte of text. */
const CHUNK_POINTS = 16_384;

/**
 * The body, once its first points are there.
 *
 * @throws what reading throws while the first points are gathered; later, the stream fails and the connection is reset
 */
export async function body(
  slices: AsyncGenerator<Slice>,
  layout: Layout,
): Promise<string | ReadableStream<Uint8Array>> {
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
  const texts = write(gathered, finished ? null : slices, layout);
  if (points > CHUNK_POINTS || !finished) return stream(texts);
  let text = "";
  for await (const part of texts) text += part;
  return text;
}

async function* write(gathered: Slice[], rest: AsyncGenerator<Slice> | null, layout: Layout): AsyncGenerator<string> {
  async function* all() {
    // Shifted, so that what has been written can be collected.
    for (let slice = gathered.shift(); slice !== undefined; slice = gathered.shift()) yield slice;
    if (rest !== null) yield* rest;
  }
  let isFirst = true;
  for await (const slice of all()) {
    for (let from = 0; from < slice.t.length; from += CHUNK_POINTS) {
      const text = formatPoints(slice, from, Math.min(from + CHUNK_POINTS, slice.t.length), layout);
      yield isFirst ? layout.open + text.slice(layout.between.length) : text;
      isFirst = false;
    }
  }
  yield isFirst ? layout.empty : layout.close;
}

/** Pulled: nothing is read or formatted before the client has taken what came before. */
function stream(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await texts.next();
          if (done) controller.close();
          else controller.enqueue(encoder.encode(value));
        } catch (error) {
          logFailure("a response was cut off", error);
          controller.error(error);
        }
      },
      async cancel() {
        await texts.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
