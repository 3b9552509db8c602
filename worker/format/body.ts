/** Slices → the body of a response: one piece if it is short, otherwise a stream that needs little memory. */

import { joinBytes } from "../../data-schema/bytes.ts";
import type { Slice } from "../../data-schema/series.ts";
import { arraysOf, type Lease } from "../budget.ts";
import { logFailure, type Sent } from "../observe/log.ts";
import { isOverloaded } from "../problems/problem.ts";
import type { Layout } from "./layouts.ts";
import type { Piece } from "./pieces.ts";
import { CAPACITY, writeRows } from "./rows.ts";

/**
 * Up to this many points are read before the response begins, so that failures become problem documents; fewer while
 * other requests hold much.
 */
const GATHERED_POINTS = 131_072;

/** Points of a chunk of a stream while other requests hold much. */
const CROWDED_POINTS = CAPACITY / 4;

/** Text that is made before a response of pieces begins. */
const GATHERED_BYTES = 262_144;

/** Text that is sent at once, unless a single piece is longer: the size that workerd streams fastest. */
const PIECE_BYTES = 229_376;

export interface Body {
  content: Uint8Array<ArrayBuffer> | string | ReadableStream<Uint8Array>;
  /** Null if more of them are still to be read. */
  points: number | null;
  /** Of a stream, once it has ended. */
  sent: Sent | Promise<Sent>;
}

/**
 * The body, once its first points have been read.
 *
 * @param id of the request, for the log
 * @param lease has the slices; it ends with the body
 * @throws what reading throws while the first points are gathered; after that, the stream fails and the connection is
 *   reset
 */
export async function body(slices: AsyncGenerator<Slice>, layout: Layout, id: string, lease: Lease): Promise<Body> {
  try {
    const body = await begin(slices, layout, id, lease);
    if (!(body.content instanceof ReadableStream)) lease.end();
    return body;
  } catch (error) {
    lease.end();
    throw error;
  }
}

async function begin(slices: AsyncGenerator<Slice>, layout: Layout, id: string, lease: Lease): Promise<Body> {
  const gathered: Slice[] = [];
  let points = 0;
  let finished = false;
  while (!finished && (points <= CAPACITY || (points <= GATHERED_POINTS && lease.mayHold(0)))) {
    const next = await slices.next();
    if (next.done) finished = true;
    else {
      gathered.push(next.value);
      points += next.value.t.length;
    }
  }
  if (points === 0) return { content: layout.empty, points, sent: { points, bytes: layout.empty.length } };
  if (finished && points <= CAPACITY) {
    const content = writeRows(gathered, layout, layout.open, layout.close);
    return { content, points, sent: { points, bytes: content.length } };
  }
  await lease.enter();
  const sent: Sent = { points: 0, bytes: 0 };
  const { promise, resolve } = Promise.withResolvers<Sent>();
  const chunks = write(gathered, finished ? null : slices, layout, sent, lease);
  const end = () => {
    lease.end();
    resolve(sent);
  };
  const content = stream(chunks, sent, end, id, lease);
  return { content, points: finished ? points : null, sent: promise };
}

async function* write(
  gathered: Slice[],
  rest: AsyncGenerator<Slice> | null,
  layout: Layout,
  sent: Sent,
  lease: Lease,
): AsyncGenerator<Uint8Array> {
  let before = layout.open;
  for await (const chunk of chunksOf(gathered, rest, lease)) {
    const text = writeRows(chunk, layout, before, "");
    for (const { t } of chunk) sent.points += t.length;
    sent.bytes += text.length;
    lease.keep([text]);
    yield text;
    // The next chunk is asked for when this one has been sent.
    lease.free([text]);
    before = layout.between;
  }
  sent.bytes += layout.close.length;
  yield new TextEncoder().encode(layout.close);
}

