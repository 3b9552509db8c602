import fc from "fast-check";
import { expect, test } from "vitest";
import { HIGH_PER_TOKEN, LOW_BASE, SimulatedLedger, ZERO } from "../../../builder/demo/simulate/simulated-ledger.ts";

const raw = (high: number, low: number) => BigInt(high) * BigInt(LOW_BASE) + BigInt(low);

test("a ledger keeps the balances that integers of any size would", () => {
  const amount = fc.record({
    from: fc.nat(4),
    to: fc.nat(4),
    high: fc.oneof(fc.nat(2), fc.nat(1e13)),
    low: fc.oneof(fc.constantFrom(0, 1, LOW_BASE - 1), fc.nat(LOW_BASE - 1)),
  });
  fc.assert(
    fc.property(fc.array(amount, { maxLength: 60 }), (moves) => {
      const ledger = new SimulatedLedger(5);
      const balances = [0n, 0n, 0n, 0n, 0n];
      for (const { from, to, high, low } of moves) {
        const covered = balances[from]! >= raw(high, low);
        if (from !== ZERO) expect(ledger.covers(from, high, low)).toBe(covered);
        if (from !== ZERO && !covered) continue;
        ledger.move(from, to, high, low);
        if (from !== ZERO) balances[from]! -= raw(high, low);
        if (to !== ZERO) balances[to]! += raw(high, low);
      }
      for (let address = 1; address < 5; address++) {
        expect(raw(ledger.high[address]!, ledger.low[address]!)).toBe(balances[address]);
        expect(ledger.isEmpty(address)).toBe(balances[address] === 0n);
      }
    }),
  );
});

test("tokens are whole at 10^18 raw units", () => {
  const ledger = new SimulatedLedger(2);
  ledger.move(ZERO, 1, 5 * HIGH_PER_TOKEN, LOW_BASE / 2);
  expect(ledger.tokens(1)).toBe(5.00005);
});
