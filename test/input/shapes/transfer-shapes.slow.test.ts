/** Random histories in the form of every tool are read as those of the plain form. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { readPlain, readWritten, TRANSFER_WRITERS, type WrittenTransfer } from "./transfer-writers.ts";

const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`);

const hashOf = (kind: string, number: number) => `0x${kind}${number.toString(16).padStart(63, "0")}`;

/** Blocks with some transfers each, in order. */
const history: fc.Arbitrary<WrittenTransfer[]> = fc
  .record({
    accounts: fc.array(address, { minLength: 2, maxLength: 6 }),
    blocks: fc.array(
      fc.record({
        after: fc.integer({ min: 1, max: 100_000 }),
        seconds: fc.integer({ min: 0, max: 200_000 }),
        logs: fc.uniqueArray(fc.integer({ min: 0, max: 2 ** 31 - 1 }), { minLength: 1, maxLength: 4 }),
      }),
      { minLength: 1, maxLength: 12 },
    ),
    sides: fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 48, maxLength: 48 }),
    values: fc.array(
      fc.oneof(
        fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
        fc.bigInt({ min: 0n, max: 10n ** 21n }),
        fc.constant(10n ** 18n),
      ),
      { minLength: 48, maxLength: 48 },
    ),
  })
  .map(({ accounts, blocks, sides, values }) => {
    let [block, time, at] = [0, 1_500_000_000, 0];
    return blocks.flatMap(({ after, seconds, logs }) => {
      block += after;
      time += seconds;
      return logs
        .toSorted((a, b) => a - b)
        .map((log): WrittenTransfer => {
          const [from, to] = sides[at]!.map((side) => accounts[side % accounts.length]!);
          const value = values[at++]!;
          return {
            block,
            log,
            time,
            from: from!,
            to: to!,
            value,
            transaction: hashOf("a", at),
            blockHash: hashOf("b", block),
          };
        });
    });
  });

test("random histories, in every form", async () => {
  const property = fc.asyncProperty(history, async (rows) => {
    const plain = await readPlain(rows);
    for (const writer of TRANSFER_WRITERS) {
      const written = await readWritten(writer, rows);
      expect(written.history, writer.file).toEqual(plain.history);
      expect(written.asOf, writer.file).toBe(plain.asOf);
    }
  });
  await fc.assert(property, { numRuns: 6, endOnFailure: true });
});
