/** Transfers in any order and files give the same history; as-of cuts it. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { tries } from "../../effort.ts";
import { csv, EVENTS, events, Folder, HEADER, ROWS, row, T2 } from "../folder.ts";

const address = fc
  .oneof(fc.constantFrom(0n, 1n, 2n ** 160n - 1n), fc.bigInt(0n, 2n ** 160n - 1n))
  .map((number) => `0x${number.toString(16).padStart(40, "0")}`);
const value = fc.oneof(
  fc.bigInt(0n, 2n ** 256n - 1n),
  fc.bigInt(0n, 2n ** 100n),
  fc.constantFrom(0n, 2n ** 64n, 2n ** 128n - 1n, 2n ** 128n, 2n ** 256n - 1n),
);

/** Rows in the order of (block, log index); times never fall. */
const history = fc
  .uniqueArray(
    fc.record({
      block: fc.nat(20),
      log: fc.constantFrom(0, 1, 2, 300, 2 ** 32 - 1),
      from: address,
      to: address,
      value,
    }),
    { minLength: 1, maxLength: 40, selector: ({ block, log }) => `${block} ${log}` },
  )
  .map((rows) => rows.sort((a, b) => a.block - b.block || a.log - b.log))
  .map((rows) => rows.map((row) => ({ ...row, time: 1_600_000_000 + Math.floor(row.block / 3) })));

const FORMATS = ["csv", "csv.gz", "parquet"] as const;

/** Each row goes to one file or two; in a file, rows are in the order of the keys. */
const placed = history.chain((rows) =>
  fc.tuple(
    fc.constant(rows),
    fc.array(fc.record({ file: fc.nat(2), again: fc.option(fc.nat(2)), key: fc.nat() }), {
      minLength: rows.length,
      maxLength: rows.length,
    }),
  ),
);

test("rows that are shuffled, split among files and repeated give the sorted history", {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(placed, async ([rows, places]) => {
      const files: { key: number; line: string }[][] = [[], [], []];
      for (const [index, { block, log, time, from, to, value }] of rows.entries()) {
        const { file, again, key } = places[index]!;
        const line = [block, log, time, from, to, value].join(",");
        files[file]!.push({ key, line });
        if (again !== null) files[again]!.push({ key: key ^ 1, line });
      }
      const folder = new Folder();
      const names: string[] = [];
      for (const [index, lines] of files.entries()) {
        if (lines.length === 0) continue;
        const content = [HEADER, ...lines.toSorted((a, b) => a.key - b.key).map(({ line }) => line)].join("\n");
        folder.write(`${index}.csv`, content);
        const name = `${index}.${FORMATS[index]}`;
        names.push(name);
        if (FORMATS[index] === "csv.gz") folder.write(name, content);
        if (FORMATS[index] === "parquet") {
          await folder.parquet(name, `FROM read_csv('${folder.path}/${index}.csv', all_varchar = true)`);
        }
      }
      const read = await folder.read({ transfers: names });
      expect(events(read)).toEqual(
        rows.map(({ block, log, time, from, to, value }) => [block, log, time, from, to, value]),
      );
      expect(read.report.duplicates).toBe(places.filter(({ again }) => again !== null).length);

      // Numbers follow the events, not the files.
      const seen = [...new Set([`0x${"00".repeat(20)}`, ...rows.flatMap(({ from, to }) => [from, to])])];
      const { addresses } = read.history;
      expect(Buffer.from(addresses).toString("hex")).toBe(seen.map((text) => text.slice(2)).join(""));
    }),
    { numRuns: tries(30) },
  );
});

test("as-of is one second after the last transfer, or cuts what is at or after it", async () => {
  const folder = new Folder().write("transfers.csv", csv(HEADER, ...ROWS));
  expect((await folder.read()).asOf).toBe(T2 + 1);
  const cut = await folder.read({ asOf: T2 });
  expect(events(cut)).toEqual(EVENTS.slice(0, 2));
  expect(cut.report).toMatchObject({ rowsRead: 3, skippedAfterAsOf: 1, addresses: 2 });
  expect(cut.history.addresses.length).toBe(60);
});

test("as-of at the first transfer is refused", async () => {
  const folder = new Folder().write("transfers.csv", csv(HEADER, row()));
  expect(await folder.refusal({ asOf: 1_600_000_000 })).toBe(
    'asset.json: "asOf" is 2020-09-13T12:26:40Z, not after the first transfer, 2020-09-13T12:26:40Z; set a later time or leave it out.',
  );
});
