import { createHash } from "node:crypto";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { digestFile } from "../../../builder/input/files/files.ts";
import { csv, Folder, HEADER, row } from "../folder.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

it.each([
  ["grew by lines", "a,1\n", "b,2\n", true],
  ["got its first line end", "a,1", "\nb,2\n", true],
  ["has other line ends", "a,1\r\n", "b,2\r\n", true],
  ["went on in its last line", "a,1", "0\nb,2\n", false],
])("a file that %s", async (_, old, added, isGrown) => {
  const folder = new Folder().write("file.csv", old + added);
  const digest = await digestFile(join(folder.path, "file.csv"), undefined, old.length);
  expect(digest).toEqual({ sha256: sha256(old + added), ...(isGrown ? { prefixSha256: sha256(old) } : {}) });
});

it("a file that is the same, shorter, or longer than what is read at once", async () => {
  const long = `${"x".repeat(99)}\n`.repeat(30_000);
  const folder = new Folder().write("file.csv", long);
  const path = join(folder.path, "file.csv");
  for (const knownBytes of [100, 1 << 20, 1_048_600, 2_000_000, 2_999_900]) {
    const isLineEnd = knownBytes % 100 === 0;
    const prefix = isLineEnd ? { prefixSha256: sha256(long.slice(0, knownBytes)) } : {};
    expect(await digestFile(path, undefined, knownBytes)).toEqual({ sha256: sha256(long), ...prefix });
  }
  // All of it: that is the same file, or not.
  expect((await digestFile(path, undefined, long.length)).sha256).toBe(sha256(long));
  expect(await digestFile(path, undefined, long.length + 1)).toEqual({ sha256: sha256(long) });
});

it.skipIf(process.getuid?.() === 0)("a file that can't be read is refused", async () => {
  const folder = new Folder().write("transfers.csv", csv(HEADER, row()));
  chmodSync(join(folder.path, "transfers.csv"), 0);
  expect(await folder.refusal()).toBe("transfers.csv (transfers) can't be read by this user; change its permissions.");
});

it("a file that does not exist is refused", async () => {
  const folder = new Folder();
  expect(await folder.refusal()).toBe("transfers.csv (transfers) does not exist; paths are relative to ASSET.json.");
  expect(await folder.refusal({ transfers: "*.csv" })).toBe(
    "*.csv (transfers) matches no file; globs are relative to ASSET.json.",
  );
  folder.write("transfers.csv", csv(HEADER, row()));
  expect(await folder.refusal({ prices: "prices.csv" })).toBe(
    "prices.csv (prices) does not exist; paths are relative to ASSET.json.",
  );
  expect(await folder.refusal({ prices: "." })).toBe(
    ". (prices) is not a file; name the files in it, for instance ./*.csv.",
  );
});
