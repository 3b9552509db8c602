import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { AddressBook, TOKEN_CONTRACT } from "../../../builder/demo/simulate/simulated-addresses.ts";
import { LOW_BASE } from "../../../builder/demo/simulate/simulated-ledger.ts";
import { TransferBuffer } from "../../../builder/demo/simulate/transfers.ts";
import { transfersOf } from "./read-back.ts";
import { emptyFolder } from "./simulated.ts";

const ACCOUNTS = 50;

const event = fc.record({
  block: fc.nat(2 ** 31),
  logIndex: fc.nat(2 ** 31 - 1),
  timestamp: fc.nat(2 ** 32),
  from: fc.nat(ACCOUNTS - 1),
  to: fc.nat(ACCOUNTS - 1),
  high: fc.oneof(fc.constantFrom(0, 1, 9_999_999, 10_000_000, 99_999_999_999_999), fc.nat(1e13)),
  low: fc.oneof(fc.constantFrom(0, 1, 9_999_999, 10_000_000, LOW_BASE - 1), fc.nat(LOW_BASE - 1)),
});

test("a file says what was appended, whatever the digits; a buffer is as new after each file", async () => {
  const folder = await emptyFolder();
  const addresses = new AddressBook(1);
  const buffer = new TransferBuffer(addresses, ACCOUNTS);
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 100 }), async (events) => {
      for (const transfer of events) buffer.append(transfer);
      await writeFile(join(folder, "one.parquet"), buffer.takeFile());
      const rows = (await transfersOf(folder, "one.parquet")).map(({ file: _, ...row }) => row);
      expect(rows).toEqual(
        events.map(({ block, logIndex, timestamp, from, to, high, low }) => ({
          token: addresses.text(TOKEN_CONTRACT),
          block,
          logIndex,
          timestamp,
          from: addresses.text(from),
          to: addresses.text(to),
          value: BigInt(high) * BigInt(LOW_BASE) + BigInt(low),
        })),
      );
    }),
    { numRuns: 20 },
  );
});

test("addresses are 20 bytes of hex, all different, and the first is the zero address", () => {
  const addresses = new AddressBook(5);
  const texts = Array.from({ length: 10_000 }, (_, index) => addresses.text(index));
  expect(texts[0]).toBe(`0x${"0".repeat(40)}`);
  expect(texts.every((text) => /^0x[0-9a-f]{40}$/.test(text))).toBe(true);
  expect(new Set(texts).size).toBe(texts.length);
});
