/** Requests that end: connections that fall silent are dropped, and what may succeed later is tried again. */

/** Sends a GET, any number of times. */
export type Send = (request: Request) => Promise<Response>;

/** Fails a request when nothing arrives for so long. The time that the reader of the body takes does not count. */
export function watched(send: Send, silenceSeconds: number): Send {
  return async (request) => {
    const silence = new AbortController();
    // A collection of garbage can cut the way from a signal to its request: that ends the wait, whether the request ends or not.
    const within = async <T>(step: () => Promise<T>): Promise<T> => {
      let stop = () => {};
      const stopped = new Promise<never>((_, reject) => {
        const end = (reason: unknown) => {
          silence.abort(reason);
          reject(reason);
        };
        const silent = () => end(new Error(`The server sent nothing for ${silenceSeconds} s.`));
        const aborted = () => end(request.signal.reason);
        const timer = setTimeout(silent, silenceSeconds * 1000);
        request.signal.addEventListener("abort", aborted);
        stop = () => {
          clearTimeout(timer);
          request.signal.removeEventListener("abort", aborted);
        };
      });
      try {
        return await Promise.race([step(), stopped]);
      } finally {
        stop();
      }
    };
    const signal = AbortSignal.any([request.signal, silence.signal]);
    const response = await within(() => send(new Request(request, { signal })));
    const reader = response.body?.getReader();
    if (reader === undefined) return response;
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(output) {
          const { done, value } = await within(() => reader.read());
          if (done) output.close();
          else output.enqueue(value);
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
    return withBody(response, body);
  };
}

/** Reads the whole body before it answers, so that a connection that drops within it counts as any other. */
export function whole(send: Send): Send {
  return async (request) => {
    const response = await send(request);
    return response.body === null ? response : withBody(response, await response.arrayBuffer());
  };
}

/** An answer with a body that is decoded already. */
export function withBody(
  { status, statusText, headers }: Response,
  body: ArrayBuffer | ReadableStream<Uint8Array>,
): Response {
  const decoded = new Headers(headers);
  for (const name of ["Content-Encoding", "Content-Length"]) decoded.delete(name);
  return new Response(body, { status, statusText, headers: decoded });
}

const MOST_ATTEMPTS = 6;
/** The server asks for a pause: its limits (429), or something that passes (503). */
const PASSING = [429, 503];

/**
 * Tries again after 429, 503 and dropped connections, as long as the pauses take no more than so many seconds together.
 * Then the last answer, or error, counts.
 */
export function retrying(send: Send, patienceSeconds: number): Send {
  return async (request) => {
    for (let attempt = 1, patience = patienceSeconds; ; attempt++) {
      const outcome = await send(request).catch((error: unknown) => ({ error }));
      request.signal.throwIfAborted();
      const answer = outcome instanceof Response ? outcome : undefined;
      const pauseSeconds = answer ? pauseBefore(answer, attempt) : backoff(attempt);
      if (pauseSeconds === null || pauseSeconds > patience || attempt === MOST_ATTEMPTS) {
        if (answer) return answer;
        throw (outcome as { error: unknown }).error;
      }
      await answer?.body?.cancel();
      await pause(pauseSeconds, request.signal);
      patience -= pauseSeconds;
    }
  };
}

/** Seconds to wait before another attempt; null if it would be of no use. */
function pauseBefore({ status, headers }: Response, attempt: number): number | null {
  if (!PASSING.includes(status)) return null;
  const asked = headers.get("Retry-After");
  return asked !== null && /^\d+$/.test(asked) ? Number(asked) : backoff(attempt);
}

/** Half a second, then twice as long each time; up to a quarter more, so that clients do not come back together. */
const backoff = (attempt: number) => 0.5 * 2 ** (attempt - 1) * (1 + Math.random() / 4);

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, seconds * 1000);
    signal.addEventListener("abort", end);
  });
}
