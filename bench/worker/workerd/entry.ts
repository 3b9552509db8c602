/** The Worker and its alternatives, side by side in one isolate: a header selects which of them answers. */

import type { Bindings, Context } from "../../../worker/context.ts";
import { Isolate } from "../../../worker/isolate.ts";
import { Problem } from "../../../worker/problems/problem.ts";
import { kernelBytes } from "../../../worker/read/objects/decode-rows.ts";
import { authenticate } from "../../../worker/request/authenticate.ts";
import { type BenchQuery, peerKey, QUERIES, renderedKey } from "../queries.ts";
import { formatting } from "./formatting.ts";
import { straightforward, withHyparquet } from "./peers.ts";
import { answer, isState, warmIsolate } from "./states.ts";

interface BenchBindings extends Bindings {
  /** The keys of the series objects that hold each query's points, by the query's name. */
  KEYS_OF: Record<string, string[]>;
}

// Only the Worker logs a line for each request, which Miniflare would print.
console.log = () => {};

const isolate = new Isolate();
const constants = new Map<string, Uint8Array<ArrayBuffer>>();

export default {
  async fetch(request, bindings, execution) {
    const contender = request.headers.get("x-contender") ?? "warm";
    const waitUntil: Context["waitUntil"] = (work) => execution.waitUntil(work);
    const delay = Number(request.headers.get("x-delay") ?? 0);
    const bucket = delay > 0 ? delayed(bindings.BUCKET, delay) : bindings.BUCKET;
    if (isState(contender)) return answer(contender, request, { ...bindings, BUCKET: bucket }, waitUntil);
    if (contender === "memory") return Response.json(memory());

    const { origin, searchParams } = new URL(request.url);
    const requestContext = { bindings, isolate, entry: { id: "" }, origin, edge: null, now: Date.now, waitUntil };
    await authenticate(request, searchParams, requestContext);
    const query = QUERIES.find(({ name }) => name === request.headers.get("x-query"))!;
    return respond(contender, query, bindings);
  },
} satisfies ExportedHandler<BenchBindings>;

async function respond(contender: string, query: BenchQuery, { BUCKET, KEYS_OF }: BenchBindings): Promise<Response> {
  // What only formats has no query.
  const objects = () => KEYS_OF[query.name]!.map(peerKey);
  const headers = { "Content-Type": "application/json" };
  switch (contender) {
    case "rendered":
      return new Response((await BUCKET.get(renderedKey(query)))!.body, { headers });
    case "constant": {
      const known = constants.get(query.name);
      if (known !== undefined) return new Response(known, { headers });
      const bytes = new Uint8Array((await BUCKET.head(renderedKey(query)))!.size).fill(0x20);
      constants.set(query.name, bytes);
      return new Response(bytes, { headers });
    }
    case "format":
      return new Response(String(formatting.kernel()));
    case "format-wide":
      return new Response(String(formatting.wide()));
    case "concatenate":
      return new Response(String(formatting.concatenation()));
    case "gzip":
      return new Response(String(await formatting.gzip()));
    case "straightforward":
      return new Response(await straightforward(query, objects(), BUCKET), { headers });
    case "hyparquet":
      return new Response(await withHyparquet(query, objects(), BUCKET), { headers });
    default:
      throw new Problem("internal-error", `there is no contender ${contender}`);
  }
}

/** The bucket with every read delayed by some milliseconds, as if it were far away. */
function delayed(bucket: R2Bucket, milliseconds: number): R2Bucket {
  const get = async (key: string, options?: R2GetOptions) => {
    await scheduler.wait(milliseconds);
    return bucket.get(key, options);
  };
  return new Proxy(bucket, {
    get(target, name) {
      if (name === "get") return get;
      const member = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

/** Bytes. */
function memory() {
  return { wasm: kernelBytes(), account: warmIsolate.bytes };
}
