/** The local store after a pause in which its thread was busy: workerd has closed the idle connections meanwhile. */

import { createHash } from "node:crypto";
import { stat } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { openLocalState } from "../../builder/store/local.ts";
import { scratchFolder } from "../folders.ts";

/** workerd closes connections after 15 s. */
const BUSY_MS = 16_000;

/** Keeps this thread busy, and then does something before the thread looks at its connections. */
const afterBusyTime = <T>(work: () => Promise<T>) =>
  new Promise<T>((resolve, reject) => {
    stat(".", () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS);
      work().then(resolve, reject);
    });
  });

it("puts and gets objects", async () => {
  const { objects } = await openLocalState(scratchFolder());
  onTestFinished(() => objects.close());
  // More than a connection takes at once, so that writing it fails.
  const bytes = new Uint8Array(3_000_000).fill(7);
  const [sha256, md5] = ["sha256", "md5"].map((name) => createHash(name).update(bytes).digest("hex"));
  const put = (key: string, content: Uint8Array | Blob) =>
    objects.put(key, content, { contentType: "", sha256: sha256!, md5: md5!, replaces: null });
  // As many connections as there are calls afterwards.
  await Promise.all(["first", "second", "third"].map((key) => put(key, bytes)));
  const calls = () => Promise.all([put("bytes", bytes), put("blob", new Blob([bytes])), objects.get("first")]);
  const [isPut, isBlobPut, found] = await afterBusyTime(calls);
  expect([isPut, isBlobPut]).toEqual([true, true]);
  expect(found?.bytes).toEqual(bytes);
  expect((await objects.get("blob"))?.bytes).toEqual(bytes);
});
