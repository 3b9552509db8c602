/** The answers for a file: all of it, a part, or no bytes. Source: docs/api.md#files. */

import type { StoredFile } from "../bucket/stream-file.ts";
import { CACHE_CONTROL } from "../cache-control.ts";
import type { Context } from "../context.ts";
import { logFailure, type Sent } from "../observe/log.ts";
import { Problem } from "../problems/problem.ts";
import type { Part } from "../request/byte-range.ts";
import type { FilePath } from "../request/file-path.ts";
import { fileTag } from "./etag.ts";
import { COMMON, EXPOSED, fileName } from "./respond.ts";

/** What pages of other origins may read, too, to fetch a file in ranges. */
const READABLE = {
  "Access-Control-Expose-Headers": `${EXPOSED}, Accept-Ranges, Content-Length, Content-Range`,
};

const SHARED = {
  ...COMMON,
  ...READABLE,
  "Accept-Ranges": "bytes",
  "Cache-Control": CACHE_CONTROL.clientForever,
};

/** 304. */
export function fileNotModified(tag: string, others: Record<string, string>): Response {
  return new Response(null, { status: 304, headers: { ...SHARED, ...others, ETag: tag } });
}

/**
 * 200 with a file, or 206 with a part of it; without a body if its bytes have not been read.
 *
 * @param isPart whether a range was asked for
 * @param others headers of this request
 * @throws {Problem} 416 the file ends before the range
 */
export function fileAnswer(
  { size, part, body }: StoredFile,
  isPart: boolean,
  symbol: string,
  path: FilePath,
  others: Record<string, string>,
  context: Context,
): Response {
  if (part === null) {
    const headers = { ...READABLE, "Content-Range": `bytes */${size}` };
    throw new Problem("unsatisfiable-range", `The file has ${size} bytes.`, {}, undefined, headers);
  }
  const headers = {
    ...SHARED,
    ...others,
    ETag: fileTag(path),
    "Content-Type": "application/vnd.apache.parquet",
    "Content-Disposition": `attachment; filename="${fileName([symbol, path.metric, path.resolution, path.period], "parquet")}"`,
    "Content-Length": String(part.length),
    ...(isPart && { "Content-Range": `bytes ${part.offset}-${part.offset + part.length - 1}/${size}` }),
  };
  const status = isPart ? 206 : 200;
  return new Response(body && passed(body, part, context), { status, headers });
}

/** A body whose number of bytes is known in advance: then workerd copies it without a call of JavaScript. */
function passed(body: ReadableStream<Uint8Array>, { length }: Part, { entry, waitUntil }: Context) {
  const { readable, writable } = new FixedLengthStream(length);
  const copied = body.pipeTo(writable, { preventCancel: true }).then(
    (): Sent => ({ points: 0, bytes: length }),
    async (error): Promise<Sent> => {
      // A stream that has failed cannot be cancelled. If it can, the client has gone away.
      const cut = await body.cancel().then(
        () => "client" as const,
        () => "failure" as const,
      );
      if (cut === "failure") logFailure("a response was cut off", error, entry.id);
      return { points: 0, bytes: 0, cut };
    },
  );
  entry.sent = copied;
  // The last bytes may be sent before the copying is known to have ended.
  waitUntil(copied);
  return readable;
}
