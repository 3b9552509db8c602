import { initSync, readParquet, wasmMemory } from "parquet-wasm/esm/parquet_wasm.js";
import wasm from "parquet-wasm/esm/parquet_wasm_bg.wasm";
import { PARQUET_TRAILER_BYTES, parseFooter, decodeRows } from "../../../data-schema/parquet.ts";
import { planBatches } from "../../../worker/read/objects/batches.ts";
import { RowWriter } from "../../../worker/format/table-rows.ts";
import { SERIES_FORMS } from "../../../worker/table/v1-body.ts";
import { QUERIES } from "../queries.ts";
initSync({ module: wasm });
const plans = new Map<string, any[]>();
const bounds = { since: -Infinity, until: Infinity, sinceBlock: -Infinity, untilBlock: Infinity };
async function planOf(name: string, BUCKET: R2Bucket, keys: string[]) {
  let p = plans.get(name);
  if (!p) {
    p = [];
    const query = QUERIES.find((q) => q.name === name)!;
    for (const key of keys) {
      const bytes = new Uint8Array(await (await BUCKET.get(key))!.arrayBuffer());
      const footer = parseFooter(bytes, bytes.length);
      const grid = { from: 0, to: 1e12, step: 1 };
      for (const batch of planBatches(footer, [{ selector: query.selector, column: 0 }], { ...bounds, since: query.range?.since ?? -Infinity, until: query.range?.until ?? Infinity }, grid, undefined, false)) p.push({ key, batch });
    }
    plans.set(name, p);
  }
  return p;
}
const cached = new Map<string, any>();
export default {
  async fetch(request: Request, { BUCKET, KEYS_OF }: any) {
    const what = request.headers.get("x-contender")!;
    const name = request.headers.get("x-query")!;
    if (what === "empty") return new Response("ok");
    const plan = await planOf(name, BUCKET, KEYS_OF[name]);
    if (what === "plan") return new Response(JSON.stringify({ gets: plan.length, bytes: plan.reduce((s: number, p: any) => s + p.batch.length, 0), rows: plan.reduce((s: number, p: any) => s + p.batch.rows, 0), groups: plan.reduce((s: number, p: any) => s + p.batch.groups.length, 0) }));
    const read = ({ key, batch }: any) => BUCKET.get(key, { range: { offset: batch.offset, length: batch.length } }).then((o: any) => o.arrayBuffer()).then((b: any) => new Uint8Array(b));
    const getAll = async () => {
      let c = cached.get(name);
      if (!c) cached.set(name, (c = await Promise.all(plan.map(read))));
      return c;
    };
    const decode = (all: Uint8Array[]) => plan.map(({ batch }, i) => {
      const rows = { t: new Float64Array(batch.rows), v: new Float64Array(batch.rows) };
      decodeRows({ readParquet, wasmMemory } as any, all[i]!, batch.offset, batch.groups, batch.skip, rows);
      return rows;
    });
    const texts = (rows: any[]) => rows.flatMap(({ t, v }) => {
      const out = [];
      const { writer } = SERIES_FORMS.json;
      for (let from = 0; from < t.length; from += writer.capacity) out.push(writer.write({ t, block: null, columns: [v] }, from, Math.min(t.length, from + writer.capacity)));
      return out;
    });
    const memo = async (key: string, make: () => any) => { let c = cached.get(key + name); if (!c) cached.set(key + name, (c = await make())); return c; };
    switch (what) {
      case "get": await Promise.all(plan.map(read)); return new Response("ok");
      case "get-serial": for (const p of plan) await read(p); return new Response("ok");
      case "sha": for (const b of await getAll()) await crypto.subtle.digest("SHA-256", b); return new Response("ok");
      case "decode": decode(await getAll()); return new Response("ok");
      case "format": texts(await memo("rows", async () => decode(await getAll()))); return new Response("ok");
      case "send-one": { const t = await memo("one", async () => new Uint8Array(await new Blob(texts(decode(await getAll()))).arrayBuffer())); return new Response(t); }
      case "send-stream": {
        const t = await memo("texts", async () => texts(decode(await getAll())));
        let i = 0;
        return new Response(new ReadableStream({ pull(c) { i < t.length ? c.enqueue(t[i++]) : c.close(); } }, { highWaterMark: 0 }));
      }
      case "send-id": {
        const t = await memo("texts", async () => texts(decode(await getAll())));
        const { readable, writable } = new IdentityTransformStream();
        (async () => { const w = writable.getWriter(); for (const x of t) await w.write(x); await w.close(); })();
        return new Response(readable);
      }
      default: return new Response("?", { status: 400 });
    }
  },
};
