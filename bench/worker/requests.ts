/** Requests per second: the Worker in each state, its upper bounds, and the alternatives. */

import { medianFigures } from "../lib/rounds.ts";
import { type Bench, type Contender, type Effort, PEERS, STATES } from "./bench.ts";
import type { Measured } from "./processes/load-process.ts";
import { type BenchQuery, QUERIES } from "./queries.ts";

export interface QueryFigures {
  query: string;
  points: number;
  connections: number;
  figures: Partial<Record<Contender, Measured>>;
}

const isLong = (query: BenchQuery) => query.name === "all blocks";

/**
 * Checks, before anything is measured, that all contenders give the same answers.
 *
 * @throws {Error} an answer differs from the one that was rendered when the token was made
 */
export async function compareText(bench: Bench): Promise<void> {
  for (const query of QUERIES) {
    const expected = await bench.text("rendered", query);
    // The slow ones would need gigabytes for the longest series; the other queries are enough to check them.
    const contenders = isLong(query) ? STATES : [...STATES, ...PEERS];
    for (const contender of contenders) {
      if ((await bench.text(contender, query)) !== expected) {
        throw new Error(`${contender} gives another answer to the query "${query.name}"`);
      }
    }
  }
}

/** Each state, (i) the same text rendered in advance, (ii) a constant of the same size. */
export async function measureQueries(bench: Bench, isFull: boolean): Promise<QueryFigures[]> {
  const measured: QueryFigures[] = [];
  for (const query of QUERIES) {
    // Sixteen of the longest at once take minutes, and show nothing new.
    for (const connections of isLong(query) && !isFull ? [1] : [1, 16]) {
      const rounds = isLong(query) ? 3 : isFull ? 9 : 5;
      const effort = { connections, seconds: isFull ? 1 : 0.4 };
      measured.push(await compare(bench, query, [...STATES, "rendered", "constant"], rounds, effort));
    }
  }
  return measured;
}

/** (iii), (iv), (v), and the Worker in its slowest state: all of them read the data for every request. */
export async function measurePeers(bench: Bench, isFull: boolean): Promise<QueryFigures[]> {
  const measured: QueryFigures[] = [];
  for (const query of QUERIES) {
    for (const connections of query.name === "day series" ? [1, 16] : [1]) {
      const rounds = isLong(query) ? 1 : isFull ? 9 : 3;
      measured.push(await compare(bench, query, ["cold", "warm", ...PEERS], rounds, { connections, seconds: 0.4 }));
    }
  }
  return measured;
}

async function compare(
  bench: Bench,
  query: BenchQuery,
  contenders: readonly Contender[],
  rounds: number,
  effort: Effort,
): Promise<QueryFigures> {
  // Once in advance, to fill the caches.
  for (const state of STATES) await bench.run(state, query, { ...effort, requests: 1 });
  const alternatives = Object.fromEntries(
    contenders.map((contender) => [contender, () => bench.run(contender, query, effort)]),
  );
  const figures = await medianFigures(rounds, alternatives);
  return { query: query.name, points: bench.token.points[query.name]!, connections: effort.connections, figures };
}
