/** A store that fails at one write: what a network, a full disk or a killed process does to a command. */

import type { ObjectStore } from "../../builder/store/store.ts";

export interface Interruption {
  /** The write that fails, counted from 0. */
  at: number;
  /** Whether it is carried out nevertheless: only its answer is lost. */
  isDone: boolean;
  /** Whether every later call fails too, as if the process had been killed. */
  stops: boolean;
}

export const INTERRUPTIONS: readonly Omit<Interruption, "at">[] = [true, false].flatMap((stops) =>
  [true, false].map((isDone) => ({ isDone, stops })),
);

export interface InterruptedStore extends ObjectStore {
  /** Writes so far. */
  readonly writes: number;
}

/** Without an interruption it only counts. */
export function interruptedStore(store: ObjectStore, interruption?: Interruption): InterruptedStore {
  let writes = 0;
  const isOver = () => interruption?.stops && writes > interruption.at;
  const read = <T>(call: () => Promise<T>) => (isOver() ? Promise.reject(new Error("stopped")) : call());
  const write = async <T>(call: () => Promise<T>) => {
    if (isOver()) throw new Error("stopped");
    if (writes++ !== interruption?.at) return call();
    if (interruption.isDone) await call();
    throw new Error("interrupted");
  };
  return {
    name: store.name,
    get writes() {
      return writes;
    },
    get: (key, range) => read(() => store.get(key, range)),
    list: (prefix) => read(() => store.list(prefix)),
    put: (key, content, options) => write(() => store.put(key, content, options)),
    delete: (keys) => write(() => store.delete(keys)),
    close: async () => {},
  };
}
