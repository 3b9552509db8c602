/**
 * Miniflare for tests that also build. A build may block their process for so long that workerd closes the connections to
 * it, which only the next request finds out: it is sent once more.
 */

import { convertV4MiniflareOptions, Miniflare } from "miniflare";

/** Returns before it listens. */
export function startMiniflare(options: Parameters<typeof convertV4MiniflareOptions>[0]): Miniflare {
  const miniflare = new Miniflare(convertV4MiniflareOptions(options));
  const send = miniflare.dispatchFetch;
  // Buckets and namespaces send their requests by it, too.
  miniflare.dispatchFetch = async (...request) => {
    try {
      return await send(...request);
    } catch (error) {
      if (wasClosed(error)) return send(...request);
      throw error;
    }
  };
  return miniflare;
}

/** Whether the connection was closed before an answer began. One that breaks off later is an error of the body. */
function wasClosed(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: string } };
  return ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"].includes(cause?.code ?? "");
}
