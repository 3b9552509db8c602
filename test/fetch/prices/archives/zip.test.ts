import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { readZip } from "../../../../builder/fetch/prices/archives/zip.ts";
import { zipOf } from "../zip-of.ts";

const contents = fc.uint8Array({ maxLength: 3_000 }).map((bytes) => Buffer.from(bytes));
const text = Buffer.from("1735689600000000,1,2,3,4\n".repeat(40));

describe("a ZIP archive of one file", () => {
  test("is read, packed or stored, with a comment or without", () => {
    const property = fc.property(
      contents,
      fc.boolean(),
      fc.stringMatching(/^[ -~]{0,40}$/),
      (content, isStored, comment) => {
        expect(readZip(zipOf("a.csv", content, { isStored, comment }))).toEqual(content);
      },
    );
    fc.assert(property, { numRuns: 200 });
  });

  test("that is damaged is refused, or gives what it should", () => {
    const zip = zipOf("a.csv", text);
    for (let at = 0; at < zip.length; at++) {
      const damaged = Buffer.from(zip);
      damaged[at] = damaged[at]! ^ 0xff;
      let read: Buffer | undefined;
      try {
        read = readZip(damaged);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
        expect((error as Error).message).toMatch(/ZIP archive/);
      }
      if (read) expect(read).toEqual(text);
    }
    for (let length = 0; length < zip.length; length++) {
      expect(() => readZip(zip.subarray(0, length))).toThrow(/ZIP archive/);
    }
  });

  test.runIf(spawnSync("python3", ["-c", "import zipfile"]).status === 0)("of another program is read", () => {
    const folder = mkdtempSync(join(tmpdir(), "soprano-zip-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [file, archive] = [join(folder, "a.csv"), join(folder, "a.zip")];
    writeFileSync(file, text);
    expect(spawnSync("python3", ["-m", "zipfile", "-c", archive, file]).status).toBe(0);
    expect(readZip(readFileSync(archive))).toEqual(text);
  });
});
