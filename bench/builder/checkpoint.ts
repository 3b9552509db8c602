/**
 * The checkpoint of many holders, made up on the spot: `checkpoint.ts write|read HOLDERS FILE`. It writes the file,
 * or reads it row group by row group, as a build does that resumes. Seconds of CPU time of all threads, bytes
 * a holder, and the peak of memory, which is why each is a process of its own.
 */

import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { CheckpointFile, checkpointEnd, encodeRows } from "../../builder/build/checkpoint/checkpoint-file.ts";
import { type CheckpointRows, emptyRows } from "../../builder/build/checkpoint/checkpoint-rows.ts";
import { NO_EVENTS } from "../../builder/engine/history.ts";
import { viewOf } from "../../builder/input/address-order.ts";
import { DIGESTS, writePieces } from "../../builder/store/pieces.ts";

const WORDS = 3;
const BATCH_ROWS = 65_536;

const event = { block: 18_000_000, t: 1_700_000_000 };
const facts = {
  checkpoint: {
    time: 1_700_006_400,
    lastEvent: event,
    totals: { ...NO_EVENTS, first: event, last: event },
    coinDaysDestroyed: 0,
    openBlocks: { from: 1_698_796_800, rows: [] },
    openBuckets: { week: { from: 1_699_833_600, sums: {} }, month: { from: 1_698_796_800, sums: {} } },
  },
  provenance: {
    schema: 1,
    engine: "0",
    prices: {},
    files: [],
    months: {},
    asset: { contract: "0x", chain: "made up", decimals: 18, maxSupply: "1000000000", resolutions: [] },
  },
};

/** Holders with addresses as random as hashes, balances of 80 bits, and prices and times of full precision: the worst case. */
function* holders(count: number): Generator<CheckpointRows> {
  let state = 0x9e37_79b9;
  const random = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  for (let first = 0; first < count; first += BATCH_ROWS) {
    const batch = emptyRows(Math.min(BATCH_ROWS, count - first), WORDS);
    const addresses = viewOf(batch.addresses);
    for (let row = 0; row < batch.rows; row++) {
      const leading = ((first + row) / count) * 2 ** 48;
      addresses.setUint32(20 * row, leading / 2 ** 16);
      addresses.setUint16(20 * row + 4, leading % 2 ** 16);
      addresses.setUint16(20 * row + 6, random());
      for (let word = 2; word < 5; word++) addresses.setUint32(20 * row + 4 * word, random());
      batch.balances.set([random() | 1, random(), random() & 0xffff], WORDS * row);
      batch.basis[row] = (random() + random() / 2 ** 32) / 2 ** 31;
      batch.since[row] = 1.6e9 + (random() + random() / 2 ** 32) / 2 ** 6;
      batch.lastEvent[row] = 1.6e9 + (random() >>> 6);
    }
    yield batch;
  }
}

function* file(batches: Iterable<CheckpointRows>) {
  const rows = yield* encodeRows(WORDS, batches);
  yield* checkpointEnd(facts, rows).end;
}

const [mode, rows, path] = process.argv.slice(2) as [string, string, string];
const figures: Record<string, number> = {};
if (mode === "write") {
  mkdirSync(dirname(path), { recursive: true });
  const { size } = await writePieces(path, file(holders(Number(rows))), DIGESTS);
  figures.bytesPerHolder = size / Number(rows);
} else {
  let found = 0;
  for (const group of new CheckpointFile(path).rows()) found += group.rows;
  figures.rows = found;
}
const { user, system } = process.cpuUsage();
figures.cpuSeconds = (user + system) / 1e6;
figures.seconds = process.uptime();
figures.peakMb = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify(figures));
