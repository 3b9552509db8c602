import { createHash } from "node:crypto";
import { afterEach, expect, it } from "vitest";
import { GatheredParts } from "../../../builder/published/publish/gathered-parts.ts";
import { newFolder } from "../../folders.ts";

const MB = 1024 * 1024;
const gathered = new GatheredParts(newFolder());

afterEach(() => gathered.clear());

const hex = (algorithm: string, bytes: Uint8Array) => createHash(algorithm).update(bytes).digest("hex");

/** Bytes that tell one part from another. */
const bytesOf = (size: number, first: number) => new Uint8Array(size).map((_, i) => (first + i * 7 + (i >> 9)) & 255);

it.each([
  { what: "few parts, in memory", sizes: [1, 3 * MB, 70_000], isBlob: false },
  { what: "few of many parts, which are in a file", sizes: [5 * MB, 4 * MB, 20], of: [1, 2], isBlob: false },
  { what: "many parts, in a file of their own", sizes: [5 * MB, 4 * MB, 1 * MB, 20], of: [3, 1, 0], isBlob: true },
])("joins $what", async ({ sizes, of = sizes.map((_, i) => i), isBlob }) => {
  const parts = sizes.map((size, i) => ({ key: `series/${i}`, bytes: bytesOf(size, i * 31) }));
  await Promise.all(parts.map(({ key, bytes }) => gathered.add(key, bytes)));
  const chosen = of.map((i) => parts[i]!);
  const { content, digests } = await gathered.joined(chosen.map(({ key, bytes }) => ({ key, size: bytes.length })));
  expect(content instanceof Blob).toBe(isBlob);
  const bytes = content instanceof Blob ? new Uint8Array(await content.arrayBuffer()) : content;
  expect(Buffer.compare(bytes, Buffer.concat(chosen.map((part) => part.bytes)))).toBe(0);
  expect(digests).toEqual({ sha256: hex("sha256", bytes), md5: hex("md5", bytes), size: bytes.length });
});
