import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressTexts } from "../../../../builder/fetch/chain/hex.ts";
import { Ledger } from "../../../../builder/fetch/check/ledgers/ledger.ts";
import { address, columnsOf, type Row, ZERO } from "../transfers.ts";

const party = fc.nat(9).map((number) => address(number));
const value = fc.oneof(fc.bigInt(0n, 3n), fc.bigInt(0n, 2n ** 33n), fc.bigInt(0n, 2n ** 256n - 1n));
const row = fc.record({ from: party, to: party, value });

/** The obvious way. */
function replay(rows: readonly Row[]) {
  const balances = new Map<string, bigint>();
  let overdraft: Row | undefined;
  const move = (who: string, by: bigint) => balances.set(who, (balances.get(who) ?? 0n) + by);
  for (const row of rows) {
    if (row.from === row.to) continue;
    if (row.from !== ZERO && (balances.get(row.from) ?? 0n) < row.value) overdraft ??= row;
    if (overdraft) break;
    move(row.from, -row.value);
    move(row.to, row.value);
  }
  return { balances, overdraft };
}

describe("Ledger", () => {
  it("has the balances and the supply of a plain replay, up to the first overdraft", () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 60 }), (moves) => {
        const rows = moves.map((move, i) => ({ ...move, block: Math.floor(i / 3), logIndex: i % 3 }));
        const { balances, overdraft } = replay(rows);
        const ledger = new Ledger();
        const sound = overdraft ? rows.slice(0, rows.indexOf(overdraft)) : rows;
        ledger.apply(columnsOf(sound));
        const texts = addressTexts(ledger.addresses.bytes());
        for (const [number, text] of texts.entries()) {
          if (number > 0) expect(ledger.balance(number)).toBe(balances.get(text) ?? 0n);
        }
        const numbersOf = (which: "holders" | "former") => [...ledger.numbers(which)].map((number) => texts[number]);
        const others = texts.filter((text) => text !== ZERO);
        expect(numbersOf("holders")).toEqual(others.filter((text) => balances.get(text)));
        expect(numbersOf("former")).toEqual(others.filter((text) => !balances.get(text)));
        expect(ledger.supply).toBe(BigInt.asUintN(256, -(balances.get(ZERO) ?? 0n)));
        expect(ledger.overdraft).toBeUndefined();
        if (!overdraft) return;
        ledger.apply(columnsOf([overdraft]));
        expect(ledger.overdraft).toEqual({
          address: overdraft.from,
          block: overdraft.block,
          logIndex: overdraft.logIndex,
          balance: balances.get(overdraft.from) ?? 0n,
          value: overdraft.value,
        });
      }),
    );
  });

  it("tells who moved, counts moves, and orders balances by size", () => {
    const ledger = new Ledger();
    const moved: number[] = [];
    const rows = [
      { block: 1, logIndex: 0, from: ZERO, to: address(1), value: 2n ** 200n },
      { block: 1, logIndex: 1, from: address(1), to: address(2), value: 5n },
      { block: 1, logIndex: 2, from: address(2), to: address(2), value: 5n },
      { block: 1, logIndex: 3, from: address(3), to: address(1), value: 0n },
    ];
    ledger.apply(columnsOf(rows), (number) => moved.push(number));
    expect(moved).toEqual([0, 1, 1, 2]);
    expect([1, 2, 3].map((number) => ledger.moves(number))).toEqual([2, 1, 0]);
    expect(ledger.size(1)).toBe(2 ** 200);
    expect(ledger.size(2)).toBe(5);
  });
});
