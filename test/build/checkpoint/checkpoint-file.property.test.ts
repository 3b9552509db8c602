import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { expect, it } from "vitest";
import { withDatabase } from "../../../builder/input/duckdb/database.ts";
import { plainHolders } from "../../../builder/published/export/plain-holders.ts";
import { joinBytes } from "../../../data-schema/text.ts";
import { scratchFolder } from "../../folders.ts";
import { decoded, encoded, type StoredCheckpoint } from "./stored-checkpoint.ts";

interface Holder {
  address: string;
  balance: bigint;
  basis: number;
  since: number;
  firstEvent: number;
  lastSend: number;
  lastReceipt: number;
  lastDeposit: number;
  realised: number;
  sent: number;
  receipts: number;
  sends: number;
}

/** Times of two events are less than 68 years apart. */
const time = fc.integer({ min: 1_400_000_000, max: 3_500_000_000 });

const holder: fc.Arbitrary<Holder> = fc.record({
  address: fc.stringMatching(/^[0-9a-f]{40}$/),
  balance: fc.bigInt(1n, 2n ** 256n - 1n),
  basis: fc.double({ min: -1e-300, noNaN: true, noDefaultInfinity: true }),
  since: fc.double({ min: 0, max: 253_402_300_800, noNaN: true }),
  firstEvent: time,
  lastSend: fc.oneof(fc.constant(-1), time),
  lastReceipt: time,
  lastDeposit: fc.integer({ min: 0, max: 65_535 }),
  realised: fc.double({ noNaN: true, noDefaultInfinity: true }),
  sent: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
  receipts: fc.nat(2 ** 32 - 1),
  sends: fc.nat(2 ** 32 - 1),
});

function stored(holders: readonly Holder[]): StoredCheckpoint {
  const words = Math.max(1, ...holders.map(({ balance }) => Math.ceil(balance.toString(2).length / 32)));
  const columns = {
    addresses: new Uint8Array(new SharedArrayBuffer(20 * holders.length)),
    words,
    balances: new Uint32Array(new SharedArrayBuffer(4 * words * holders.length)),
    basis: new Float64Array(new SharedArrayBuffer(8 * holders.length)),
    purchaseTime: new Float64Array(new SharedArrayBuffer(8 * holders.length)),
    firstEvent: new Float64Array(new SharedArrayBuffer(8 * holders.length)),
    lastSend: new Float64Array(new SharedArrayBuffer(8 * holders.length)),
    lastReceipt: new Float64Array(new SharedArrayBuffer(8 * holders.length)),
    lastDeposit: new Uint32Array(new SharedArrayBuffer(4 * holders.length)),
    realised: new Float64Array(new SharedArrayBuffer(8 * holders.length)),
    sent: new Float64Array(new SharedArrayBuffer(8 * holders.length)),
    receipts: new Uint32Array(new SharedArrayBuffer(4 * holders.length)),
    sends: new Uint32Array(new SharedArrayBuffer(4 * holders.length)),
  };
  holders.forEach(
    ({ address, balance, basis, since, firstEvent, lastSend, lastReceipt, lastDeposit, ...others }, i) => {
      columns.addresses.set(Buffer.from(address, "hex"), 20 * i);
      for (let word = 0; word < words; word++) {
        columns.balances[i * words + word] = Number((balance >> BigInt(32 * word)) & 0xffff_ffffn);
      }
      columns.basis[i] = basis;
      columns.purchaseTime[i] = since;
      columns.firstEvent[i] = firstEvent;
      columns.lastSend[i] = lastSend;
      columns.lastReceipt[i] = lastReceipt;
      columns.lastDeposit[i] = lastDeposit;
      for (const name of ["realised", "sent", "receipts", "sends"] as const) columns[name][i] = others[name];
    },
  );
  // Emptied addresses are among those that have been seen.
  const emptied = [`${"00".repeat(19)}01`, "ff".repeat(20)];
  const seen = [...holders.map(({ address }) => address), ...emptied].sort();
  const point = { block: 7, t: 1_600_000_000 };
  return {
    checkpoint: {
      time: 1_600_041_600,
      lastEvent: point,
      holders: columns,
      coinDaysDestroyed: 0.1 + 0.7,
      openBlocks: { from: 1_598_918_400, rows: [1, 0, 2] },
      openBuckets: {
        week: { from: 1_599_436_800, sums: {} },
        month: {
          from: 1_598_918_400,
          // Every digit of a sum counts.
          sums: { volume: { total: [0.1 + 0.2], "$0-100": [5e-324] }, sopr: { total: [1 / 3, 1.7e308] } },
        },
      },
      totals: {
        transfers: 1,
        mints: 2,
        burns: 3,
        beforeFirstPrice: 0,
        minted: 2n ** 256n,
        burned: 1n,
        first: point,
        last: point,
      },
    },
    seen: {
      rows: seen.length,
      addresses: new Uint8Array(Buffer.from(seen.join(""), "hex")),
      labels: Uint8Array.from(seen, (address) => Number.parseInt(address.slice(0, 2), 16) % 60),
    },
    provenance: {
      schema: 1,
      engine: "9",
      prices: { "2020-08": { rows: 2, digest: "p" } },
      asset: { contract: "0x", chain: "c", decimals: 77, maxSupply: "1.5", resolutions: ["day", "block"] },
      files: [
        { role: "transfers", file: "ä.csv", sha256: "s", bytes: 1, rows: 2, settled: 1, rowsAfter: 1 },
        { role: "blocks", file: "b.parquet", sha256: "t", bytes: 3, rows: 4 },
      ],
      months: { "2020-09": { rows: 1, digest: "d" } },
    },
  };
}

