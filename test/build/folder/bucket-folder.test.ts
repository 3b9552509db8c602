/** What is read of a bucket, request by request. */

import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { BucketFolder } from "../../../builder/build/folder/bucket-folder.ts";
import { fromJson, toJson } from "../../../builder/build/left/json.ts";
import { openLeftTable } from "../../../builder/build/left/open-table.ts";
import { TableEncoder, TableFile } from "../../../builder/lib/fixed-width-table.ts";
import type { ByteRange } from "../../../builder/store/store.ts";
import { scratchFolder } from "../../folders.ts";
import { MemoryStore } from "../../store/memory-store.ts";

const LAYOUT = { row: "rising u32", value: "f64" } as const;
const ROWS = 50_000;

/** Numbers that don't compress. */
function valuesOf(group: number): { row: Uint32Array; value: Float64Array } {
  let state = group + 1;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
  return {
    row: Uint32Array.from({ length: ROWS }, random),
    value: Float64Array.from({ length: ROWS }, () => random() * 2 ** 21 + random()),
  };
}

class CountingStore extends MemoryStore {
  readonly reads: [key: string, ByteRange | undefined][] = [];

  override get(key: string, range?: ByteRange) {
    this.reads.push([key, range]);
    return super.get(key, range);
  }
}

function* table(groups: number): Generator<Uint8Array> {
  const encoder = new TableEncoder(LAYOUT, "ZSTD");
  for (let group = 0; group < groups; group++) yield* encoder.group(ROWS, valuesOf(group));
  yield* encoder.end(toJson({ groups }));
}

/** The folder as one task has it: another task has a copy of its own. */
const folderIn = (store: MemoryStore) => new BucketFolder(store, "stages/TOK/", "/assets/tok.json", scratchFolder());

it("reads the footer, then the row groups that are wanted, neighbours in one range", async () => {
  const store = new CountingStore();
  await folderIn(store).write("halves/0.parquet", table(6));
  const size = store.objects.get("stages/TOK/halves/0.parquet")!.bytes.length;

  const folder = folderIn(store);
  const file = await openLeftTable(folder, "halves/0.parquet", LAYOUT, (file) => [
    fromJson<{ groups: number }>(file.entry!).groups - 2,
    1,
    2,
  ]);
  for (const group of [1, 2, 4]) expect(file.group(group)).toEqual({ count: ROWS, ...valuesOf(group) });
  // The rest of the copy is a hole.
  expect(() => file.group(0)).toThrow();
  const [end, ...groups] = store.reads.map(([, range]) => range!);
  expect(end).toEqual({ offset: size - 65_536, length: 65_536 });
  expect(groups.map(({ length }) => Math.round((6 * length) / size))).toEqual([2, 1]);

  // A group is read once.
  await openLeftTable(folder, "halves/0.parquet", LAYOUT, () => [2, 4]);
  expect(store.reads.length).toBe(3);
});

it("reads a long footer, and a table without rows", async () => {
  const store = new CountingStore();
  const facts = { text: "x".repeat(200_000) };
  const long = new TableEncoder(LAYOUT, "ZSTD");
  await folderIn(store).write("points/0.parquet", [
    ...long.group(0, { row: new Uint32Array(), value: new Float64Array() }),
    ...long.end(toJson(facts)),
  ]);
  const file = await openLeftTable(folderIn(store), "points/0.parquet", LAYOUT);
  expect(fromJson(file.entry!)).toEqual(facts);
  expect(file.group(0).count).toBe(0);
});

it("reads a row group whose last request is for a few bytes", async () => {
  const layout = { byte: "u8" } as const;
  const store = new MemoryStore();
  const encode = (rows: number) => {
    const encoder = new TableEncoder(layout, "UNCOMPRESSED");
    return [...encoder.group(rows, { byte: new Uint8Array(rows).fill(7) }), ...encoder.end()];
  };
  const path = `${scratchFolder()}/table.parquet`;
  const request = 8 * 1024 * 1024;
  writeFileSync(path, Buffer.concat(encode(request)));
  const rows = request - (new TableFile(path, layout).rangeOf(0).length - request) + 3;
  await folderIn(store).write("events/0.parquet", encode(rows));
  const file = await openLeftTable(folderIn(store), "events/0.parquet", layout);
  expect(file.group(0).byte.at(-1)).toBe(7);
  expect(file.group(0).count).toBe(rows);
});

it("takes no part of a file for all of it", async () => {
  const store = new MemoryStore();
  await folderIn(store).write("holders", table(1));
  const folder = folderIn(store);
  store.get = async () => undefined;
  await expect(folder.copy("holders")).rejects.toThrow("memory/stages/TOK/holders is missing or has changed");
});

it("keeps and copies files, and removes them", async () => {
  const store = new MemoryStore();
  const folder = folderIn(store);
  await folder.write("sorted-0.parquet", table(1));
  const other = folderIn(store);
  await other.copy("sorted-0.parquet");
  const path = `${other.scratch}/sorted-0.parquet`;
  expect(readFileSync(path)).toEqual(Buffer.from(store.objects.get("stages/TOK/sorted-0.parquet")!.bytes));
  await store.delete(["stages/TOK/sorted-0.parquet"]);
  await other.keep("sorted-0.parquet");
  expect([...store.objects.keys()]).toEqual(["stages/TOK/sorted-0.parquet"]);
  await other.remove("sorted-0.parquet");
  expect([...store.objects.keys()]).toEqual([]);
  expect(await other.readText("plan.json")).toBeUndefined();
  await expect(folderIn(store).table("halves/1.parquet")).rejects.toThrow(
    "memory/stages/TOK/halves/1.parquet is missing",
  );
});
