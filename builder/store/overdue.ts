/**
 * Gives up calls to the local store that stay without an answer: when the disk is full, workerd does not answer some
 * writes at all.
 */

import { statfs } from "node:fs/promises";
import { StoreFailure } from "../lib/failure.ts";

export interface Patience {
  /** After this time without an answer a call is overdue: how full the disk is, is looked up then and so often. */
  overdueMs: number;
  /** How long the store may answer no call at all. */
  silenceMs: number;
}

const PATIENCE: Patience = { overdueMs: 5_000, silenceMs: 30_000 };

/** The slowest disk, bytes a millisecond: the store may be silent for longer while it writes much. */
const SLOWEST = 1_000;

/** What the store needs besides the bytes of an object, for its own records. */
const SPARE_BYTES = 256 * 1024;

export class OverdueCalls {
  readonly #folder: string;
  readonly #noise: () => string;
  readonly #patience: Patience;
  /** Answers so far. */
  #answers = 0;
  /** Bytes that calls under way write. */
  #bytes = 0;
  /** Why a call was given up: the others that are overdue end with it. */
  #failure: StoreFailure | undefined;

  /** @param noise what workerd has said so far, for `--debug` */
  constructor(folder: string, noise: () => string, patience = PATIENCE) {
    this.#folder = folder;
    this.#noise = noise;
    this.#patience = patience;
  }

  /**
   * Waits for an answer.
   *
   * @param bytes that the call writes
   * @throws {StoreFailure} the disk is full, or the store is silent
   */
  async answerOf<T>(call: Promise<T>, bytes = 0): Promise<T> {
    const { overdueMs } = this.#patience;
    this.#bytes += bytes;
    let [answers, silentMs] = [this.#answers, 0];
    let timer: NodeJS.Timeout | undefined;
    const overdue = new Promise<never>((_, reject) => {
      // Counts how often it is called, not the time: while this thread is busy, it does not see answers.
      timer = setInterval(() => {
        silentMs = answers === this.#answers ? silentMs + overdueMs : 0;
        answers = this.#answers;
        this.#failureAfter(silentMs).then((failure) => failure && reject(failure));
      }, overdueMs);
    });
    try {
      const answer = await Promise.race([call, overdue]);
      this.#answers++;
      return answer;
    } finally {
      clearInterval(timer);
      this.#bytes -= bytes;
    }
  }

  /** Why no answer is to be expected; undefined while there may be one. */
  async #failureAfter(silentMs: number): Promise<StoreFailure | undefined> {
    const isFull = (await freeBytes(this.#folder)) < this.#bytes + SPARE_BYTES;
    const isSilent = silentMs > this.#patience.silenceMs + this.#bytes / SLOWEST;
    if (isFull || isSilent) {
      const sentence = isFull
        ? `The disk of ${this.#folder} is full: free some space, or choose another folder with --persist, then try again.`
        : `The local store in ${this.#folder} does not answer: check that its disk works, then try again.`;
      this.#failure ??= new StoreFailure(sentence, { cause: this.#noise() });
    }
    return this.#failure;
  }
}

/** Infinite where the file system can't tell. */
async function freeBytes(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
