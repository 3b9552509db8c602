/** The local store beside the pinned Miniflare, on the same files at the same time: each reads what the other writes. */

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startWorkerd, type Workerd } from "../../../builder/serve/workerd.ts";
import { type LocalState, openLocalState } from "../../../builder/store/local/local.ts";
import { MiniflareFiles } from "../../../builder/store/local/miniflare-files.ts";
import { PROJECT } from "../../../builder/store/places.ts";
import { workerOptions } from "../../../builder/store/wrangler.ts";
import { newFolder, scratchFolder } from "../../folders.ts";
import { outcome } from "../../soprano-process.ts";

const persist = newFolder();
const text = (bytes?: Uint8Array) => new TextDecoder().decode(bytes);
const bytesOf = (content: string) => new TextEncoder().encode(content);
const digest = (algorithm: string, content: string | Uint8Array) => createHash(algorithm).update(content).digest("hex");

/** A Worker that does nothing: the bindings are used from here. */
const IDLE = { modules: true as const, script: "export default { fetch: () => new Response() }" };
const startMiniflare = async (folder: string) => startWorkerd({ ...(await workerOptions(folder)), ...IDLE });

let state: LocalState;
let workerd: Workerd;

beforeAll(async () => {
  state = await openLocalState(persist);
  workerd = await startMiniflare(persist);
});

afterAll(async () => {
  await workerd.close();
  await state.close();
  rmSync(persist, { recursive: true, force: true });
});

const bucket = () => workerd.miniflare.getR2Bucket("BUCKET");
const keys = () => workerd.miniflare.getKVNamespace("KEYS");
const put = (
  key: string,
  content: string,
  more: { replaces?: string | null; metadata?: Record<string, string> } = {},
) =>
  state.objects.put(key, bytesOf(content), { contentType: "text/plain", sha256: digest("sha256", content), ...more });

/** The blobs of the bucket. */
const blobs = () => globSync(join(persist, "v3", "r2", "*", "blobs", "*"));

it("makes the files that Miniflare makes", async () => {
  const [own, other] = [scratchFolder(), scratchFolder()];
  await (await openLocalState(own)).close();
  const miniflare = await startMiniflare(other);
  await (await miniflare.miniflare.getR2Bucket("BUCKET")).put("a", "1");
  await (await miniflare.miniflare.getKVNamespace("KEYS")).put("a", "1");
  await miniflare.close();
  const tables = (folder: string) =>
    globSync("v3/{r2,kv}/*/*.sqlite", { cwd: folder, exclude: ["**/metadata.sqlite"] })
      .sort()
      .map((path) => {
        const database = new DatabaseSync(join(folder, path));
        const schema = database.prepare("SELECT name, sql FROM sqlite_master ORDER BY name").all();
        database.close();
        return [path, schema.map((row) => ({ ...row }))];
      });
  expect(tables(own)).toHaveLength(2);
  expect(tables(own)).toEqual(tables(other));
  const folders = (folder: string) => globSync("v3/{r2,kv}/*/blobs", { cwd: folder }).sort();
  expect(folders(own)).toEqual(folders(other));
});

it("Miniflare reads what it writes", async () => {
  const metadata = { catalog: 'Ünïcode 通証 "quoted"' };
  await put("ours/é 1", "first");
  await put("ours/é 1", "second", { metadata });
  const found = (await (await bucket()).get("ours/é 1"))!;
  expect(await found.text()).toBe("second");
  expect(found).toMatchObject({ size: 6, etag: digest("md5", "second"), customMetadata: metadata });
  expect(found.httpMetadata?.contentType).toBe("text/plain");
  expect(Buffer.from(found.checksums.sha256!).toString("hex")).toBe(digest("sha256", "second"));
  expect(Buffer.from(found.checksums.md5!).toString("hex")).toBe(digest("md5", "second"));
  expect(Math.abs(found.uploaded.getTime() - Date.now())).toBeLessThan(60_000);
  const part = await (await bucket()).get("ours/é 1", { range: { offset: 1, length: 3 } });
  expect(await part!.text()).toBe("eco");
  expect((await (await bucket()).list({ prefix: "ours/" })).objects.map(({ key }) => key)).toEqual(["ours/é 1"]);
});

it("replaces and removes an object whose file can't be removed", async () => {
  await put("stuck", "first");
  const [blob] = blobs().filter((path) => readFileSync(path, "utf8") === "first");
  // Nobody can remove a folder in place of the file by this call: so it fails for root, too.
  rmSync(blob!);
  mkdirSync(blob!);
  expect(await put("stuck", "second")).toBe(true);
  expect(text((await state.objects.get("stuck"))!.bytes)).toBe("second");
  await state.objects.delete(["stuck"]);
  expect(await state.objects.get("stuck")).toBeUndefined();
  rmdirSync(blob!);
});

it("reads what Miniflare writes, and replaces it on condition", async () => {
  await (await bucket()).put("theirs", "from there", { customMetadata: { a: "1" } });
  const found = (await state.objects.get("theirs"))!;
  expect(text(found.bytes)).toBe("from there");
  expect(text((await state.objects.get("theirs", { offset: 5, length: 100 }))?.bytes)).toBe("there");
  expect((await state.objects.list("their")).get("theirs")).toMatchObject({
    size: 10,
    md5: digest("md5", "from there"),
  });
  await (await bucket()).put("theirs", "another");
  expect(await put("theirs", "from here", { replaces: found.etag })).toBe(false);
  expect(await put("theirs", "from here", { replaces: digest("md5", "another") })).toBe(true);
  expect(await (await (await bucket()).get("theirs"))!.text()).toBe("from here");
  await (await bucket()).delete("theirs");
  expect(await state.objects.get("theirs")).toBeUndefined();
});

