/** The longest series, repeatedly: time to the first byte, and time per point. */

import { median } from "../lib/rounds.ts";
import type { Bench } from "./bench.ts";
import { QUERIES } from "./queries.ts";

export interface StreamFigures {
  points: number;
  /** For a client that reads as fast as it can; medians, in seconds. */
  seconds: number;
  firstByte: number;
}

export async function measureStreams({ run, token }: Bench, isFull: boolean): Promise<StreamFigures> {
  const query = QUERIES.find(({ name }) => name === "all blocks")!;
  const stream = { connections: 1, seconds: 0, requests: 1 };
  // The first run compiles what the earlier queries did not need.
  await run("cold", query, stream);
  const measured = [];
  for (let i = 0; i < (isFull ? 10 : 5); i++) measured.push(await run("cold", query, stream));
  return {
    points: token.points[query.name]!,
    seconds: median(measured.map(({ latency }) => latency)),
    firstByte: median(measured.map(({ firstByte }) => firstByte)),
  };
}
