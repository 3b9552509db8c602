/** The blocks that are still to be read: which node may take which of them, and when one is given up. */

import type { BlockRange } from "./pages.ts";

/** Blocks that no request in flight covers. */
export interface Task extends BlockRange {
  /** Nodes that failed at them since all had their turn. */
  failed: ReadonlySet<number>;
  /** Blocks of a page at most: an answer that can't be right says nothing about what the node takes elsewhere. */
  largest: number;
  /** Failures of a single block. */
  attempts: number;
  /** Pauses so far. */
  rounds: number;
  /** Not before, in milliseconds. */
  notBefore: number;
}

const fresh = (range: BlockRange): Task => ({
  from: range.from,
  to: range.to,
  failed: new Set(),
  largest: Number.POSITIVE_INFINITY,
  attempts: 0,
  rounds: 0,
  notBefore: 0,
});

/** What a node can take. */
export interface Reach {
  node: number;
  /** The first and last block that it has. */
  from: number;
  to: number;
  /** Blocks of a page. */
  blocks: number;
}

export class Tasks {
  /** Ascending. */
  #waiting: Task[];
  #inFlight = 0;

  constructor(ranges: readonly BlockRange[]) {
    this.#waiting = ranges.filter(({ from, to }) => from <= to).map(fresh);
    this.#waiting.sort((a, b) => a.from - b.from);
  }

  get isDone(): boolean {
    return this.#waiting.length === 0 && this.#inFlight === 0;
  }

  get waiting(): readonly Task[] {
    return this.#waiting;
  }

  /** The highest block that waits; -1 without one. */
  get last(): number {
    return this.#waiting.at(-1)?.to ?? -1;
  }

  /** Lets all nodes try again. */
  forgetFailures(isMeant: (task: Task) => boolean): void {
    for (const task of this.#waiting) if (task.failed.size > 0 && isMeant(task)) task.failed = new Set();
  }

  /** Takes the lowest blocks that a node can be asked for; undefined if there are none now. */
  take({ node, from, to, blocks }: Reach, now: number): Task | undefined {
    const index = this.#waiting.findIndex(
      (task) => task.to >= from && task.from <= to && task.notBefore <= now && !task.failed.has(node),
    );
    const task = this.#waiting[index];
    if (!task) return undefined;
    const first = Math.max(task.from, from);
    const last = Math.min(task.to, to, first + Math.min(blocks, task.largest) - 1);
    const rest: Task[] = [];
    if (first > task.from) rest.push({ ...task, to: first - 1 });
    if (last < task.to) rest.push({ ...task, from: last + 1 });
    this.#waiting.splice(index, 1, ...rest);
    this.#inFlight++;
    return { ...task, from: first, to: last };
  }

  finish(): void {
    this.#inFlight--;
  }

  putBack(task: Task): void {
    this.#inFlight--;
    const index = this.#waiting.findIndex(({ from }) => from > task.to);
    this.#waiting.splice(index < 0 ? this.#waiting.length : index, 0, task);
  }
}