it("reads an object that was uploaded in parts, and leaves nothing of it behind", async () => {
  const before = blobs().length;
  const part = new Uint8Array(5 * 1024 * 1024).map((_, i) => i);
  const upload = await (await bucket()).createMultipartUpload("parts");
  const parts = [await upload.uploadPart(1, part), await upload.uploadPart(2, bytesOf("the end"))];
  await upload.complete(parts);
  const whole = Buffer.concat([part, bytesOf("the end")]);
  const found = (await state.objects.get("parts"))!;
  expect(digest("md5", found.bytes)).toBe(digest("md5", whole));
  expect(found.isDamaged).toBeUndefined();
  const range = { offset: part.length - 3, length: 6 };
  expect((await state.objects.get("parts", range))?.bytes).toEqual(whole.subarray(range.offset, range.offset + 6));
  expect(blobs()).toHaveLength(before + 2);
  await put("parts", "whole", { replaces: found.etag });
  expect(await (await (await bucket()).get("parts"))!.text()).toBe("whole");
  await state.objects.delete(["parts"]);
  expect(blobs()).toHaveLength(before);
});

it("has a file for each object, and no other", async () => {
  const before = blobs().length;
  for (const content of ["1", "22", "333"]) await put("one", content);
  await put("one", "refused", { replaces: "0".repeat(32) });
  await expect(
    state.objects.put("one", bytesOf("x"), { contentType: "", sha256: digest("sha256", "y") }),
  ).rejects.toThrow("its bytes are not those of its SHA-256");
  expect(blobs()).toHaveLength(before + 1);
  await state.objects.delete(["one", "never"]);
  expect(blobs()).toHaveLength(before);
});

it("removes with the next removal, or at the end, what the system has refused", async () => {
  const path = newFolder();
  const files = new MiniflareFiles(path, "r2", "soprano");
  const folder = join(path, "v3", "r2", "soprano", "blobs");
  // A file can't be removed while a folder has its place.
  const block = (id: string) => mkdirSync(join(folder, id));
  const unblock = (id: string) => {
    rmdirSync(join(folder, id));
    writeFileSync(join(folder, id), "");
  };
  for (const id of ["a", "b"]) block(id);
  files.removeBlobs(["a", "b"]);
  expect(readdirSync(folder).sort()).toEqual(["a", "b"]);
  unblock("a");
  files.removeBlobs(["none"]);
  expect(readdirSync(folder)).toEqual(["b"]);
  unblock("b");
  files.close();
  expect(readdirSync(folder)).toEqual([]);
  rmSync(path, { recursive: true });
});

it("shares keys with Miniflare", async () => {
  await state.keys.put("key:1", "ours");
  expect(await (await keys()).get("key:1")).toBe("ours");
  await (await keys()).put("key:1", "theirs");
  await (await keys()).put("key:2", "with an end", { expiration: Math.round(Date.now() / 1000) + 3600 });
  await state.keys.put("kex", "before");
  await state.keys.put("kez", "after");
  expect([...(await state.keys.all("key:"))]).toEqual([
    ["key:1", "theirs"],
    ["key:2", "with an end"],
  ]);
  // Miniflare takes no end in the past.
  const path = globSync(join(persist, "v3", "kv", "*", "*.sqlite"), { exclude: ["**/metadata.sqlite"] })[0]!;
  const database = new DatabaseSync(path);
  database.prepare("UPDATE _mf_entries SET expiration = ? WHERE key = 'key:2'").run(Date.now() - 1);
  database.close();
  expect(await state.keys.get("key:2")).toBeUndefined();
  expect([...(await state.keys.all("key:")).keys()]).toEqual(["key:1"]);
});

it("lets processes replace an object one after the other", async () => {
  const [processes, rounds] = [3, 40];
  await put("count", "0");
  const program = `
    import { createHash } from "node:crypto";
    import { openLocalState } from ${JSON.stringify(join(PROJECT, "builder", "store", "local", "local.ts"))};
    const { objects, close } = await openLocalState(${JSON.stringify(persist)});
    for (let done = 0; done < ${rounds}; ) {
      const { bytes, etag } = await objects.get("count");
      const next = new TextEncoder().encode(String(Number(new TextDecoder().decode(bytes)) + 1));
      const sha256 = createHash("sha256").update(next).digest("hex");
      if (await objects.put("count", next, { contentType: "", sha256, replaces: etag })) done++;
    }
    await close();`;
  const run = () => outcome(spawn(process.execPath, ["--input-type=module", "-e", program]));
  const ends = await Promise.all(Array.from({ length: processes }, run));
  expect(ends.map(({ status, stderr }) => ({ status, stderr }))).toEqual(
    Array(processes).fill({ status: 0, stderr: "" }),
  );
  expect(text((await state.objects.get("count"))?.bytes)).toBe(String(processes * rounds));
});
