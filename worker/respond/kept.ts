/**
 * Long answers, kept whole in this location's cache: to send one again, nothing is decoded, written or compressed.
 *
 * An entity tag names everything that the bytes of an answer depend on, so a kept answer is never out of date. The key
 * of a request is no part of it.
 */

import * as v from "valibot";
import { CACHE_CONTROL } from "../cache-control.ts";
import type { Context } from "../context.ts";
import type { Body } from "../format/body.ts";
import { inTime } from "../format/in-time.ts";
import { noteSource, type Sent } from "../observe/log.ts";

/** Writing so many points takes a millisecond. The cache needs about as long for a shorter answer. */
const LEAST_POINTS = 16_384;

/** Longer answers are not kept. */
const MOST_BYTES = 24 << 20;

/** How long a client waits for the cache to take a piece; after that the answer is not kept. */
const PATIENCE_MS = 2_000;

/**
 * On the kept bytes themselves: whether they are compressed depends on how much other requests held when they were made.
 * Content-Encoding would tell the cache to decompress them.
 */
const COMPRESSED = "X-Compressed";

const KEPT_FOREVER = { "Cache-Control": CACHE_CONTROL.forever };

/** An answer that may be kept. */
export interface Keepable {
  /** Its strong entity tag. */
  tag: string;
  /** Whether it is for clients that take gzip. */
  isCompressible: boolean;
  /** Points that it has at most, and the bytes of each, roughly. */
  points: number;
  pointBytes: number;
}

/** An answer of the cache. */
export interface Kept {
  content: ReadableStream<Uint8Array>;
  isCompressed: boolean;
  sent: Sent;
}

/**
 * The address of an answer in the cache, on the Worker's own host as Cloudflare's Cache API requires; null if it is not
 * worth keeping.
 */
function addressOf({ tag, isCompressible, points, pointBytes }: Keepable, { edge, origin }: Context): string | null {
  if (edge === null || points < LEAST_POINTS || points * pointBytes > MOST_BYTES) return null;
  return `${origin}/answers/${encodeURIComponent(tag)}${isCompressible ? ".gzip" : ""}`;
}

/** What the cache says of an answer that is whole. */
const sentSchema = v.object({ points: v.number(), bytes: v.number() });

/** Where it says what an answer has. It is stored last, so that a part of one is never found. */
const sentOf = (address: string) => `${address}?sent`;

/** The answer, if it has been kept. */
export async function findKept(answer: Keepable, context: Context): Promise<Kept | null> {
  const address = addressOf(answer, context);
  if (address === null) return null;
  const { isolate, entry } = context;
  const match = (url: string) => context.edge!.match(url).catch(() => undefined);
  const readSent = async () => {
    const stored = await match(sentOf(address));
    const { success, output } = v.safeParse(sentSchema, await stored?.json().catch(() => undefined));
    return success ? output : undefined;
  };
  const [found, sent] = await Promise.all([match(address), isolate.kept.get(address) ?? readSent()]);
  if (!found?.body || !sent) {
    await found?.body?.cancel();
    return null;
  }
  isolate.kept.set(address, sent);
  noteSource(entry, "edge");
  return { content: found.body, isCompressed: found.headers.has(COMPRESSED), sent };
}

/**
 * A body that is copied to the cache as the client takes it, piece by piece: no more of it is held than without.
 *
 * @param sent resolves when all of it has been sent
 */
export function keeping(
  content: ReadableStream<Uint8Array>,
  isCompressed: boolean,
  sent: Body["sent"],
  answer: Keepable,
  context: Context,
): ReadableStream<Uint8Array> {
  const address = addressOf(answer, context);
  if (address === null) return content;
  const { edge, waitUntil } = context;
  const { readable, writable } = new IdentityTransformStream();
  const copy = writable.getWriter();
  const headers = isCompressed ? { ...KEPT_FOREVER, [COMPRESSED]: "gzip" } : KEPT_FOREVER;
  const stored = edge!.put(address, new Response(readable, { headers })).then(
    () => true,
    () => false,
  );
  const source = content.getReader();
  let bytes = 0;
  let isKept = true;
  const giveUp = () => {
    isKept = false;
    // Without its end, the cache does not store an answer.
    copy.abort().catch(() => {});
  };
  let taken: Promise<boolean> = Promise.resolve(true);
  const finish = async () => {
    await copy.close();
    if (!(await stored)) return;
    await edge!.put(sentOf(address), Response.json(await sent, { headers: KEPT_FOREVER }));
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // The source frees a piece when it is asked for the next one.
        if (isKept && !(await taken)) giveUp();
        try {
          const { done, value } = await source.read();
          if (done) {
            if (isKept) waitUntil(finish().catch(() => {}));
            return controller.close();
          }
          bytes += value.length;
          if (isKept && bytes > MOST_BYTES) giveUp();
          if (isKept) taken = inTime(copy.write(value), PATIENCE_MS);
          controller.enqueue(value);
        } catch (error) {
          giveUp();
          controller.error(error);
        }
      },
      async cancel(reason) {
        giveUp();
        await source.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
