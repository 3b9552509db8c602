/** A whole build: `build.ts ASSET.json THREADS STORE`, where STORE is a state folder, or `none` to discard the objects. */

import { build } from "../../builder/build/run/build.ts";
import { silentProgress } from "../../builder/lib/terminal/progress.ts";
import { openLocalState } from "../../builder/store/local/local.ts";
import { type ObjectStore, type StoredKey, type StoredObject, sizeOf } from "../../builder/store/store.ts";

export type BuildFigures = Record<
  /** Seconds of each step. `replay` and `series` are the engine, with the writing of series. */
  | "read"
  | "replay"
  | "series"
  | "publish"
  | "whole"
  /** The size of the build. */
  | "transfers"
  | "objects"
  | "bytes",
  number
>;

/** The objects put; of packs, series and checkpoints without their bytes. */
const put = new Map<string, StoredKey & Pick<StoredObject, "metadata"> & { bytes: Uint8Array | null }>();
const NOWHERE: ObjectStore = {
  name: "nowhere",
  async get(key, range) {
    const object = put.get(key);
    if (!object) return undefined;
    const { offset, length } = range ?? { offset: 0, length: object.size };
    const end = Math.min(object.size, offset + length);
    const bytes = object.bytes?.subarray(offset, end) ?? new Uint8Array(end - offset);
    return { bytes, etag: "", metadata: object.metadata };
  },
  async put(key, content, { sha256, metadata, md5 = "" }) {
    const kept = content instanceof Uint8Array && key.endsWith(".json") ? content : null;
    put.set(key, { size: sizeOf(content), md5, uploaded: new Date(), bytes: kept, metadata: { ...metadata, sha256 } });
    return true;
  },
  list: async (prefix) => new Map([...put].filter(([key]) => key.startsWith(prefix))),
  delete: async () => {},
  close: async () => {},
};

const [asset, threads, folder] = process.argv.slice(2) as [string, string, string];
const state = folder === "none" ? undefined : await openLocalState(folder);
const began = performance.now();
const { seconds, details, published } = await build(asset, state?.objects ?? NOWHERE, {
  threads: Number(threads),
  progress: silentProgress(),
});
const figures: BuildFigures = {
  read: seconds.read!,
  replay: seconds.replay!,
  series: seconds.series!,
  publish: seconds.publish!,
  whole: (performance.now() - began) / 1000,
  transfers: details!.input.rowsRead,
  objects: published.objects,
  bytes: published.bytes,
};
await state?.close();
console.log(JSON.stringify(figures));
