/** Builds and other processes at the same time: of the same asset, in containers, and ended by signals. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DigestCache } from "../../builder/input/files/digest-cache.ts";
import { PROCESS_SPACE } from "../../builder/lib/files/process-space.ts";
import { temporaryFolder } from "../../builder/lib/files/temporary-folder.ts";
import { runningCollection, withLease } from "../../builder/published/publish/collections.ts";
import { sha256Hex } from "../../builder/store/stored-content.ts";
import { collectionPrefix } from "../../data-schema/stored/objects.ts";
import { newFolder, scratchFolder } from "../folders.ts";
import { MemoryStore } from "../store/memory-store.ts";
import { soprano } from "./soprano.ts";

const CLI = new URL("../../builder/cli.ts", import.meta.url).pathname;
const folder = newFolder();
const asset = join(folder, "asset.json");

beforeAll(async () => {
  const args = ["--out", folder, "--seed", "7", "--transfers", "60000", "--days", "400", "--symbol", "TWICE"];
  expect(await soprano("simulate", ...args)).toMatchObject({ status: 0 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = (...args: string[]) => spawn(process.execPath, [CLI, ...args], { stdio: ["ignore", "pipe", "pipe"] });

async function ended(child: ChildProcess) {
  const [stderr, [status, signal]] = await Promise.all([text(child.stderr!), once(child, "close")]);
  return { status, signal, stderr };
}

/** Until a file or folder is there. */
async function seen(path: string, is: (names: string[]) => boolean): Promise<void> {
  await expect.poll(() => existsSync(path) && is(readdirSync(path)), { timeout: 30_000, interval: 10 }).toBe(true);
}

it("one asset built twice at once: the second says who builds it, and since when, or waits", async () => {
  const persist = scratchFolder();
  const build = (...args: string[]) => start("build", asset, "--persist", persist, ...args);
  const first = build();
  await seen(join(persist, "locks"), (names) => names.includes("TWICE.lock"));
  const [second, third, one] = await Promise.all([ended(build()), ended(build("--wait")), ended(first)]);
  expect(one).toMatchObject({ status: 0 });
  expect(second.status).toBe(1);
  expect(second.stderr).toMatch(
    new RegExp(
      `TWICE is being built in this store by process ${first.pid} on ${hostname()}, since \\d{4}-.*Z\\. Wait for it, or build with --wait\\.`,
    ),
  );
  expect(third.stderr).toContain("Waiting for it.");
  expect(third).toMatchObject({ status: 0, stderr: expect.stringContaining("already active") });
  expect(readdirSync(join(persist, "locks"))).toEqual([]);
}, 120_000);

it.each(["SIGINT", "SIGTERM"] as const)(
  "%s leaves nothing in the work folder",
  async (signal) => {
    const [persist, work] = [scratchFolder(), scratchFolder()];
    const child = start("build", asset, "--persist", persist, "--work", work);
    const end = ended(child);
    await seen(work, (names) => names.some((name) => name.startsWith("soprano-build-")));
    await new Promise((resolve) => setTimeout(resolve, 600));
    child.kill(signal);
    const { status } = await end;
    expect(status).not.toBe(0);
    expect(readdirSync(work).filter((name) => name.startsWith("soprano-build-"))).toEqual([]);
  },
  60_000,
);

it("leaves the folders of another container alone, whatever its processes' numbers, and removes those of dead ones", () => {
  const parent = scratchFolder();
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  const host = hostname().replace(/[^A-Za-z0-9.]/g, "_");
  const [dead, foreign] = [
    `soprano-build-${pid}-${host}.${PROCESS_SPACE}-abc`,
    `soprano-build-${pid}-${host}.0123456789-abc`,
  ];
  for (const name of [dead, foreign]) mkdirSync(join(parent, name));
  const own = temporaryFolder(parent, "soprano-build");
  expect(readdirSync(parent).sort()).toEqual([foreign, own.path.slice(parent.length + 1)].sort());
  own.remove();
});

it("a lease of a collection that was killed on this machine counts for nothing", async () => {
  const store = new MemoryStore();
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  // What it keeps has the store's time.
  store.now = Date.now();
  const put = (space: string) => {
    const bytes = new TextEncoder().encode(JSON.stringify({ pid, space }));
    const options = { contentType: "application/json", sha256: sha256Hex(bytes) };
    return store.put(`${collectionPrefix("TWICE")}${space}.json`, bytes, options);
  };
  await put(PROCESS_SPACE);
  expect(await runningCollection(store, "TWICE")).toBeUndefined();
  // Nobody here can tell whether a process of another machine is running.
  await put("0123456789");
  expect(await runningCollection(store, "TWICE")).toBeInstanceOf(Date);
  const other = new MemoryStore();
  other.now = Date.now();
  await withLease(other, "TWICE", async () => {
    expect(await runningCollection(other, "TWICE")).toBeInstanceOf(Date);
  });
  expect(await runningCollection(other, "TWICE")).toBeUndefined();
});

it("a file that is replaced while it is digested is named", async () => {
  const path = join(scratchFolder(), "big.csv");
  writeFileSync(path, Buffer.alloc(40 << 20));
  const cache = await DigestCache.open(undefined);
  let pieces = 0;
  const digesting = cache.digest(
    { name: "big.csv", path, bytes: 40 << 20 },
    () => {
      if (pieces++ !== 3) return;
      writeFileSync(`${path}.new`, Buffer.alloc(40 << 20, 1));
      renameSync(`${path}.new`, path);
    },
    undefined,
  );
  await expect(digesting).rejects.toThrow("big.csv has changed while it was being read: build again");
});

it("a build reads what it has digested, or fails and names the file", async () => {
  const own = newFolder();
  const args = ["--out", own, "--seed", "7", "--transfers", "60000", "--days", "400", "--symbol", "OTHER"];
  expect(await soprano("simulate", ...args)).toMatchObject({ status: 0 });
  const persist = scratchFolder();
  const child = start("build", join(own, "asset.json"), "--persist", persist);
  const end = ended(child);
  // Digested files are listed once all are; then reading begins.
  await seen(join(persist, "work", "digests"), (names) => names.includes("OTHER.json"));
  const [name] = readdirSync(own).filter((file) => file.startsWith("transfers"));
  writeFileSync(join(own, "new"), "block_number,log_index,block_timestamp,from_address,to_address,value\n");
  renameSync(join(own, "new"), join(own, name!));
  expect(await end).toEqual({
    status: 1,
    signal: null,
    stderr: expect.stringMatching(/transfers\S* has changed since the build was planned/),
  });
  rmSync(own, { recursive: true });
}, 60_000);
