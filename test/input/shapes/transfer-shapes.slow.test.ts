/** Random histories in the form of every tool are read as those of the plain form. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { readAsset } from "../../../builder/input/asset/asset.ts";
import { digestInput } from "../../../builder/input/digest-input.ts";
import { surveyInput } from "../../../builder/input/survey.ts";
import { planReading } from "../../../builder/input/transfers/plan-reading.ts";
import { readShare } from "../../../builder/input/transfers/read-share.ts";
import { listedObjects } from "../../../data-schema/stored.ts";
import { activeManifest, runBuild } from "../../build/checkpoint/nights.ts";
import { tries } from "../../effort.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { events, Folder } from "../folder.ts";
import {
  blocksCsv,
  csvOf,
  duneTransfers,
  plainCsv,
  readPlain,
  readWritten,
  TRANSFER_WRITERS,
  type TransferWriter,
  type WrittenTransfer,
} from "./transfer-writers.ts";
import { TWENTY } from "./twenty.ts";

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
  await fc.assert(property, { numRuns: tries(3), endOnFailure: true });
});

test("a long history, read by shares: of a sorted copy with the plain columns", async () => {
  const long = Array.from({ length: 450 }, (_, part) =>
    TWENTY.map((row) => ({ ...row, block: row.block + 10_000 * part, time: row.time + 250_000 * part })),
  ).flat();
  const plain = events(await readPlain(long));
  for (const name of ["dune-evt.csv", "etherscan-getlogs.json", "flipside-scaled.csv", "ethereum-etl-logs.csv"]) {
    const { isUntimed, write } = TRANSFER_WRITERS.find(({ file }) => file === name)!;
    const folder = new Folder().write(name, write(long)).write("blocks.csv", blocksCsv(long));
    const asset = await readAsset(folder.asset({ transfers: name, ...(isUntimed && { blocks: "blocks.csv" }) }));
    const survey = await surveyInput(asset, await digestInput(asset));
    const reading = await planReading(asset, survey, { rows: () => 2_500, folder: folder.path, memory: 0 });
    expect(reading.shares.length, name).toBeGreaterThan(1);
    const found = [];
    for (const share of reading.shares.keys()) found.push(...events(await readShare(asset, survey, reading, share)));
    expect(found, name).toEqual(plain);
  }
});

test("twenty rows of Dune as Parquet, with columns of several types", async () => {
  const folder = new Folder().write("dune.csv", csvOf(duneTransfers(TWENTY)));
  const cells = `CAST(block_number AS BIGINT) AS block_number, CAST(evt_index AS INTEGER) AS evt_index,
    CAST(replace(block_time, ' UTC', '') AS TIMESTAMP) AS block_time, unhex(contract_address[3:]) AS contract_address,
    unhex("from"[3:]) AS "from", unhex("to"[3:]) AS "to", CAST(amount_raw AS DECIMAL(38,0)) AS amount_raw, unhex(tx_hash[3:]) AS tx_hash`;
  await folder.parquet("dune.parquet", `SELECT ${cells} FROM read_csv('${folder.path}/dune.csv', all_varchar = true)`);
  expect((await folder.read({ transfers: "dune.parquet" })).history).toEqual((await readPlain(TWENTY)).history);
});

test("a build from any form publishes the same bytes, also when it resumes", async () => {
  const published = async (file: string, write: TransferWriter["write"]) => {
    const folder = new Folder().write("blocks.csv", blocksCsv(TWENTY));
    const store = new MemoryStore();
    // The first build is of two days, and the second one goes on from its checkpoint.
    for (const rows of [TWENTY.slice(0, 14), TWENTY]) {
      folder.write(file, write(rows)).write("blocks.csv", blocksCsv(rows));
      const asOf = rows === TWENTY ? "2024-01-04T00:00:00Z" : "2024-01-03T00:00:00Z";
      const asset = folder.asset({ transfers: file, blocks: "blocks.csv", asOf });
      const { start } = await runBuild(store, asset);
      // What is JSON can't grow by rows at its end.
      expect("from" in start, file).toBe(rows === TWENTY && file.endsWith(".csv"));
    }
    // A key has the digest of its object.
    return [...listedObjects(await activeManifest(store, "TST"))].map(({ key }) => key).sort();
  };
  const plain = await published("plain.csv", plainCsv);
  expect(plain.length).toBeGreaterThan(40);
  for (const name of ["dune-evt.csv", "etherscan-getlogs.json", "flipside-scaled.csv", "cryo.json", "the-graph.json"]) {
    const { write } = TRANSFER_WRITERS.find(({ file }) => file === name)!;
    expect(await published(name, write), name).toEqual(plain);
  }
});
