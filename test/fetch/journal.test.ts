import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { Failure } from "../../builder/failure.ts";
import { openJournal } from "../../builder/fetch/journal.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "soprano-journal-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return join(path, "pages");
}

const payload = (from: number) => new Uint8Array(1000).map((_, index) => (from * 7 + index) % 251);

describe("a journal", () => {
  it("keeps pages in order, whatever the order in which they come", async () => {
    const path = folder();
    const journal = await openJournal(path, "asset");
    const ranges = [300, 0, 200, 100].map((from) => ({ from, to: from + 99 }));
    await Promise.all(ranges.map((range) => journal.put(range, payload(range.from))));
    const sorted = ranges.toSorted((a, b) => a.from - b.from);
    expect(journal.pages).toEqual(sorted);
    const again = await openJournal(path, "asset");
    expect(again.pages).toEqual(sorted);
    for (const range of sorted) expect(new Uint8Array(await again.get(range))).toEqual(payload(range.from));
    await again.remove([sorted[1]!]);
    expect(again.pages).toEqual(sorted.toSpliced(1, 1));
    expect((await openJournal(path, "asset")).pages).toEqual(sorted.toSpliced(1, 1));
  });

  it("takes a page without bytes", async () => {
    const path = folder();
    await (await openJournal(path, "asset")).put({ from: 5, to: 5 }, new Uint8Array());
    const journal = await openJournal(path, "asset");
    expect((await journal.get({ from: 5, to: 5 })).length).toBe(0);
  });

  it.each([
    { from: 10, to: 19 },
    { from: 5, to: 10 },
    { from: 19, to: 30 },
    { from: 12, to: 13 },
    { from: 0, to: 100 },
  ])("refuses the overlapping page $from to $to", async (range) => {
    const journal = await openJournal(folder(), "asset");
    await journal.put({ from: 10, to: 19 }, payload(1));
    await expect(journal.put(range, payload(2))).rejects.toThrow("overlaps");
    expect(journal.pages).toEqual([{ from: 10, to: 19 }]);
    expect(new Uint8Array(await journal.get({ from: 10, to: 19 }))).toEqual(payload(1));
  });

  it("drops the pages of another identity", async () => {
    const path = folder();
    await (await openJournal(path, "chain 1")).put({ from: 1, to: 2 }, payload(1));
    expect((await openJournal(path, "chain 2")).pages).toEqual([]);
    expect(readdirSync(path)).toEqual([]);
  });

  it("removes a page that was damaged while it was open, and names it", async () => {
    const path = folder();
    const journal = await openJournal(path, "asset");
    await journal.put({ from: 1, to: 2 }, payload(1));
    const [name] = readdirSync(path);
    truncateSync(join(path, name!), 90);
    await expect(journal.get({ from: 1, to: 2 })).rejects.toThrow(Failure);
    expect(journal.pages).toEqual([]);
    expect(readdirSync(path)).toEqual([]);
  });

  it("drops a page under another's name, and folders", async () => {
    const path = folder();
    await (await openJournal(path, "asset")).put({ from: 1, to: 2 }, payload(1));
    const [name] = readdirSync(path);
    renameSync(join(path, name!), join(path, name!.replace("2.page", "3.page")));
    mkdirSync(join(path, "else"));
    expect((await openJournal(path, "asset")).pages).toEqual([]);
    expect(readdirSync(path)).toEqual([]);
  });

  it("has only whole pages after any damage to any of its files", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 6 }),
        fc.array(
          fc.record({
            file: fc.nat(),
            at: fc.nat(2000),
            kind: fc.constantFrom("truncate", "flip", "extend", "leftover"),
          }),
          { maxLength: 4 },
        ),
        async (sizes, damages) => {
          const path = folder();
          const journal = await openJournal(path, "asset");
          let from = 0;
          for (const size of sizes) {
            await journal.put({ from, to: from + size - 1 }, payload(from));
            from += size;
          }
          const whole = new Map(readdirSync(path).map((name) => [name, readFileSync(join(path, name))]));
          const names = [...whole.keys()];
          for (const { file, at, kind } of damages) {
            const name = join(path, names[file % names.length]!);
            const bytes = readFileSync(name);
            if (kind === "truncate") truncateSync(name, at % bytes.length);
            if (kind === "extend") writeFileSync(name, Buffer.concat([bytes, Buffer.alloc(at + 1)]));
            // As a kill amid a write leaves it.
            if (kind === "leftover") writeFileSync(`${name}.unfinished`, bytes.subarray(0, at));
            if (kind === "flip" && bytes.length > 0) {
              bytes[at % bytes.length]! ^= 1;
              writeFileSync(name, bytes);
            }
          }
          const intact = names.filter((name) => readFileSync(join(path, name)).equals(whole.get(name)!));
          const again = await openJournal(path, "asset");
          expect(readdirSync(path)).toEqual(intact);
          expect(again.pages).toHaveLength(intact.length);
          for (const range of again.pages) expect(new Uint8Array(await again.get(range))).toEqual(payload(range.from));
        },
      ),
      { numRuns: 60 },
    );
  });
});
