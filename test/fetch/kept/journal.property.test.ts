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
import { join, join as pathOf } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Journal, openJournal } from "../../../builder/fetch/kept/journal.ts";
import { Failure } from "../../../builder/lib/failure.ts";

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
            // A kill amid a write leaves such a file.
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

describe("a journal that joins small pages", () => {
  const join = (payloads: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(payloads));
  /** Blocks of a byte each. */
  const bytesOf = ({ from, to }: { from: number; to: number }) =>
    new Uint8Array(to - from + 1).map((_, index) => (from + index) % 251);

  /** What a journal holds, page by page. */
  async function contentOf(journal: Journal): Promise<number[]> {
    const bytes: number[] = [];
    for (const page of journal.pages) bytes.push(...(await journal.get(page)));
    return bytes;
  }

  it("keeps few files, and every byte, in whatever order pages come", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 300 }), fc.infiniteStream(fc.nat(1000)), async (count, random) => {
        const path = folder();
        const journal = await openJournal(path, "asset", { join });
        const ranges = Array.from({ length: count }, (_, index) => ({ from: 3 * index, to: 3 * index + 2 }));
        const order = ranges.map((range) => ({ range, key: random.next().value })).sort((a, b) => a.key - b.key);
        for (let start = 0; start < count; start += 8) {
          await Promise.all(order.slice(start, start + 8).map(({ range }) => journal.put(range, bytesOf(range))));
        }
        const all = [...bytesOf({ from: 0, to: 3 * count - 1 })];
        expect(await contentOf(journal)).toEqual(all);
        expect(readdirSync(path)).toHaveLength(journal.pages.length);
        // Among so many, 64 lie side by side.
        if (count >= 64) expect(journal.pages.length).toBeLessThan(count);
        expect(await contentOf(await openJournal(path, "asset"))).toEqual(all);
      }),
      { numRuns: 5 },
    );
  });

  it("is whole after a kill at any moment of joining", async () => {
    const path = folder();
    const journal = await openJournal(path, "asset", { join });
    const ranges = Array.from({ length: 64 }, (_, index) => ({ from: 3 * index, to: 3 * index + 2 }));
    const files = new Map<string, Buffer>();
    for (const range of ranges) {
      await journal.put(range, bytesOf(range));
      for (const name of readdirSync(path)) files.set(name, readFileSync(pathOf(path, name)));
    }
    expect(journal.pages).toEqual([{ from: 0, to: 191 }]);
    // The last of the 64 pages is written before they are joined.
    const last = folder();
    await (await openJournal(last, "asset")).put(ranges[63]!, bytesOf(ranges[63]!));
    for (const name of readdirSync(last)) files.set(name, readFileSync(pathOf(last, name)));
    expect(files.size).toBe(65);
    const union = readdirSync(path)[0]!;
    const parts = [...files.keys()].filter((name) => name !== union).sort();
    for (const removed of [0, 1, 30, 63, 64]) {
      for (const name of [union, ...parts.slice(removed)]) writeFileSync(pathOf(path, name), files.get(name)!);
      const again = await openJournal(path, "asset");
      expect(again.pages).toEqual([{ from: 0, to: 191 }]);
      expect(await contentOf(again)).toEqual([...bytesOf({ from: 0, to: 191 })]);
      expect(readdirSync(path)).toEqual([union]);
    }
    // Before the union is there, all parts are.
    rmSync(pathOf(path, union));
    for (const name of parts) writeFileSync(pathOf(path, name), files.get(name)!);
    expect((await openJournal(path, "asset")).pages).toEqual(ranges);
  });
});
