import { readFileSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DigestCache } from "../../../builder/input/files/digest-cache.ts";
import { scratchFolder } from "../../folders.ts";

/** No file has this digest: whoever gets it has not read the file. */
const KEPT = "0".repeat(64);

/** A file whose digest was kept, and how the next build digests it. */
async function secondNight() {
  const folder = scratchFolder();
  const [path, kept] = [join(folder, "a.csv"), join(folder, "work", "digests", "A.json")];
  writeFileSync(path, "first\n");
  const digest = async (isTrusted?: boolean, knownBytes?: number) => {
    // A minute later, when the times of the file have settled.
    const cache = await DigestCache.open(kept, isTrusted, () => Date.now() + 60_000);
    const file = { name: "a.csv", path, bytes: statSync(path).size };
    const { sha256 } = await cache.digest(file, () => {}, knownBytes);
    await cache.save();
    return sha256;
  };
  const first = await digest();
  writeFileSync(kept, readFileSync(kept, "utf8").replace(first, KEPT));
  return { folder, path, kept, first, digest };
}

it("a file that has not changed is not read again", async () => {
  const { digest } = await secondNight();
  expect(await digest()).toBe(KEPT);
  expect(await digest()).toBe(KEPT);
});

it.each<[string, (path: string, folder: string) => void]>([
  ["has other bytes", (path) => writeFileSync(path, "other\n")],
  [
    "has other bytes, and its old time",
    (path) => {
      const { atime, mtime } = statSync(path);
      writeFileSync(path, "other\n");
      utimesSync(path, atime, mtime);
    },
  ],
  ["has grown", (path) => writeFileSync(path, "first\nmore\n")],
  [
    "is another file of the same name",
    (path, folder) => {
      writeFileSync(join(folder, "b.csv"), "other\n");
      renameSync(join(folder, "b.csv"), path);
    },
  ],
])("a file is read again when it %s", async (_, change) => {
  const { folder, path, digest, first } = await secondNight();
  change(path, folder);
  const sha256 = await digest();
  expect([KEPT, first]).not.toContain(sha256);
  expect(await digest(false)).toBe(sha256);
});

it("a file is read again on request, and when its digest at the size of the last build is wanted", async () => {
  const { digest, first } = await secondNight();
  expect(await digest(true, 3)).toBe(first);
  const { digest: other } = await secondNight();
  expect(await other(false)).toBe(first);
});

it("digests that can't be read are made again", async () => {
  const { kept, digest, first } = await secondNight();
  writeFileSync(kept, '{"a.csv"');
  expect(await digest()).toBe(first);
});

it("a file that may change again within the same tick of the clock is read by the next build, too", async () => {
  const folder = scratchFolder();
  const [path, kept] = [join(folder, "a.csv"), join(folder, "A.json")];
  writeFileSync(path, "first\n");
  const cache = await DigestCache.open(kept);
  await cache.digest({ name: "a.csv", path, bytes: 6 }, () => {}, undefined);
  await cache.save();
  expect(JSON.parse(readFileSync(kept, "utf8"))).toEqual({});
});
