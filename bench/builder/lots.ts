/** The lots of a token by one method, on one thread: `lots.ts METHOD ASSET.json`. */

import { newBuckets } from "../../builder/engine/history.ts";
import { type EventChunk, REPLAY_ROWS } from "../../builder/engine/replay.ts";
import { readAsset } from "../../builder/input/asset/asset.ts";
import { BUCKET_SECONDS, type LotMethod } from "../../data-schema/registry.ts";
import { readInput, timelineOf } from "../../test/in-memory/input.ts";
import type { Timeline } from "../../test/in-memory/timeline.ts";
import { type TakenLots, TimedLots } from "./timed-lots.ts";

export type LotFigures = TakenLots & Record<"transfers" | "lots" | "holders", number>;

const [method, path] = process.argv.slice(2) as [LotMethod, string];
const asset = await readAsset(path);
const timeline = timelineOf(asset, await readInput(asset, { threads: 2 }));
const { history, labels, balanceWords, valueWords } = timeline;
const days = newBuckets(timeline, "day")!;
const lots = new TimedLots(
  {
    method,
    addresses: labels.length,
    decimals: asset.decimals,
    balanceWords,
    valueWords,
    firstClose: days.first + BUCKET_SECONDS.day,
    closes: (days.last - days.first) / BUCKET_SECONDS.day + 1,
  },
  labels.keys().filter((address) => labels[address] !== 0),
);
const taken = lots.take(chunksOf(timeline));
console.log(JSON.stringify({ ...taken, ...lots.held(), transfers: history.rows } satisfies LotFigures));

function* chunksOf({ history: { rows, from, to, timestamp, values }, price }: Timeline): Generator<EventChunk> {
  for (let first = 0; first < rows; first += REPLAY_ROWS) {
    const last = Math.min(rows, first + REPLAY_ROWS);
    yield {
      from: from.subarray(first, last),
      to: to.subarray(first, last),
      timestamp: timestamp.subarray(first, last),
      price: price.subarray(first, last),
      values: values.subarray(first * valueWords, last * valueWords),
    };
  }
}
