/** What every store does alike: R2 through its S3 API, and the R2 of wrangler on this machine. */

import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLocalState } from "../../builder/store/local/local.ts";
import { openR2 } from "../../builder/store/r2/r2.ts";
import type { ObjectStore } from "../../builder/store/store.ts";
import { newFolder } from "../folders.ts";
import { BUCKET, type S3, startFilesS3, startS3 } from "./s3.ts";

const text = (bytes?: Uint8Array) => new TextDecoder().decode(bytes);
const digest = (algorithm: string, content: string) => createHash(algorithm).update(content).digest("hex");

const put = (store: ObjectStore, key: string, content: string, options: { replaces?: string | null } = {}) =>
  store.put(key, new TextEncoder().encode(content), {
    contentType: "text/plain",
    sha256: digest("sha256", content),
    ...options,
  });

async function openBucket(start: () => Promise<S3>): Promise<ObjectStore> {
  const s3 = await start();
  const store = openR2(BUCKET, s3.environment, { retryPolicy: { attempts: 2, firstMs: 1, longestMs: 1 } });
  return { ...store, close: () => store.close().then(s3.close) };
}

const STORES: [name: string, open: () => Promise<ObjectStore>][] = [
  ["R2", () => openBucket(startS3)],
  ["the tests' R2 over files", () => openBucket(startFilesS3)],
  [
    "the local store",
    async () => {
      const folder = newFolder();
      const state = await openLocalState(folder);
      const close = () => state.close().then(() => rmSync(folder, { recursive: true, force: true }));
      return { ...state.objects, close };
    },
  ],
];

describe.each(STORES)("%s", (_, open) => {
  let store: ObjectStore;

  beforeAll(async () => {
    store = await open();
  });

  afterAll(() => store.close());

  it("gives back what was put, and undefined where nothing is", async () => {
    expect(await put(store, "a/one", "first")).toBe(true);
    expect(await put(store, "a/one", "second")).toBe(true);
    const object = await store.get("a/one");
    expect(text(object?.bytes)).toBe("second");
    expect(object?.etag).toBe(digest("md5", "second"));
    expect(await store.get("a/two")).toBeUndefined();
  });

  it("keeps an object of no bytes", async () => {
    await put(store, "empty", "");
    expect((await store.get("empty"))?.bytes).toEqual(new Uint8Array());
  });

  it("lists size, MD5 and time of what is under a prefix", async () => {
    const began = Date.now();
    await put(store, "b/x y+z&é.json", "12345");
    await put(store, "b/c/d", "1");
    await put(store, "bc", "1");
    const listed = await store.list("b/");
    expect([...listed.keys()].sort()).toEqual(["b/c/d", "b/x y+z&é.json"]);
    const object = listed.get("b/x y+z&é.json")!;
    expect(object).toMatchObject({ size: 5, md5: digest("md5", "12345") });
    expect(object.uploaded.getTime()).toBeGreaterThanOrEqual(began - 1000);
    expect(object.uploaded.getTime()).toBeLessThanOrEqual(Date.now() + 1000);
    expect((await store.list("nothing/")).size).toBe(0);
  });

  it("writes on condition that there is nothing", async () => {
    expect(await put(store, "c", "1", { replaces: null })).toBe(true);
    expect(await put(store, "c", "2", { replaces: null })).toBe(false);
    expect(text((await store.get("c"))?.bytes)).toBe("1");
  });

  it("writes on condition that it is still the same", async () => {
    expect(await put(store, "d", "1", { replaces: digest("md5", "1") })).toBe(false);
    expect(await store.get("d")).toBeUndefined();
    await put(store, "d", "1");
    const { etag } = (await store.get("d"))!;
    expect(await put(store, "d", "2", { replaces: etag })).toBe(true);
    expect(await put(store, "d", "3", { replaces: etag })).toBe(false);
    expect(text((await store.get("d"))?.bytes)).toBe("2");
  });

  it("lets one of many at once replace an object", async () => {
    await put(store, "race", "start");
    const { etag } = (await store.get("race"))!;
    const written = await Promise.all(
      Array.from({ length: 8 }, (_, i) => put(store, "race", `writer ${i}`, { replaces: etag })),
    );
    expect(written.filter(Boolean)).toHaveLength(1);
    expect(text((await store.get("race"))?.bytes)).toBe(`writer ${written.indexOf(true)}`);
  });

  it("refuses bytes that are not those of the SHA-256", async () => {
    const options = { contentType: "text/plain", sha256: digest("sha256", "other") };
    await expect(store.put("wrong", new Uint8Array([1]), options)).rejects.toMatchObject({
      name: expect.stringMatching(/^(Store)?Failure$/),
    });
    expect(await store.get("wrong")).toBeUndefined();
  });

  it("removes objects, and passes over those that are not there", async () => {
    await put(store, "e/1", "1");
    await put(store, "e/2", "2");
    await store.delete(["e/1", "e/nothing"]);
    expect([...(await store.list("e/")).keys()]).toEqual(["e/2"]);
    await store.delete([]);
  });
});

