/** Random lives of a token with two contracts: what happened, as the logs of each, and what it should be read as. */

import fc from "fast-check";
import type { Transfer } from "../../../reference/reference.ts";

export const ZERO = `0x${"00".repeat(20)}`;
/** Takes old tokens and gives new ones, or gives new ones out. */
export const GIVER = `0x${"5a".repeat(20)}`;
const HOLDERS = ["a1", "b0", "ca", "da"].map((byte) => `0x${byte.repeat(20)}`);

const START = 1_600_000_000;

const KINDS = ["mintOld", "mintNew", "sendOld", "sendNew", "swap", "swapBack", "burnOld", "fund"] as const;

/** What may happen. */
export interface Step {
  kind: (typeof KINDS)[number];
  /** Holders, by number. */
  who: number;
  to: number;
  /** How much of what the holder has, in eighths. */
  eighths: number;
  /** Whether it is in another block than the step before, and how many hours later then. */
  isNext: boolean;
  hours: number;
  /** Whether new tokens come before the old ones go. */
  isNewFirst: boolean;
  /** Whether both go through the contract; else they are burned and minted. */
  isThrough: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...KINDS),
  who: fc.nat(HOLDERS.length - 1),
  to: fc.nat(HOLDERS.length - 1),
  eighths: fc.integer({ min: 0, max: 8 }),
  isNext: fc.boolean(),
  hours: fc.integer({ min: 0, max: 40 }),
  isNewFirst: fc.boolean(),
  isThrough: fc.boolean(),
});

export const steps = (maxLength = 40): fc.Arbitrary<Step[]> => fc.array(step, { minLength: 1, maxLength });

export interface World {
  old: Transfer[];
  now: Transfer[];
  /** By address, without the giver. */
  oldBalances: Map<string, bigint>;
  newBalances: Map<string, bigint>;
  /** Old tokens of each swap, and of each swap back. */
  swaps: bigint[];
  /** Whether each block has one step. */
  isPlain: boolean;
}

/** `per` old tokens are a new one. */
export function live(list: readonly Step[], per: bigint): World {
  const world: World = { old: [], now: [], oldBalances: new Map(), newBalances: new Map(), swaps: [], isPlain: true };
  let [block, log, time] = [100, 0, START];
  const move = (isOld: boolean, from: string, to: string, value: bigint) => {
    const balances = isOld ? world.oldBalances : world.newBalances;
    for (const [address, sign] of [[from, -1n] as const, [to, 1n] as const]) {
      if (address !== ZERO && address !== GIVER) balances.set(address, (balances.get(address) ?? 0n) + sign * value);
    }
    (isOld ? world.old : world.now).push({ block, logIndex: log++, timestamp: time, from, to, value });
  };
  for (const { kind, who, to, eighths, isNext, isNewFirst, isThrough, hours } of list) {
    if (isNext) {
      block++;
      log = 0;
      time += 3600 * hours + 12;
    } else if (world.old.length + world.now.length > 0) world.isPlain = false;
    const [holder, other] = [HOLDERS[who]!, HOLDERS[to]!];
    const share = (balances: Map<string, bigint>) => ((balances.get(holder) ?? 0n) * BigInt(eighths)) / 8n;
    const [ofOld, ofNew] = [share(world.oldBalances), share(world.newBalances)];
    const through = isThrough ? GIVER : ZERO;
    const swap = (news: bigint, isBack: boolean) => {
      const sides = [
        () => (isBack ? move(true, through, holder, news * per) : move(true, holder, through, news * per)),
        () => (isBack ? move(false, holder, through, news) : move(false, through, holder, news)),
      ];
      for (const side of isNewFirst ? sides.reverse() : sides) side();
      if (news > 0n) world.swaps.push(news * per);
    };
    const acts: Record<Step["kind"], () => void> = {
      mintOld: () => move(true, ZERO, holder, BigInt(eighths) * 1_000n),
      mintNew: () => move(false, ZERO, holder, BigInt(eighths) * 7n),
      sendOld: () => move(true, holder, other, ofOld),
      sendNew: () => move(false, holder, other, ofNew),
      swap: () => swap(ofOld / per, false),
      swapBack: () => swap(ofNew, true),
      burnOld: () => move(true, holder, ZERO, ofOld),
      fund: () => move(false, ZERO, GIVER, 99n),
    };
    acts[kind]();
  }
  return world;
}
