/** Compression of CSV. Cloudflare compresses JSON on the way to the client, but not text/csv. */

import type { Body } from "./body.ts";

/**
 * Longer answers are sent as they are: compressing a point takes twenty times as long as formatting it, so this many take
 * about 0.2 s of CPU time.
 */
export const GZIP_POINTS = 131_072;

/**
 * The body compressed by gzip; null if it is empty, or too long for that.
 *
 * @param limit of points, as the operator set it
 */
export function gzip({ content, points }: Body, limit?: string): ReadableStream<Uint8Array> | null {
  if (points === null || points === 0 || !(points <= Number(limit ?? GZIP_POINTS))) return null;
  return new Response(content).body!.pipeThrough(new CompressionStream("gzip"));
}
