/** How many requests a second a node takes: found by trying, as nobody knows the limits of a plan. */

/** Requests a second before anything is known. */
const FIRST = 50;
const LEAST = 3;
/** More gains nothing, as a request may bring thousands of logs. */
const MOST = 500;
/** A little below what was refused is what is granted. */
const AFTER_A_LIMIT = 0.7;
/** Growth with each success, away from the last limit and near it. */
const GROWTH = 1.05;
const CAREFUL_GROWTH = 1.002;
const NEAR = { below: 0.9, above: 1.1 };

/** The pause after a rate limit without Retry-After; it doubles with each further one. In milliseconds. */
export interface Pauses {
  first: number;
  longest: number;
}

const WINDOW_MS = 1000;

/** The longest pause, of the time without a success. */
const SHARE_OF_WAITING = 1 / 20;

export class Rate {
  readonly #pauses: Pauses;
  readonly #isForced: boolean;
  #perSecond: number;
  /** The rate at the last refusal. */
  #limit = Number.POSITIVE_INFINITY;
  /** When the next request may be sent. */
  #nextAt = 0;
  #pausedUntil = 0;
  /** Refusals since the last success. */
  #refusals = 0;
  /** When the first of them was. */
  #refusedSince = 0;
  /** Requests that were sent before know nothing of the slower rate. */
  #slowedAt = Number.NEGATIVE_INFINITY;
  /** When requests of the last second were sent. */
  #sent: number[] = [];

  /**
   * @param forced requests a second that are neither exceeded nor lowered
   * @param isOwn whether the node is on this machine: most likely nobody limits it
   */
  constructor(pauses: Pauses, forced?: number, isOwn = false) {
    this.#pauses = pauses;
    this.#isForced = forced !== undefined;
    this.#perSecond = forced ?? (isOwn ? MOST : FIRST);
  }

  /** Milliseconds of the pause that a node asked for, or that followed a refusal. */
  pause(now: number): number {
    return Math.max(0, this.#pausedUntil - now);
  }

  /** No request for a while. */
  rest(now: number, ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, now + ms);
  }

  /**
   * Reserves the next free moment for `count` requests that are sent together.
   *
   * @returns milliseconds to wait for it; 0: now
   */
  reserve(now: number, count = 1): number {
    const at = Math.max(now, this.#nextAt, this.#pausedUntil);
    this.#nextAt = at + (count * 1000) / this.#perSecond;
    this.#sent = this.#sent.filter((time) => time > now - WINDOW_MS);
    this.#sent.push(at);
    return at - now;
  }

  succeeded(): void {
    this.#refusals = 0;
    if (this.#isForced) return;
    const share = this.#perSecond / this.#limit;
    const growth = share > NEAR.below && share < NEAR.above ? CAREFUL_GROWTH : GROWTH;
    // A rate that isn't made use of has not been tried.
    if (this.#sent.length * 2 >= this.#perSecond) this.#perSecond = Math.min(MOST, this.#perSecond * growth);
  }

  /**
   * The node refused a request because there are too many.
   *
   * @param sentAt when it was sent
   * @param retryAfterMs what the node asks for
   */
  refused(now: number, sentAt: number, retryAfterMs: number | undefined): void {
    const isNew = sentAt >= this.#slowedAt;
    if (isNew) {
      this.#slowedAt = now;
      if (this.#refusals === 0) this.#refusedSince = now;
      this.#refusals++;
    }
    // Random, so that requests that were refused together don't return together.
    // A node that refuses nine of ten requests, whatever their rate, is asked often enough to get the tenth through.
    const most = Math.max(this.#pauses.first, (now - this.#refusedSince) * SHARE_OF_WAITING);
    const longest = Math.min(this.#pauses.longest, this.#pauses.first * 2 ** (this.#refusals - 1), most);
    const pause = retryAfterMs ?? longest * (0.5 + Math.random() / 2);
    if (isNew || retryAfterMs !== undefined) this.#pausedUntil = Math.max(this.#pausedUntil, now + pause);
    // What was reserved behind the pause is over.
    this.#nextAt = Math.min(this.#nextAt, this.#pausedUntil);
    if (!isNew || this.#isForced) return;
    const recent = this.#sent.filter((time) => time > now - WINDOW_MS && time <= now).length;
    this.#limit = Math.max(LEAST, Math.min(this.#perSecond, recent));
    this.#perSecond = Math.max(LEAST, this.#limit * AFTER_A_LIMIT);
  }
}
