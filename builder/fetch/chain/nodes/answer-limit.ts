/** How many logs answers have at most, where a node ends them there without saying so. Source: docs/chain.md#nodes-and-limits. */

/** Why an answer is believed less than others. */
export interface Doubts {
  /** Whether the answer is of a single block. */
  isOfBlock: boolean;
  /** Whether it is all that is read. */
  isAlone: boolean;
  /** Whether something was missing when these blocks were read before. */
  isRepeated: boolean;
}

/** Limits of fewer logs are hardly anyone's. The check finds them. */
const FEWEST = 16;
/** A single answer is only doubted if its number of logs is round, and at least this. */
const FEWEST_ROUND = 64;
/** Answers of the same length that were whole: it is not a limit. */
const PROOFS = 3;
/** Nodes may end an answer with a block, or after so many bytes: shorter ones are cut, too. */
const NEAR = 0.5;
/** The share of a limit that pages aim at. */
const TARGET = 0.25;

/** A multiple of 100, or a power of two. */
const isRound = (count: number) => count >= FEWEST_ROUND && (count % 100 === 0 || Number.isInteger(Math.log2(count)));

/** What is known of one node. */
export class AnswerLimit {
  /** Logs of the longest answer. */
  #most = 0;
  /** How often one of that length was whole. */
  #proofs = 0;
  #limit: number | undefined;

  /** Logs that a page should have at most; undefined without a limit. */
  get target(): number | undefined {
    return this.#limit && Math.max(1, this.#limit * TARGET);
  }

  /**
   * Takes note of an answer.
   *
   * @returns whether it may have been cut: a node that has answered with more would not have
   */
  takes(count: number, { isOfBlock, isAlone, isRepeated }: Doubts): boolean {
    const isLongest = count >= this.#most;
    if (count > this.#most) [this.#most, this.#proofs] = [count, 0];
    if (this.#limit !== undefined && count > this.#limit) this.#limit = undefined;
    if (this.#limit !== undefined) return isOfBlock ? this.isAt(count) : this.isNear(count);
    if (isRepeated && !isOfBlock) return count > 1;
    return isLongest && this.#proofs < PROOFS && (isRound(count) || (!isAlone && count >= FEWEST));
  }

  /** Whether answers are known to end with so many logs. */
  isAt(count: number): boolean {
    return this.#limit !== undefined && count >= this.#limit;
  }

  /** Whether they are known to end with not many more. */
  isNear(count: number): boolean {
    return this.#limit !== undefined && count > this.#limit * NEAR;
  }

  /** An answer of that length has been found whole, or could not be told from one that is. */
  isWhole(count: number): void {
    if (count === this.#most) this.#proofs++;
  }

  /**
   * An answer of that length has been found to be cut.
   *
   * @returns whether that is a limit: others have not had more
   */
  isCut(count: number): boolean {
    const isLimit = count >= this.#most;
    if (isLimit) this.#limit = count;
    return isLimit;
  }
}
