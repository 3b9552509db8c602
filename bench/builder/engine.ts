/**
 * The engine alone, on one thread: `engine.ts ASSET.json ROUNDS LONG_ROUNDS`. Comparisons import `runEngine` to run it in
 * their own process.
 */

import { type AssetFile, readAsset } from "../../builder/input/asset/asset.ts";
import { allSeries } from "../../test/in-memory/engine.ts";
import { type Input, readInput, timelineOf } from "../../test/in-memory/input.ts";
import { medianFigures, timed } from "../lib/rounds.ts";

/** Computes every series of a history and discards it. */
export function runEngine(asset: AssetFile, input: Input, { blocks }: { blocks: boolean }): void {
  for (const [, metrics] of allSeries(timelineOf(asset, input), { blocks })) {
    for (const _ of metrics);
  }
}

export type EngineFigures = Record<"dayAndHour" | "all" | "transfers", number>;

if (import.meta.main) {
  const [path, rounds, longRounds] = process.argv.slice(2) as [string, string, string];
  const asset = await readAsset(path);
  const input = await readInput(asset, { threads: 2 });
  const run = (blocks: boolean) => () => timed(() => runEngine(asset, input, { blocks }));
  const { dayAndHour } = await medianFigures(Number(rounds), { dayAndHour: run(false) });
  const { all } = await medianFigures(Number(longRounds), { all: run(true) });
  const transfers = input.history.rows;
  console.log(JSON.stringify({ dayAndHour: dayAndHour.seconds, all: all.seconds, transfers } satisfies EngineFigures));
}
