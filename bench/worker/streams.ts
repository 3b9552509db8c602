/** The longest series, repeatedly: time to the first byte, time per point, and workerd's memory. */

import { median } from "../rounds.ts";
import type { Bench } from "./bench.ts";
import { QUERIES } from "./queries.ts";

export interface StreamFigures {
  points: number;
  /** For a client that reads as fast as it can; medians, in seconds. */
  seconds: number;
  firstByte: number;
  /** Resident memory of workerd after each run, bytes. */
  memory: number[];
  /** The same for a client that reads 20 MB a second. */
  slowMemory: number[];
}

const SLOW = 20_000_000;

export async function measureStreams({ run, server, token }: Bench, isFull: boolean): Promise<StreamFigures> {
  const query = QUERIES.find(({ name }) => name === "all blocks")!;
  const stream = { connections: 1, seconds: 0, requests: 1 };
  // The first run releases the memory that earlier queries took.
  await run("cold", query, stream);
  const measured = [];
  const memory = [];
  for (let i = 0; i < (isFull ? 10 : 5); i++) {
    measured.push(await run("cold", query, stream));
    memory.push(server.memory());
  }
  const slowMemory = [];
  for (let i = 0; i < (isFull ? 10 : 2); i++) {
    await run("cold", query, { ...stream, bytesPerSecond: SLOW });
    slowMemory.push(server.memory());
  }
  return {
    points: token.points[query.name]!,
    seconds: median(measured.map(({ latency }) => latency)),
    firstByte: median(measured.map(({ firstByte }) => firstByte)),
    memory,
    slowMemory,
  };
}