describe.each([
  ["R2", startS3],
  ["the tests' R2 over files", startFilesS3],
])("%s", (_, start) => {
  let s3: S3;
  let store: ObjectStore;

  beforeAll(async () => {
    s3 = await start();
    store = openR2(BUCKET, s3.environment);
  });

  afterAll(async () => {
    await store.close();
    await s3.close();
  });

  it("lists and removes more objects than one answer holds", async () => {
    const paged = openR2(BUCKET, s3.environment, { pageSize: 10 });
    const keys = Array.from({ length: 25 }, (_, i) => `many/${i}`);
    await Promise.all(keys.map((key) => put(paged, key, key)));
    const before = s3.requests.length;
    const listed = await paged.list("many/");
    expect([...listed.keys()].sort()).toEqual(keys.toSorted());
    await paged.delete([...listed.keys()]);
    expect(s3.requests.slice(before).map(({ method }) => method)).toEqual([
      "GET",
      "GET",
      "GET",
      "POST",
      "POST",
      "POST",
    ]);
    expect((await paged.list("many/")).size).toBe(0);
    await paged.close();
  });

  it("keeps metadata that a Worker reads as it was", async () => {
    const catalog = JSON.stringify({ name: 'Ünïcode 通証 🜁 "quoted"  two =?utf-8?q?x?= \u007f' });
    const metadata = { catalog };
    const sha256 = digest("sha256", "{}");
    await store.put("current/U.json", new TextEncoder().encode("{}"), {
      contentType: "application/json",
      sha256,
      metadata,
    });
    const bucket = await s3.miniflare.getR2Bucket("BUCKET");
    const { customMetadata, httpMetadata } = (await bucket.head("current/U.json"))!;
    expect(JSON.parse(customMetadata!.catalog!)).toEqual(JSON.parse(catalog));
    expect(customMetadata!.sha256).toBe(sha256);
    expect(httpMetadata!.contentType).toBe("application/json");
  });
});

describe("R2 is refused in a sentence", () => {
  const NOBODY = "http://127.0.0.1:1";
  const ACCOUNT = "0123456789abcdef0123456789abcdef";
  let s3: S3;

  beforeAll(async () => {
    s3 = await startS3();
  });

  afterAll(() => s3.close());

  it.each<[string, (environment: S3["environment"]) => S3["environment"], string, RegExp]>([
    ["no key", () => ({}), BUCKET, /^r2:\/\/soprano needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/],
    [
      "no account",
      ({ AWS_ENDPOINT_URL_S3: _, ...rest }) => rest,
      BUCKET,
      /^r2:\/\/soprano needs CLOUDFLARE_ACCOUNT_ID .*wrangler whoami/,
    ],
    [
      "an account that is none",
      ({ AWS_ENDPOINT_URL_S3: _, ...rest }) => ({ ...rest, CLOUDFLARE_ACCOUNT_ID: ACCOUNT.slice(1) }),
      BUCKET,
      /^CLOUDFLARE_ACCOUNT_ID is not the id of an account/,
    ],
    [
      "an endpoint that is none",
      (all) => ({ ...all, AWS_ENDPOINT_URL_S3: "nowhere" }),
      BUCKET,
      /^AWS_ENDPOINT_URL_S3 is not a URL/,
    ],
    [
      "an endpoint out of reach",
      ({ AWS_ENDPOINT_URL_S3: _, ...rest }) => ({ ...rest, AWS_ENDPOINT_URL: NOBODY }),
      BUCKET,
      /^r2:\/\/soprano can't be reached at 127\.0\.0\.1:1 \(ECONNREFUSED\): .*AWS_ENDPOINT_URL is right/,
    ],
    [
      "another key",
      (all) => ({ ...all, AWS_ACCESS_KEY_ID: "a-key-of-others" }),
      BUCKET,
      /^r2:\/\/soprano does not know this AWS_ACCESS_KEY_ID/,
    ],
    [
      "another secret",
      (all) => ({ ...all, AWS_SECRET_ACCESS_KEY: "a-secret-of-others" }),
      BUCKET,
      /^r2:\/\/soprano refused the signature: AWS_SECRET_ACCESS_KEY/,
    ],
    ["no such bucket", (all) => all, "missing", /^There is no bucket missing .*wrangler r2 bucket create missing/],
  ])("%s", async (_, change, bucket, sentence) => {
    const use = async () => {
      const store = openR2(bucket, change(s3.environment), {
        retryPolicy: { attempts: 4, firstMs: 1, longestMs: 1 },
      });
      await store.get("a").finally(() => store.close());
    };
    const failure: Error = await use().then(
      () => Promise.reject(new Error("it was not refused")),
      (error) => error,
    );
    expect(failure).toMatchObject({
      name: expect.stringMatching(/^(Store)?Failure$/),
      message: expect.stringMatching(sentence),
    });
    expect(failure.message).not.toMatch(/a-key-of-others|a-secret|an-access-key|\n/);
  });
});
