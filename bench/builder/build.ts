/** A whole build: `build.ts ASSET.json THREADS STORE`, where STORE is a state folder, or `none` to discard the objects. */

import { build } from "../../builder/pipeline/build.ts";
import { openLocalState } from "../../builder/store/local.ts";
import type { ListedObject, ObjectStore } from "../../builder/store/store.ts";
import { silentProgress } from "../../builder/terminal/progress.ts";

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

/** The objects put, without their bytes. */
const put = new Map<string, ListedObject>();
const NOWHERE: ObjectStore = {
  name: "nowhere",
  get: async () => undefined,
  async put(key, bytes, { md5 = "" }) {
    put.set(key, { size: bytes.length, md5, uploaded: new Date() });
    return true;
  },
  list: async () => put,
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
