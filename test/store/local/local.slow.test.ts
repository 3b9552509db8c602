/** What a user reads when the local store fails. Each failure is a real one. */

import { createHash } from "node:crypto";
import { globSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { type LocalState, openLocalState } from "../../../builder/store/local/local.ts";
import { scratchFolder } from "../../folders.ts";

const put = ({ objects }: LocalState, key: string, bytes: Uint8Array) =>
  objects.put(key, bytes, { contentType: "", sha256: createHash("sha256").update(bytes).digest("hex") });

const databaseOf = (persist: string) =>
  globSync(join(persist, "v3", "r2", "*", "*.sqlite"), { exclude: ["**/metadata.sqlite"] })[0]!;

async function open(persist = scratchFolder()): Promise<LocalState & { persist: string }> {
  const state = await openLocalState(persist);
  onTestFinished(() => state.close());
  return { ...state, persist };
}

it("two at once in one folder disturb each other in nothing", async () => {
  const one = await open();
  const two = await open(one.persist);
  const keys = Array.from({ length: 200 }, (_, n) => `${n}`);
  const states = [one, two];
  await Promise.all(states.flatMap((state, i) => keys.map((key) => put(state, `${i}/${key}`, new Uint8Array(20_000)))));
  for (const state of states) expect((await state.objects.list("")).size).toBe(400);
});

it("a database that is none", async () => {
  const { persist, close } = await open();
  await put(await open(persist), "a", new Uint8Array(10));
  await close();
  const path = databaseOf(persist);
  for (const file of [`${path}-wal`, `${path}-shm`]) rmSync(file, { force: true });
  writeFileSync(
    path,
    "this is no database, but it is as long as the header of one would be, or somewhat longer than that",
  );
  await expect(openLocalState(persist)).rejects.toMatchObject({
    name: "StoreFailure",
    message: `The state folder ${persist} can't be used; its database is damaged: restore the folder, or choose another one with --persist.`,
  });
});

it("a database that another program keeps locked", { timeout: 60_000 }, async () => {
  const state = await open();
  const other = new DatabaseSync(databaseOf(state.persist));
  onTestFinished(() => other.close());
  other.exec("BEGIN IMMEDIATE");
  // Readers are not concerned.
  expect(await state.objects.get("a")).toBeUndefined();
  await expect(put(state, "a", new Uint8Array(1))).rejects.toMatchObject({
    name: "StoreFailure",
    message: `a can't be stored in ${state.persist}; another program has locked its database for too long: let it finish, then try again.`,
  });
  expect(globSync(join(state.persist, "v3", "r2", "*", "blobs", "*"))).toEqual([]);
  other.exec("ROLLBACK");
  expect(await put(state, "a", new Uint8Array(1))).toBe(true);
});
