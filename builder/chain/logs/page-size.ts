/** How many blocks a node takes in one request: doubles until one fails, then tries more from time to time. */

const FIRST = 500;
/**
 * Larger pages gain nothing: a request costs little beside its logs, and the page has to fit into memory. Well
 * below the 10,000 logs that several providers allow.
 */
const TARGET_LOGS = 5_000;
/** After blocks without logs there may be some with many. */
const LARGEST = 50_000;

/** Between the page that works and the smallest that failed: not worth a search. */
const NARROW_ENOUGH = 1.125;

/** Pages between two attempts at more blocks: doubles with each that fails, halves with each that works. */
const SHORTEST_GAP = 4;
const LONGEST_GAP = 256;

/** Pages with fewer logs than this share of those at the limit may mean that the limit was one of logs. */
const EMPTIER = 0.25;

export class PageSize {
  #size: number;
  /** The smallest size that failed; infinite while there is no limit. */
  #failed = Number.POSITIVE_INFINITY;
  /** The size before the current attempt at more blocks; undefined without one. */
  #before: number | undefined;
  #gap = SHORTEST_GAP;
  #untilAttempt = SHORTEST_GAP;
  /** Logs of the first page below the limit. */
  #logsAtLimit: number | undefined;

  constructor(first = FIRST) {
    this.#size = first;
  }

  /** Blocks of the next page. */
  get blocks(): number {
    return this.#size;
  }

  /** A page of `blocks` blocks with `logs` logs has been read. */
  succeeded(blocks: number, logs: number): void {
    // The end of a range, or a page that was sent before the size changed, says nothing about more blocks.
    if (blocks >= this.#size) this.#grow(blocks, logs);
    const fitting = logs > 0 ? Math.floor((blocks * TARGET_LOGS) / logs) : LARGEST;
    this.#size = Math.max(1, Math.min(this.#size, fitting, LARGEST));
  }

  /**
   * A page of `blocks` blocks was refused.
   *
   * @param hint the blocks that the node says it takes; may be wrong
   */
  failed(blocks: number, hint?: number): void {
    // Pages that were in flight together fail together.
    if (blocks > this.#size) return;
    this.#logsAtLimit = undefined;
    this.#failed = Math.min(this.#failed, blocks);
    // What was tried is too much, or so is what worked until now.
    const isAttempt = this.#before !== undefined && this.#before < blocks;
    const good = isAttempt ? this.#before! : Math.floor(blocks / 2);
    this.#before = undefined;
    if (isAttempt) this.#gap = Math.min(LONGEST_GAP, this.#gap * 2);
    this.#untilAttempt = this.#gap;
    if (hint !== undefined && hint >= 1 && hint < blocks) {
      this.#failed = Math.min(this.#failed, hint + 1);
      this.#size = hint;
    } else this.#size = Math.max(1, Math.min(good, blocks - 1));
  }

  #grow(blocks: number, logs: number): void {
    if (this.#before !== undefined) {
      this.#before = undefined;
      this.#gap = Math.max(SHORTEST_GAP, this.#gap / 2);
      this.#untilAttempt = this.#gap;
    }
    if (blocks >= this.#failed) this.#failed = Number.POSITIVE_INFINITY;
    if (this.#failed === Number.POSITIVE_INFINITY) {
      this.#size = blocks * 2;
      return;
    }
    this.#logsAtLimit ??= logs;
    this.#untilAttempt -= logs < this.#logsAtLimit * EMPTIER ? SHORTEST_GAP : 1;
    if (this.#untilAttempt > 0) return;
    this.#before = blocks;
    const isWide = this.#failed > blocks * NARROW_ENOUGH && this.#failed - blocks > 1;
    this.#size = isWide ? Math.floor((blocks + this.#failed) / 2) : blocks * 2;
  }
}
