/** Compression of CSV. Cloudflare compresses JSON on the way to the client, but not text/csv. */

import type { Body } from "./body.ts";

/**
 * Longer answers are sent as they are: compressing a point takes twenty times as long as formatting it, so this many take
 * about a quarter of a second of CPU time.
 */
export const GZIP_POINTS = 131_072;

/** A piece that the client gets; without BYOB it would have 4 kB. */
const PIECE_BYTES = 65_536;

/**
 * The body compressed by gzip, at the client's pace; null if it is empty, or too long for that.
 *
 * @param limit of points, as the operator set it
 */
export function gzip({ content, points }: Body, limit?: string | number): ReadableStream<Uint8Array> | null {
  if (points === null || points === 0 || !(points <= Number(limit ?? GZIP_POINTS))) return null;
  const text = new Response(content).body!.getReader();
  const { readable, writable } = new CompressionStream("gzip");
  const [output, input] = [readable.getReader({ mode: "byob" }), writable.getWriter()];
  let hasEnded = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = output.read(new Uint8Array(PIECE_BYTES));
        const isReady = piece.then(
          () => true,
          () => true,
        );
        // A CompressionStream takes and keeps all that it is given. So it gets more only when it has nothing left to give.
        while (!hasEnded && !(await Promise.race([isReady, scheduler.wait(0)]))) {
          const { done, value } = await text.read();
          hasEnded = done;
          await (done ? input.close() : input.write(value));
        }
        const { done, value } = await piece;
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await text.cancel();
        await input.abort();
      },
    },
    { highWaterMark: 0 },
  );
}
