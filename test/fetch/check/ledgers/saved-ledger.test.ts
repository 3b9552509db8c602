import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Ledger } from "../../../../builder/fetch/check/ledgers/ledger.ts";
import { savedLedger, saveLedger } from "../../../../builder/fetch/check/ledgers/saved-ledger.ts";
import type { FetchedFile } from "../../../../builder/input/fetched/fetched.ts";
import { scratchFolder } from "../../../folders.ts";
import { address, columnsOf, type Row, ZERO } from "../transfers.ts";

/** Files of some content. */
const files = (...digests: string[]) => digests.map((sha256) => ({ sha256 }) as FetchedFile);

function newFolder(): string {
  const folder = scratchFolder();
  mkdirSync(join(folder, ".part"));
  return folder;
}

const facts = (ledger: Ledger) =>
  Array.from({ length: ledger.addresses.size }, (_, number) => [
    Buffer.from(ledger.addresses.pick(Uint32Array.of(number))).toString("hex"),
    ledger.balance(number),
    ledger.moves(number),
  ]);

describe("a saved ledger", () => {
  it("goes on as if it had never been saved", async () => {
    const folder = newFolder();
    const party = fc.nat(9).map((number) => address(number));
    const row = fc.record({
      from: party,
      to: party,
      value: fc.oneof(fc.bigInt(0n, 3n), fc.bigInt(0n, 2n ** 256n - 1n)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 30 }), fc.nat(30), async (moves, cut) => {
        const rows: Row[] = moves.map((move, block) => ({ ...move, block, logIndex: 0 }));
        const [before, after] = [columnsOf(rows.slice(0, cut)), columnsOf(rows.slice(cut))];
        const ledger = new Ledger();
        ledger.apply(before);
        await saveLedger(folder, files("a", "b"), ledger);
        const saved = savedLedger(folder, files("a", "b"))!;
        expect(facts(saved)).toEqual(facts(ledger));
        for (const one of [ledger, saved]) one.apply(after);
        expect(facts(saved)).toEqual(facts(ledger));
        expect([...saved.numbers("holders")]).toEqual([...ledger.numbers("holders")]);
      }),
    );
  });

  it("has room for many addresses", async () => {
    const folder = newFolder();
    const rows = Array.from({ length: 70_000 }, (_, i) => ({
      block: i,
      logIndex: 0,
      from: ZERO,
      to: address(i + 1),
      value: BigInt(i) << 200n,
    }));
    const ledger = new Ledger();
    ledger.apply(columnsOf(rows));
    await saveLedger(folder, [], ledger);
    const saved = savedLedger(folder, [])!;
    expect(saved.addresses.size).toBe(70_001);
    for (const number of [1, 65_535, 65_536, 70_000]) {
      expect(saved.balance(number)).toBe(BigInt(number - 1) << 200n);
      expect(saved.moves(number)).toBe(number === 1 ? 0 : 1);
    }
    expect(saved.supply).toBe(ledger.supply);
  });

  it("is none for other files, nor if a bit of it is another", async () => {
    const folder = newFolder();
    expect(savedLedger(folder, files("a"))).toBeUndefined();
    const ledger = new Ledger();
    ledger.apply(columnsOf([{ block: 1, logIndex: 0, from: ZERO, to: address(7), value: 5n }]));
    await saveLedger(folder, files("a"), ledger);
    for (const other of [[], ["b"], ["a", "b"]]) expect(savedLedger(folder, files(...other))).toBeUndefined();
    const path = join(folder, ".part", "ledger.parquet");
    const bytes = readFileSync(path);
    const right = JSON.stringify(facts(savedLedger(folder, files("a"))!), (_, value) => String(value));
    for (let at = 0; at < bytes.length; at++) {
      const damaged = Uint8Array.from(bytes);
      damaged[at]! ^= 1;
      writeFileSync(path, damaged);
      const read = savedLedger(folder, files("a"));
      // Some bits of Parquet's footer mean nothing to a reader.
      if (read) expect(JSON.stringify(facts(read), (_, value) => String(value))).toBe(right);
    }
    writeFileSync(path, bytes.subarray(0, -1));
    expect(savedLedger(folder, files("a"))).toBeUndefined();
  });

  it("is not needed: a folder that can't be written keeps none, and nothing fails", async () => {
    await saveLedger(join(scratchFolder(), "nowhere"), [], new Ledger());
  });
});
