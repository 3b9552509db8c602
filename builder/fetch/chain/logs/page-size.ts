/** How many blocks a node takes in one request: more and more until one fails, then tries more from time to time. */

/** Few, because nobody knows yet how many logs they have: on a dense chain 2,000 each, or a megabyte and a half. */
const FIRST = 20;
/** The factor by which pages grow as long as nothing has failed. */
const GROWTH = 8;
/**
 * Larger pages gain nothing: a request costs little beside its logs, and the page has to fit into memory. Well
 * below the 10,000 logs that several providers allow.
 */
export const TARGET_LOGS = 5_000;
/** After blocks without logs there may be some with many. */
export const LARGEST_PAGE = 50_000;

/** Between the page that works and the smallest that failed: not worth a search. */
const NARROW_ENOUGH = 1.125;

/** Pages between two attempts at more blocks: doubles with each that fails, halves with each that works. */
const SHORTEST_GAP = 4;
const LONGEST_GAP = 256;

/** What is left of old doubts after each page. */
const DOUBT_DECAY = 0.75;
/** Reached when nearly all of the last pages broke: one of two at random stays far below. */
const DOUBTFUL = 3;

/** Pages with fewer logs than this share of those at the limit may mean that the limit was one of logs. */
const EMPTIER = 0.25;

/**
 * Logs that a block most likely has, after files of the same contract.
 *
 * @param files with the rows of their blocks, both ends inclusive; ascending
 */
export function densityAfter(files: readonly { from: number; to: number; rows: number }[]): number | undefined {
  const last = files.findLast(({ from, to }) => from <= to);
  return last && last.rows / (last.to - last.from + 1);
}

/** Half of what fits into a page: the next blocks may be busier. */
export const FEW_LOGS = TARGET_LOGS / 2;

/** Blocks of a first page that most likely has few enough logs. @param density logs of a block */
export const firstPageOf = (density: number): number =>
  Math.min(LARGEST_PAGE, Math.max(FIRST, Math.floor(FEW_LOGS / density)));

export class PageSize {
  #size: number;
  /** The smallest size that failed; infinite while there is no limit. */
  #failed = Number.POSITIVE_INFINITY;
  /** More blocks, which one page at a time tries; undefined between attempts. */
  #attempt: number | undefined;
  #isTrying = false;
  #gap = SHORTEST_GAP;
  #untilAttempt = SHORTEST_GAP;
  /** Grows with each page that broke, and fades with each that was read. */
  #doubt = 0;
  /** Logs of the first page below the limit. */
  #logsAtLimit: number | undefined;

  /**
   * @param first blocks of the first page
   * @param widest what the node has said it takes, in an earlier reading
   */
  constructor(first = FIRST, widest = Number.POSITIVE_INFINITY) {
    this.#size = Math.min(first, widest);
    this.#failed = widest + 1;
  }

  /** Blocks of the next page, at most. */
  get blocks(): number {
    return this.#attempt === undefined || this.#isTrying ? this.#size : this.#attempt;
  }

  /** A page of `blocks` blocks is asked for. */
  started(blocks: number): void {
    if (this.#attempt === undefined || this.#isTrying || blocks <= this.#size) return;
    // The end of a range may be nearer.
    this.#attempt = blocks;
    this.#isTrying = true;
  }

  /** Nothing has been learned from a page of `blocks` blocks. */
  cancelled(blocks: number): void {
    if (blocks === this.#attempt) this.#isTrying = false;
  }

  /**
   * A page of `blocks` blocks with `logs` logs has been read.
   *
   * @param target logs that the next pages should have at most
   */
  succeeded(blocks: number, logs: number, target = TARGET_LOGS): void {
    this.#doubt *= DOUBT_DECAY;
    if (blocks >= this.#failed) this.#failed = Number.POSITIVE_INFINITY;
    if (blocks === this.#attempt) {
      this.#size = blocks;
      this.#attempt = undefined;
      this.#isTrying = false;
      this.#gap = Math.max(SHORTEST_GAP, this.#gap / 2);
      this.#untilAttempt = this.#gap;
    }
    // The end of a range says nothing about more blocks.
    if (blocks >= this.#size) this.#plan(logs);
    const fitting = logs > 0 ? Math.max(1, Math.floor((blocks * Math.min(target, TARGET_LOGS)) / logs)) : LARGEST_PAGE;
    this.#size = Math.min(this.#size, fitting, LARGEST_PAGE);
    if (this.#attempt !== undefined) this.#attempt = Math.min(this.#attempt, fitting, LARGEST_PAGE);
    if (this.#attempt !== undefined && this.#attempt <= this.#size) this.#attempt = undefined;
    this.#isTrying &&= this.#attempt !== undefined;
  }

  /**
   * A page of `blocks` blocks was refused.
   *
   * @param hint the blocks that the node says it takes; may be wrong
   */
  failed(blocks: number, hint?: number): void {
    // Among pages that were in flight together, the first refusal has told everything.
    if (blocks > this.#size && blocks !== this.#attempt) return;
    const isAttempt = blocks === this.#attempt;
    // What has worked until now counts more than what the node says.
    const isHintOfUse = hint !== undefined && hint < blocks && hint >= (isAttempt ? this.#size : 1);
    this.#failed = Math.min(this.#failed, isHintOfUse ? hint + 1 : blocks);
    if (isAttempt) this.#gap = Math.min(LONGEST_GAP, this.#gap * 2);
    else this.#size = isHintOfUse ? hint : Math.max(1, Math.floor(blocks / 2));
    this.#attempt = undefined;
    this.#isTrying = false;
    this.#untilAttempt = this.#gap;
    this.#logsAtLimit = undefined;
  }

  /**
   * The answer to a page of `blocks` blocks broke off, or was no JSON-RPC. Connections break for many reasons. Only if
   * nearly all pages break may their size be the reason.
   */
  broke(blocks: number): void {
    this.#doubt = this.#doubt * DOUBT_DECAY + 1;
    if (this.#doubt < DOUBTFUL) this.cancelled(blocks);
    else {
      this.#doubt = 0;
      this.failed(blocks);
    }
  }

  /** Decides whether the next page tries more blocks. */
  #plan(logs: number): void {
    if (this.#attempt !== undefined) return;
    if (this.#failed === Number.POSITIVE_INFINITY) {
      this.#attempt = this.#size * GROWTH;
      return;
    }
    this.#logsAtLimit ??= logs;
    this.#untilAttempt -= logs < this.#logsAtLimit * EMPTIER ? SHORTEST_GAP : 1;
    if (this.#untilAttempt > 0) return;
    const isWide = this.#failed > this.#size * NARROW_ENOUGH && this.#failed - this.#size > 1;
    this.#attempt = isWide ? Math.floor((this.#size + this.#failed) / 2) : this.#size * 2;
  }
}
