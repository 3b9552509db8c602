/** A made-up chain that is reorganised: from a block on, it has other blocks with other transfers. */

import {
  type EconomyOptions,
  type FakeChain,
  type FakeLog,
  fakeEconomy,
  type Row,
  TRANSFER,
  word,
  ZERO_ADDRESS,
} from "./fake-chain.ts";

export interface ForkedChain {
  /** The chain; until `replace`, as it was before the reorganisation. */
  chain: FakeChain;
  /** The transfers after the reorganisation. */
  rows: Row[];
  /** Replaces the blocks. */
  replace(): void;
}

/** Mints that one fork has beside the transfers of both. */
const MINTS = 20;

/** @param from the first block that is replaced */
export function forkedChain(options: EconomyOptions, from: number): ForkedChain {
  const { chain, rows } = fakeEconomy(options);
  const { end } = chain.logsOf(0, chain.head);
  const common = Array.from({ length: end }, (_, index) => chain.log(index));
  const holder = rows.find(({ to }) => to !== ZERO_ADDRESS)!.to;
  const every = Math.max(2, Math.floor((options.blocks - from) / MINTS));
  const fork = (offset: number) => {
    const blocks = Array.from({ length: MINTS }, (_, index) => from + offset + every * index);
    const mints = blocks.filter((block) => block <= options.blocks);
    const minted = mints.map((block): Row => {
      return { block, logIndex: 500, time: chain.timeOf(block), from: ZERO_ADDRESS, to: holder, value: 7n };
    });
    const logs = mints.map((block): FakeLog => {
      const topics = [TRANSFER, `0x${word(0)}`, `0x${word(BigInt(holder))}`];
      return { block, logIndex: 500, address: chain.token.address, topics, data: `0x${word(7)}` };
    });
    return { rows: inOrder([...rows, ...minted]), logs: inOrder([...common, ...logs]) };
  };
  const [before, after] = [fork(0), fork(every >> 1)];
  chain.forkFrom(Number.POSITIVE_INFINITY, before.logs);
  return { chain, rows: after.rows, replace: () => chain.forkFrom(from, after.logs) };
}

const inOrder = <T extends { block: number; logIndex: number }>(all: T[]) =>
  all.sort((a, b) => a.block - b.block || a.logIndex - b.logIndex);
