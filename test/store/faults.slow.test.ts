/** What a network does to R2's store: in the end everything is as if nothing had happened, or one sentence says why not. */

import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from "vitest";
import { openR2, type R2Options } from "../../builder/store/r2/r2.ts";
import type { ObjectStore } from "../../builder/store/store.ts";
import { BUCKET, FAULTS, type Fault, LATE_MS, type S3, startS3 } from "./s3.ts";

const ALL = Object.keys(FAULTS) as Fault[];
/** Faults that one operation goes through at most, here. */
const MOST_FAULTS = 4;
const OPTIONS: R2Options = {
  retryPolicy: { attempts: MOST_FAULTS + 1, firstMs: 1, longestMs: 4 },
  timeouts: { idle: 400, total: 800 },
};

let s3: S3;
let store: ObjectStore;

beforeAll(async () => {
  s3 = await startS3();
  store = openR2(BUCKET, s3.environment, OPTIONS);
});

afterEach(() => {
  s3.fault = () => undefined;
});

afterAll(async () => {
  await store.close();
  await s3.close();
});

/** The next requests go wrong in these ways, those after them well. */
function failWith(faults: readonly Fault[]): void {
  const first = s3.requests.length;
  s3.fault = ({ number }) => faults[number - first];
}

const bytesOf = (text: string) => new TextEncoder().encode(text);
const put = (key: string, text: string, replaces?: string | null) =>
  store.put(key, bytesOf(text), {
    contentType: "text/plain",
    sha256: createHash("sha256").update(text).digest("hex"),
    ...(replaces === undefined ? {} : { replaces }),
  });
const textOf = async (key: string) => new TextDecoder().decode((await store.get(key))?.bytes);

/** One operation, and what it has to give whatever goes wrong on the way. */
const OPERATIONS: [name: string, work: (key: string) => Promise<unknown>, result: unknown][] = [
  ["put", (key) => put(key, "new").then(async () => textOf(key)), "new"],
  [
    "put where nothing is",
    async (key) => [await put(`${key}/new`, "new", null), await textOf(`${key}/new`)],
    [true, "new"],
  ],
  ["put where something is", async (key) => [await put(key, "new", null), await textOf(key)], [false, "old"]],
  [
    "replace",
    async (key) => [await put(key, "new", createHash("md5").update("old").digest("hex")), await textOf(key)],
    [true, "new"],
  ],
  [
    "replace what is another by now",
    async (key) => [await put(key, "new", createHash("md5").update("older").digest("hex")), await textOf(key)],
    [false, "old"],
  ],
  ["get", textOf, "old"],
  ["get nothing", (key) => store.get(`${key}/nothing`), undefined],
  ["list", async (key) => [...(await store.list(key))].map(([found, { size }]) => [found === key, size]), [[true, 3]]],
  ["delete", async (key) => [await store.delete([key]), await store.get(key)], [undefined, undefined]],
];

let cases = 0;

async function afterFaults(work: (key: string) => Promise<unknown>, faults: readonly Fault[]): Promise<unknown> {
  const key = `case-${cases++}`;
  await put(key, "old");
  failWith(faults);
  const result = await work(key);
  s3.fault = () => undefined;
  return result;
}

it.each(ALL)("gets over: %s", async (fault) => {
  for (const [name, work, result] of OPERATIONS) {
    expect(await afterFaults(work, [fault]), name).toEqual(result);
  }
});

it("gets over any faults, one after the other", async () => {
  // There are as many attempts as faults, and one: on a busy machine, no answer that does come may count as one that does not.
  const patient = openR2(BUCKET, s3.environment, { ...OPTIONS, timeouts: { idle: 20_000, total: 40_000 } });
  const impatient = store;
  store = patient;
  onTestFinished(async () => {
    store = impatient;
    await patient.close();
  });
  const quick = ALL.filter((fault) => fault !== "silence" && fault !== "trickle" && fault !== "late");
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...OPERATIONS),
      fc.array(fc.constantFrom(...quick), { minLength: 2, maxLength: MOST_FAULTS }),
      async ([, work, result], faults) => {
        expect(await afterFaults(work, faults)).toEqual(result);
      },
    ),
    { numRuns: 60 },
  );
});

it("says so when it does not get over them", async () => {
  s3.fault = () => "503";
  const sentence = /^a\/b can't be stored in r2:\/\/soprano \(503 SlowDown\): run it again later; [^\n]*\.$/;
  await expect(put("a/b", "text")).rejects.toMatchObject({
    name: expect.stringMatching(/^(Store)?Failure$/),
    message: expect.stringMatching(sentence),
  });
  s3.fault = () => "reset";
  await expect(store.get("a/b")).rejects.toMatchObject({
    message: expect.stringMatching(/can't be reached .*ECONNRESET/),
  });
  s3.fault = () => "answer shortened";
  await put("a/c", "text").catch(() => {});
  s3.fault = () => undefined;
  await put("a/c", "text");
  s3.fault = () => "answer shortened";
  await expect(store.get("a/c")).rejects.toMatchObject({ message: expect.stringMatching(/^a\/c can't be read .*MD5/) });
});

it("does not take another's object for its own when an answer was lost", async () => {
  await put("swap", "old");
  const { etag } = (await store.get("swap"))!;
  // Another one is quicker; then a request of ours is lost, and made again.
  await put("swap", "another's");
  failWith(["answer lost", "reset"]);
  expect(await put("swap", "ours", etag)).toBe(false);
  expect(await textOf("swap")).toBe("another's");
});

it("takes a conditional write for done that comes to be so after its last time-out", async () => {
  await put("late", "old");
  const { etag } = (await store.get("late"))!;
  const patience = { retryPolicy: { ...OPTIONS.retryPolicy!, attempts: 1 }, timeouts: { idle: 400, total: 800 } };
  for (const [lateMs, isAwaited] of [
    [20 * LATE_MS, true],
    [0, false],
  ] as const) {
    const waiting = openR2(BUCKET, s3.environment, { ...patience, lateMs });
    const text = `new ${lateMs}`;
    const replaces = isAwaited ? etag : (await store.get("late"))!.etag;
    const sha256 = createHash("sha256").update(text).digest("hex");
    failWith(["late"]);
    const written = waiting.put("late", bytesOf(text), { contentType: "text/plain", sha256, replaces });
    if (isAwaited) expect(await written).toBe(true);
    else await expect(written).rejects.toMatchObject({ message: expect.stringMatching(/ETIMEDOUT/) });
    expect((await textOf("late")) === text).toBe(isAwaited);
    await s3.idle();
    await waiting.close();
  }
});

it("does not make again what was refused for good", async () => {
  const first = s3.requests.length;
  const other = openR2(BUCKET, { ...s3.environment, AWS_SECRET_ACCESS_KEY: "another" }, OPTIONS);
  await expect(other.get("a")).rejects.toMatchObject({ name: expect.stringMatching(/^(Store)?Failure$/) });
  await other.close();
  expect(s3.requests.length - first).toBe(1);
});
