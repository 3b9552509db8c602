/** Compression of CSV. Cloudflare compresses JSON on the way to the client, but not text/csv. */

import type { Body } from "./body.ts";

/**
 * Longer answers are sent as they are: compressing a point costs several times as much CPU time as everything else that
 * is done for it.
 */
export const GZIP_POINTS = 131_072;

/** The body compressed by gzip; null if it is empty or too long for that. */
export function gzip({ content, points }: Body): ReadableStream<Uint8Array> | null {
  if (points === null || points === 0 || points > GZIP_POINTS) return null;
  return new Response(content).body!.pipeThrough(new CompressionStream("gzip"));
}
