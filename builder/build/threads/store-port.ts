/** The store of a task that runs on a worker thread: the main thread does what it asks for, one request at a time. */

import type { MessagePort, Transferable } from "node:worker_threads";
import type { StageStore } from "../left/task.ts";
import { received, type SentError, toSend } from "./errors.ts";

type Method = keyof StageStore;
type Request = { method: Method; arguments: unknown[] };
type StoreAnswer = { value: unknown } | { failed: SentError };

/** The store, as a worker thread sees it. */
export function storeOver(port: MessagePort): StageStore {
  const ask = (method: Method, given: unknown[], moved: Transferable[] = []) =>
    new Promise<never>((resolve, reject) => {
      port.once("message", (answer: StoreAnswer) =>
        "failed" in answer ? reject(received(answer.failed)) : resolve(answer.value as never),
      );
      port.postMessage({ method, arguments: given } satisfies Request, moved);
    });
  return {
    published: (...given) => ask("published", given),
    putSeries: (file) => ask("putSeries", [file], [file.bytes.buffer as ArrayBuffer]),
    copyLots: (...given) => ask("copyLots", given),
    putLots: (...given) => ask("putLots", given),
    putCheckpoint: (...given) => ask("putCheckpoint", given),
    end: () => ask("end", []),
  };
}

/** Serves the store to a worker thread, on the main thread. */
export function serveStore(port: MessagePort, store: StageStore): void {
  port.on("message", async ({ method, arguments: given }: Request) => {
    const call = store[method] as (...given: unknown[]) => Promise<unknown>;
    const answer = await call(...given).then(
      (value): StoreAnswer => ({ value }),
      (error): StoreAnswer => ({ failed: toSend(error) }),
    );
    port.postMessage(answer);
  });
}