const unique = fc.uniqueArray(holder, { selector: ({ address }) => address, maxLength: 50 });

it("a checkpoint is read as it was written, holders in the order of their addresses", () => {
  fc.assert(
    fc.property(unique, (holders) => {
      const sorted = holders.toSorted((a, b) => (a.address < b.address ? -1 : 1));
      expect(decoded(encoded(stored(holders)))).toEqual(stored(sorted));
    }),
    { numRuns: 200 },
  );
});

it("one of an earlier engine, without open weeks and months, is of another version", () => {
  const { checkpoint, ...others } = stored([]);
  const { openBuckets: _, ...earlier } = checkpoint;
  const bytes = encoded({ ...others, checkpoint: earlier as typeof checkpoint });
  expect(() => decoded(bytes)).toThrow(/openBuckets/);
});

it("any number of row groups holds the same, whatever the batches in which the rows come", () => {
  const groupRows = fc.integer({ min: 1, max: 60 });
  const cuts = fc.array(fc.nat(60), { maxLength: 5 });
  fc.assert(
    fc.property(unique, groupRows, cuts, (holders, groupRows, cuts) => {
      const whole = stored(holders);
      const bytes = encoded(whole, { groupRows });
      expect(parquetMetadata(bytes.slice().buffer).row_groups.map(({ num_rows }) => Number(num_rows))).toEqual(
        groupSizes(whole.seen.rows, groupRows),
      );
      expect(encoded(whole, { groupRows, cuts })).toEqual(bytes);
      expect(decoded(bytes)).toEqual(decoded(encoded(whole)));
    }),
    { numRuns: 50 },
  );
});

function groupSizes(rows: number, groupRows: number): number[] {
  return rows <= groupRows ? [rows] : [groupRows, ...groupSizes(rows - groupRows, groupRows)];
}

/** Two holders; `stored` adds two addresses that have sold everything. */
const TWO = [
  {
    address: "a1".repeat(20),
    balance: 2n ** 70n + 5n,
    basis: 1.25,
    since: 1_600_000_000.5,
    firstEvent: 1_600_000_002,
    lastSend: 1_600_000_007,
    lastReceipt: 1_600_000_006,
    lastDeposit: 18_518,
    ...{ realised: -2.5, sent: 0.1, receipts: 3, sends: 4_000_000_000 },
  },
  {
    ...{ address: "0b".repeat(20), balance: 7n, basis: 1e-300, since: 0 },
    ...{ firstEvent: 3, lastSend: -1, lastReceipt: 1_600_000_001, lastDeposit: 0 },
    ...{ realised: 0, sent: 0, receipts: 1, sends: 0 },
  },
];

