/** What an isolate holds while many clients read at once, by V8's inspector and by its own account. */

import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { workerModules } from "../../builder/store/bundle.ts";
import { workerOptions } from "../../builder/store/wrangler.ts";
import { Heap } from "./heap.ts";
import { SlowReader } from "./slow-reader.ts";

/** Bytes: V8's heap with all array buffers, and what the isolate counts. */
export type Memory = Record<"heap" | "account", number>;

export interface MeteredServer {
  miniflare: Miniflare;
  url: string;
  now(): Promise<Memory>;
  /** The most of each while some work is done. */
  during(work: () => Promise<unknown>): Promise<Memory>;
  close(): Promise<void>;
}

const POLL_MS = 20;

/** Starts the Worker with its inspector, over a state folder. */
export async function meteredServer(persist: string): Promise<MeteredServer> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...(await workerOptions(persist)),
      // All requests have one key and come from one address.
      ratelimits: {},
      host: "127.0.0.1",
      port: 0,
      inspectorPort: 0,
      ...(await workerModules("bench/worker/workerd/metered.ts")),
      logRequests: false,
    }),
  );
  const url = (await miniflare.ready).origin;
  const heap = await Heap.open(await miniflare.getInspectorURL());
  const now = async (): Promise<Memory> => {
    const account = await fetch(`${url}/account`);
    return { account: (await account.json()) as number, heap: await heap.bytes() };
  };
  return {
    miniflare,
    url,
    now,
    async during(work) {
      const peak: Memory = { heap: 0, account: 0 };
      let isOver = false;
      const ended = work().finally(() => {
        isOver = true;
      });
      while (!isOver) {
        const { heap, account } = await now();
        peak.heap = Math.max(peak.heap, heap);
        peak.account = Math.max(peak.account, account);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
      await ended;
      return peak;
    },
    async close() {
      heap.close();
      await miniflare.dispose();
    },
  };
}

/** Slow readers of some paths, all at once, each of the next path; those whose answers have begun, and the refused. */
export async function slowReaders(url: string, paths: readonly string[], count: number) {
  const readers = Array.from({ length: count }, (_, index) => new SlowReader(url + paths[index % paths.length]));
  const heads = await Promise.all(readers.map(({ started }) => started));
  const served = readers.filter((_, index) => heads[index]!.status === 200);
  const refused = heads.filter(({ status }) => status !== 200);
  return { readers, served, refused };
}