/** The same points, in chunks of as many as can be written at once; freed when they have been written. */
async function* chunksOf(gathered: Slice[], rest: AsyncGenerator<Slice> | null, lease: Lease): AsyncGenerator<Slice[]> {
  async function* all() {
    // Removed from the array, so that what has been written can be garbage-collected.
    for (let slice = gathered.shift(); slice !== undefined; slice = gathered.shift()) yield slice;
    if (rest !== null) yield* rest;
  }
  let chunk: Slice[] = [];
  let points = 0;
  let written: Slice[] = [];
  for await (const slice of all()) {
    const { t, v } = slice;
    for (let from = 0; from < t.length; ) {
      const capacity = lease.isCrowded ? CROWDED_POINTS : CAPACITY;
      const to = Math.min(from + Math.max(capacity - points, 0), t.length);
      chunk.push({ t: t.subarray(from, to), v: v.subarray(from, to) });
      points += to - from;
      from = to;
      if (from === t.length) written.push(slice);
      // In a crowd, a slice is freed before the next one is read.
      if (points < capacity && !(from === t.length && lease.isCrowded)) continue;
      yield chunk;
      for (const done of written) lease.free(arraysOf(done));
      [chunk, points, written] = [[], 0, []];
    }
  }
  if (chunk.length > 0) yield chunk;
}

/**
 * The body of texts that are made piece by piece, once the first of them are there.
 *
 * @param points as many as there are at most, if it is known
 * @throws as `body`
 */
export async function pieceBody(
  pieces: AsyncGenerator<Piece>,
  points: number | null,
  id: string,
  lease: Lease,
): Promise<Body> {
  try {
    const gathered: Piece[] = [];
    let bytes = 0;
    let isFinished = false;
    while (!isFinished && bytes < GATHERED_BYTES) {
      const next = await pieces.next();
      if (next.done) isFinished = true;
      else {
        gathered.push(next.value);
        bytes += next.value.text.length;
      }
    }
    if (isFinished) {
      lease.end();
      const content = joinBytes(gathered.map(({ text }) => text));
      const sent = gathered.reduce((sum, piece) => sum + piece.points, 0);
      return { content, points: sent, sent: { points: sent, bytes } };
    }
    const sent: Sent = { points: 0, bytes: 0 };
    const { promise, resolve } = Promise.withResolvers<Sent>();
    const end = () => {
      lease.end();
      resolve(sent);
    };
    return { content: stream(sending(gathered, pieces, sent, lease), sent, end, id, lease), points, sent: promise };
  } catch (error) {
    lease.end();
    throw error;
  }
}

async function* sending(
  gathered: Piece[],
  rest: AsyncGenerator<Piece>,
  sent: Sent,
  lease: Lease,
): AsyncGenerator<Uint8Array> {
  async function* all() {
    yield* gathered.splice(0);
    yield* rest;
  }
  for await (const { text, points } of joined(all())) {
    sent.points += points;
    sent.bytes += text.length;
    lease.keep([text]);
    yield text;
    lease.free([text]);
  }
}

/** The same text in larger pieces: each that is sent costs some microseconds. */
async function* joined(pieces: AsyncGenerator<Piece>): AsyncGenerator<Piece> {
  const small: Piece[] = [];
  let bytes = 0;
  const join = (): Piece => {
    const parts = small.splice(0);
    bytes = 0;
    if (parts.length === 1) return parts[0]!;
    const text = joinBytes(parts.map((part) => part.text));
    for (const { text } of parts) if (text.buffer instanceof ArrayBuffer) text.buffer.transfer(0);
    return { text, points: parts.reduce((sum, { points }) => sum + points, 0) };
  };
  for await (const piece of pieces) {
    if (bytes > 0 && bytes + piece.text.length > PIECE_BYTES) yield join();
    small.push(piece);
    bytes += piece.text.length;
  }
  if (small.length > 0) yield join();
}

/** Pulls chunks: nothing is read or formatted until the client has taken the chunk before. */
function stream(
  chunks: AsyncGenerator<Uint8Array>,
  sent: Sent,
  end: () => void,
  id: string,
  lease: Lease,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await lease.working(() => chunks.next());
          if (!done) {
            lease.sending(value.length);
            return controller.enqueue(value);
          }
          controller.close();
        } catch (error) {
          // What was being read when the client went away.
          if (sent.cut === "client") return;
          sent.cut = isOverloaded(error) ? "slow" : "failure";
          if (sent.cut === "failure") logFailure("a response was cut off", error, id);
          controller.error(error);
        }
        end();
      },
      async cancel() {
        sent.cut = "client";
        end();
        await chunks.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