it("another reader finds the columns that the format names", async () => {
  const { buffer } = encoded(stored(TWO), { groupRows: 3 });
  const rows = await parquetReadObjects({ file: buffer as ArrayBuffer, compressors, utf8: false });
  const hex = (cell: unknown) => Buffer.from(cell as Uint8Array).toString("hex");
  const emptied = {
    ...{ balance: "00".repeat(12), basis: 0, sinceBits: "00".repeat(8), firstEvent: 0, receiptAfter: 0 },
    ...{ sendBeside: 1, realised: 0, sent: 0, receipts: 0, sends: 0, cohorts: 0, depositBeside: 0 },
  };
  expect(
    rows.map((row) => ({
      ...row,
      ...{ address: hex(row.address), balance: hex(row.balance), sinceBits: hex(row.sinceBits) },
    })),
  ).toEqual([
    { address: `${"00".repeat(19)}01`, label: 0, ...emptied },
    {
      ...{ address: "0b".repeat(20), label: 11, balance: `07${"00".repeat(11)}`, basis: 1e-300 },
      // 0 has no bits, so those of 1,600,000,001 are left.
      ...{ sinceBits: "0000400084d7d741", firstEvent: 3, receiptAfter: 1_599_999_998, sendBeside: 0 },
      ...{ realised: 0, sent: 0, receipts: 1, sends: 0, cohorts: 0, depositBeside: 0 },
    },
    {
      ...{ address: "a1".repeat(20), label: 161 % 60, balance: `0500000000000000400000`.padEnd(24, "0"), basis: 1.25 },
      // Sends are 4,000,000,000, which signed readers see as this. Half a second is the bit 21, six seconds are the bits 23 and 24.
      ...{ sinceBits: "0000a00100000000", firstEvent: 1_600_000_002, receiptAfter: 4, sendBeside: 3 },
      ...{ realised: -2.5, sent: 0.1, receipts: 3, sends: -294_967_296, cohorts: 0, depositBeside: 1 },
    },
    { address: "ff".repeat(20), label: 255 % 60, ...emptied },
  ]);
});

it("the order in which holders come does not change the bytes", () => {
  fc.assert(
    fc.property(unique, (holders) => {
      expect(encoded(stored(holders.toReversed()))).toEqual(encoded(stored(holders)));
    }),
    { numRuns: 50 },
  );
});

it("takes no more than 80 bytes a holder, of amounts with 18 decimals and full precision", () => {
  const random = (bits: number, seed: number) => {
    let value = BigInt(seed);
    for (let i = 0; i < 8; i++) value = (value * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 2n ** 320n;
    return (value >> 40n) % 2n ** BigInt(bits);
  };
  const holders = Array.from({ length: 20_000 }, (_, i) => ({
    address: random(160, i + 1)
      .toString(16)
      .padStart(40, "0"),
    balance: random(80, 3 * i + 1) + 1n,
    basis: Number(random(53, 5 * i + 1)) / 2 ** 52,
    since: 1.6e9 + Number(random(53, 7 * i + 1)) / 2 ** 26,
    firstEvent: 1.6e9 + Number(random(27, 13 * i + 1)),
    lastSend: i % 3 === 0 ? -1 : 1.6e9 + Number(random(27, 17 * i + 1)),
    lastReceipt: 1.6e9 + Number(random(27, 11 * i + 1)),
    lastDeposit: i % 2 === 0 ? 0 : 18_000 + (i % 1_000),
    realised: Number(random(53, 17 * i + 1)) / 2 ** 40,
    sent: Number(random(53, 19 * i + 1)) / 2 ** 33,
    receipts: 1 + (i % 3),
    sends: i % 2,
  }));
  expect(encoded(stored(holders)).length / holders.length).toBeLessThan(80);
});

it("DuckDB reads what is exported of it", async () => {
  const path = join(scratchFolder(), "stored.parquet");
  writeFileSync(path, encoded(stored(TWO), { groupRows: 3 }));
  const plain = join(scratchFolder(), "plain.parquet");
  writeFileSync(plain, joinBytes([...plainHolders(path, 2, "address")]));
  const rows = await withDatabase(1, async (connection) =>
    (
      await connection.runAndReadAll(
        `SELECT lower(hex(address)), label, hex(balance), tokens, basis, since, "firstEvent"::DOUBLE, "lastEvent"::DOUBLE, realised, sent, receipts, cohorts FROM '${plain}'`,
      )
    ).getRows(),
  );
  expect(rows).toEqual([
    [`${"00".repeat(19)}01`, 0, "00".repeat(12), 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ["0b".repeat(20), 11, `07${"00".repeat(11)}`, 0.07, 1e-300, 0, 3, 1_600_000_001, 0, 0, 1, 0],
    [
      ...["a1".repeat(20), 161 % 60, "0500000000000000400000".padEnd(24, "0"), (2 ** 70 + 5) / 100],
      ...[1.25, 1_600_000_000.5, 1_600_000_002, 1_600_000_007, -2.5, 0.1, 3, 0],
    ],
    ["ff".repeat(20), 255 % 60, "00".repeat(12), 0, 0, 0, 0, 0, 0, 0, 0, 0],
  ]);
});
