/** The ticks of a pool with concentrated liquidity as facts: those that its positions leave, and those that its contract tells. */

import type { View } from "./calls.ts";
import type { Facts, PoolShape } from "./pool.ts";
import { HALVING, Positions } from "./positions.ts";

/** The number of ticks. States of a version that did not know positions lack it. */
const COUNT = "ticks";
const TICK = /^tick (-?\d+)$/;

const factOf = (tick: number) => `tick ${tick}`;

export const factsOf = ({ ticks }: Positions): Facts => ({
  [COUNT]: BigInt(ticks.length),
  ...Object.fromEntries(ticks.map(({ tick, net }) => [factOf(tick), net])),
});

/** Whether the facts of a state tell its positions. */
const havePositions = (facts: Facts): boolean => facts[COUNT] !== undefined;

export function positionsOf(facts: Facts): Positions | undefined {
  if (!havePositions(facts)) return undefined;
  const positions = new Positions();
  for (const [tick, net] of ticksOf(facts)) positions.change(tick, net);
  return positions;
}

const ticksOf = (facts: Facts): [number, bigint][] =>
  Object.entries(facts).flatMap(([name, net]) => {
    const [, tick] = TICK.exec(name) ?? [];
    return tick === undefined ? [] : [[Number(tick), net]];
  });

/**
 * What a contract says of the ticks that its depth depends on: those of the replayed state, and those that its bitmap has.
 *
 * @param replayed the facts of the state
 * @returns none of ticks for which the contract has no answer
 */
export async function readTicks(
  view: View,
  tick: number,
  { isToken0, tickSpacing }: PoolShape,
  replayed: Facts,
): Promise<Facts> {
  if (!havePositions(replayed)) return {};
  const [first, last] = isToken0 ? [tick - HALVING, tick] : [tick + 1, tick + HALVING];
  const own = ticksOf(replayed).map(([other]) => other);
  const set = tickSpacing === undefined ? [] : await readBitmap(view, first, last, tickSpacing);
  const looked = [...new Set([...own, ...set])].filter((other) => other >= first && other <= last);
  const answers = await Promise.all(looked.map((other) => view("ticks(int24)", BigInt(other))));
  return Object.fromEntries(
    looked.flatMap((other, index) => {
      const net = answers[index]![1];
      return net === undefined ? [] : [[factOf(other), BigInt.asIntN(256, net)]];
    }),
  );
}

const BITS_OF_A_WORD = 256;

/** The ticks at which positions begin or end, by the words of the bitmap that have those from `first` to `last`. */
async function readBitmap(view: View, first: number, last: number, spacing: number): Promise<number[]> {
  const wordOf = (tick: number) => Math.floor(tick / spacing / BITS_OF_A_WORD);
  const from = wordOf(first);
  const words = await Promise.all(
    Array.from({ length: wordOf(last) - from + 1 }, (_, index) => view("tickBitmap(int16)", BigInt(from + index))),
  );
  return words.flatMap(([bits = 0n], index) =>
    Array.from({ length: BITS_OF_A_WORD }, (_, bit) => bit)
      .filter((bit) => (bits >> BigInt(bit)) & 1n)
      .map((bit) => ((from + index) * BITS_OF_A_WORD + bit) * spacing),
  );
}
