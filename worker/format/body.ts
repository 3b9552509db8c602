/** Pieces of an answer → the body of a response: one piece if it is short, otherwise a stream that needs little memory. */

import { joinBytes } from "../../data-schema/text.ts";
import type { Lease } from "../budget.ts";
import type { SeriesContext } from "../context.ts";
import { logFailure, type Sent } from "../observe/log.ts";
import { isOverloaded } from "../problems/problem.ts";
import { inTime } from "./in-time.ts";
import type { TextPiece } from "./rows-and-pieces.ts";

/** Bytes that are made before the response begins, so that failures become problem documents. */
const GATHERED_BYTES = 262_144;

/** Bytes that are sent at once, unless a single piece is longer: the size that workerd streams fastest. */
const PIECE_BYTES = 229_376;

/** The runtime asks for the first piece as soon as it has the response; after so long, it has no client for it. */
const UNREAD_MS = 5_000;

export interface Body {
  content: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
  /** Null if more of them are still to be read. */
  points: number | null;
  /** What was sent of a stream, once it has ended. */
  sent: Sent | Promise<Sent>;
}

/**
 * The body, once its first pieces have been made.
 *
 * @param points as many as there are at most; null if it is not known
 * @param context its lease has what the pieces are made of; it ends with the body
 * @param gatheredBytes that are made before the response begins; an answer that has no more is sent as one piece
 * @throws what making a piece throws while the first ones are gathered; after that, the stream fails and the connection
 *   is reset
 */
export async function body(
  pieces: AsyncGenerator<TextPiece>,
  points: number | null,
  context: Pick<SeriesContext, "entry" | "lease" | "waitUntil">,
  gatheredBytes: number = GATHERED_BYTES,
): Promise<Body> {
  const { lease } = context;
  try {
    const gathered: TextPiece[] = [];
    let bytes = 0;
    let isFinished = false;
    while (!isFinished && bytes < gatheredBytes) {
      const next = await pieces.next();
      if (next.done) isFinished = true;
      else {
        gathered.push(next.value);
        bytes += next.value.text.length;
      }
    }
    if (isFinished) {
      lease.end();
      const texts = gathered.map(({ text }) => text);
      // No piece is in shared memory.
      const content = texts.length === 1 ? (texts[0] as Uint8Array<ArrayBuffer>) : joinBytes(texts);
      const sent = gathered.reduce((sum, piece) => sum + piece.points, 0);
      return { content, points: sent, sent: { points: sent, bytes } };
    }
    const sent: Sent = { points: 0, bytes: 0 };
    const { promise, resolve } = Promise.withResolvers<Sent>();
    const end = () => {
      lease.end();
      resolve(sent);
    };
    return {
      content: stream(sending(gathered, pieces, sent, lease), pieces, sent, end, context),
      points,
      sent: promise,
    };
  } catch (error) {
    lease.end();
    throw error;
  }
}

async function* sending(
  gathered: TextPiece[],
  rest: AsyncGenerator<TextPiece>,
  sent: Sent,
  lease: Lease,
): AsyncGenerator<Uint8Array> {
  async function* all() {
    yield* gathered.splice(0);
    yield* rest;
  }
  for await (const { text, points } of joined(all(), lease)) {
    sent.points += points;
    sent.bytes += text.length;
    lease.keep([text]);
    yield text;
    // The next piece is asked for when this one has been sent.
    lease.free([text]);
  }
}

/** Joins pieces into larger ones, unless other requests hold much: sending each costs some microseconds. */
async function* joined(pieces: AsyncGenerator<TextPiece>, lease: Lease): AsyncGenerator<TextPiece> {
  const small: TextPiece[] = [];
  let bytes = 0;
  const join = (): TextPiece => {
    const parts = small.splice(0);
    bytes = 0;
    if (parts.length === 1) return parts[0]!;
    const text = joinBytes(parts.map((part) => part.text));
    for (const { text } of parts) if (text.buffer instanceof ArrayBuffer) text.buffer.transfer(0);
    return { text, points: parts.reduce((sum, { points }) => sum + points, 0) };
  };
  for await (const piece of pieces) {
    if (bytes > 0 && (lease.isCrowded || bytes + piece.text.length > PIECE_BYTES)) yield join();
    small.push(piece);
    bytes += piece.text.length;
  }
  if (small.length > 0) yield join();
}

/** Pulls chunks: nothing is read or formatted until the client has taken the chunk before. */
function stream(
  chunks: AsyncGenerator<Uint8Array>,
  pieces: AsyncGenerator<TextPiece>,
  sent: Sent,
  end: () => void,
  { entry, lease, waitUntil }: Pick<SeriesContext, "entry" | "lease" | "waitUntil">,
): ReadableStream<Uint8Array> {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const hasLeft = () => sent.cut === "client";
  const leave = async () => {
    sent.cut = "client";
    end();
    await chunks.return(undefined);
    // They have begun, even if no chunk has.
    await pieces.return(undefined);
  };
  // The body for a client that went away before the response is neither read nor cancelled.
  waitUntil(inTime(begun, UNREAD_MS).then((hasBegun) => (hasBegun ? undefined : leave())));
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        begin();
        // Whoever comes so late must not take what is left for all.
        if (hasLeft()) return controller.error(new Error("the body was not read in time"));
        try {
          const { done, value } = await lease.working(() => chunks.next());
          if (!done) {
            lease.sending(value.length);
            return controller.enqueue(value);
          }
          controller.close();
        } catch (error) {
          // What was being read when the client went away.
          if (hasLeft()) return;
          sent.cut = isOverloaded(error) ? "slow" : "failure";
          if (sent.cut === "failure") logFailure("a response was cut off", error, entry.id);
          controller.error(error);
        }
        end();
      },
      cancel() {
        begin();
        return leave();
      },
    },
    { highWaterMark: 0 },
  );
}
