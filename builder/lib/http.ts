/**
 * One HTTP request with an answer that is whole, in time and of bounded size. Nodes and R2 have clients of their own, on the
 * agents of node:http: one hands answers on as they arrive, and leaves slow ones; the other signs, and sends files.
 */

export interface Received {
  status: number;
  headers: Headers;
  body: Buffer;
}

/** Why there is no answer: none in time, one that is too long, or none at all. */
export class HttpFailure extends Error {
  override name = "HttpFailure";
  readonly kind: "late" | "long" | "unreachable";
  /** The system's code, such as ECONNREFUSED, or the name of the error. */
  readonly code: string;

  constructor(kind: HttpFailure["kind"], code: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
    this.code = code;
  }
}

export interface HttpOptions extends Pick<RequestInit, "method" | "headers" | "body" | "redirect"> {
  /** For the whole answer. */
  timeoutMs: number;
  /** Bytes of an answer. Default: it is not kept. */
  largest?: number;
  /** Ends the request. */
  signal?: AbortSignal | undefined;
}

/**
 * @throws {HttpFailure} there is no answer
 * @throws the reason of `signal`, once it is aborted
 */
export async function receive(url: string | URL, options: HttpOptions): Promise<Received> {
  const { timeoutMs, largest, signal, ...request } = options;
  const ended = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  // Not left to the request alone: looking up a name can't be aborted.
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new HttpFailure("late", "ETIMEDOUT", `no answer within ${timeoutMs / 1000} seconds`));
      ended.abort();
    }, timeoutMs);
  });
  const read = async (): Promise<Received> => {
    const both = signal ? AbortSignal.any([signal, ended.signal]) : ended.signal;
    const { status, headers, body } = await fetch(url, { ...request, signal: both });
    const parts: Uint8Array[] = [];
    let size = 0;
    if (largest === undefined) await body?.cancel();
    else {
      for await (const part of body ?? []) {
        size += part.length;
        if (size > largest) throw new HttpFailure("long", "EMSGSIZE", `an answer of more than ${largest} bytes`);
        parts.push(part);
      }
    }
    return { status, headers, body: Buffer.concat(parts, size) };
  };
  try {
    return await Promise.race([read(), late]);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof HttpFailure) throw error;
    const { code, name, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    throw new HttpFailure("unreachable", code ?? name, message, error);
  } finally {
    clearTimeout(timer);
  }
}

/** How long a server asks to be left alone, in milliseconds; undefined if it doesn't say, or names a date. */
export function pauseAsked(headers: Headers): number | undefined {
  const after = headers.get("Retry-After");
  return after !== null && /^\d{1,6}$/.test(after) ? Number(after) * 1000 : undefined;
}
