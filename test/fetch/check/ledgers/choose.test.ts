import { describe, expect, it } from "vitest";
import { chooseAddresses, FORMER_HOLDERS } from "../../../../builder/fetch/check/ledgers/choose.ts";
import { Ledger } from "../../../../builder/fetch/check/ledgers/ledger.ts";
import { address, columnsOf, ZERO } from "../transfers.ts";

/** Holders 1 … count with as many units as their number, and former holders after them. */
function ledgerOf(count: number, former = 0): Ledger {
  const ledger = new Ledger();
  const numbers = Array.from({ length: count + former }, (_, i) => i + 1);
  const mints = numbers.map((n) => ({ block: n, logIndex: 0, from: ZERO, to: address(n), value: BigInt(n) }));
  ledger.apply(columnsOf(mints));
  const burns = mints.slice(count).map((row) => ({ ...row, from: row.to, to: ZERO }));
  ledger.apply(columnsOf(burns));
  return ledger;
}

const SEED = `0x${"1234567890abcdef".repeat(4)}`;

describe("chooseAddresses", () => {
  it("takes all holders up to the limit, and former ones", () => {
    const chosen = chooseAddresses(ledgerOf(100, 7), 100, SEED);
    expect(chosen).toMatchObject({ holders: 100, of: 100 });
    expect([...chosen.addresses].sort((a, b) => a - b)).toEqual(Array.from({ length: 107 }, (_, i) => i + 1));
  });

  it("takes the largest half and a random half beyond the limit", () => {
    const ledger = ledgerOf(1000);
    const { addresses, holders, of } = chooseAddresses(ledger, 100, SEED);
    expect([holders, of, new Set(addresses).size]).toEqual([100, 1000, 100]);
    expect([...addresses.subarray(0, 50)]).toEqual(Array.from({ length: 50 }, (_, i) => 1000 - i));
    const random = [...addresses.subarray(50)];
    expect(Math.max(...random)).toBeLessThanOrEqual(950);
    // Each quarter of the rest is likely to be in a sample of 50; this seed's is.
    for (let quarter = 0; quarter < 4; quarter++) {
      expect(random.some((n) => n > 237.5 * quarter && n <= 237.5 * (quarter + 1))).toBe(true);
    }
    expect(chooseAddresses(ledger, 100, SEED).addresses).toEqual(addresses);
    const other = chooseAddresses(ledger, 100, `0x${"fedcba0987654321".repeat(4)}`).addresses;
    expect([...other.subarray(50)]).not.toEqual(random);
  });

  it("takes some of very many former holders", () => {
    const { addresses, holders } = chooseAddresses(ledgerOf(1, FORMER_HOLDERS + 500), 10, SEED);
    expect(holders).toBe(1);
    expect(new Set(addresses).size).toBe(1 + FORMER_HOLDERS);
  });
});
