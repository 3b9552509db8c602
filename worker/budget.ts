/**
 * The memory of the requests in progress: what they read, the points they hold, the text they send.
 *
 * An isolate on Cloudflare has 128 MB for everything. A promise belongs to the request that made it, so whoever needs room
 * asks again and again until there is some. Array buffers are freed as soon as they have been used: garbage of them
 * would pile up to tens of megabytes before V8 collects it.
 */

import { overloaded } from "./problems/problem.ts";

/** Bytes of all requests together. With the caches of isolate.ts: 60 MB. */
export const BUDGET_BYTES = 36 << 20;

/** What a request that reads counts for at least: a row group of blocks with its compressed bytes, and a chunk of text. */
export const PLACE_BYTES = 448 << 10;

/** What a request may hold to be ahead of its client: three runs of read-series.ts with the compressed bytes of two. */
const AHEAD_BYTES = 5 << 20;

/** While others hold more than this, nobody reads ahead. So 64 slow clients find a place, even if one is far ahead. */
const CROWDED_BYTES = 4 << 20;

/** How long a request waits for a place: between two attempts, and in all. */
const FIRST_WAIT_MS = 5;
const LONGEST_WAIT_MS = 100;
const PATIENCE_MS = 10_000;

/**
 * After so long, a request that has done nothing loses what it holds to those who wait: its client takes nothing, or has
 * gone away in a manner that the Worker was not told of.
 */
const LOST_MS = 60_000;

/** What one key leaves to the others, whatever it asks for. Enough for thousands of days, or a month of blocks. */
const LEFT_TO_OTHERS_BYTES = 6 << 20;

/**
 * A reader that takes a piece of its answer more slowly than this makes room for requests of other keys: its connection
 * is reset once one of them has waited for a moment. Documented in docs/api.md#fairness.
 */
const SLOW_BYTES_PER_SECOND: number = 256 << 10;
/** How long any piece may take, and how long others wait before a slow reader is cut off. */
const ANY_PIECE_MS = 1_000;
const CUT_AFTER_MS = 500;

/** The bytes of all requests in progress, each with a lease. */
export class Budget {
  /** The leases that hold anything, and those that wait for a place. */
  readonly leases = new Set<Lease>();
  readonly waiting = new Set<Lease>();
  readonly limit: number;
  readonly patience: number;

  /**
   * @param limit in bytes
   * @param patience how long a request waits for a place, in milliseconds
   */
  constructor(limit: number = BUDGET_BYTES, patience: number = PATIENCE_MS) {
    this.limit = limit;
    this.patience = patience;
  }

  get bytes(): number {
    let bytes = 0;
    for (const { counted } of this.leases) bytes += counted;
    return bytes;
  }

  /** What the requests of a key hold. */
  heldBy(owner: string): number {
    let bytes = 0;
    for (const lease of this.leases) if (lease.owner === owner) bytes += lease.counted;
    return bytes;
  }

  /** What each key may hold while others wait for a place. */
  share(): number {
    const owners = new Set([...this.leases, ...this.waiting].map(({ owner }) => owner));
    return this.limit / owners.size;
  }
}

/** What one request holds: nothing at first. */
export class Lease {
  readonly #budget: Budget;
  readonly #now: () => number;
  /** The buffers to free; false for those of a cache, which only count. */
  readonly #kept = new Map<ArrayBufferLike, boolean>();
  #place: Promise<void> | undefined;
  #least = 0;
  #bytes = 0;
  #usedAt = 0;
  #isOver = false;
  /** Whether an answer is being made at this moment: what it holds can't be taken away. */
  #isWorking = false;
  /** When the last piece was sent, and how long the client may take it. */
  #sentAt = Number.POSITIVE_INFINITY;
  #mayTakeMs = 0;

  /** Whose request it is: requests of one key share what one key may hold. Empty: nobody's in particular. */
  readonly owner: string;

  /** @param now milliseconds since 1970 */
  constructor(budget: Budget, now: () => number, owner = "") {
    this.#budget = budget;
    this.#now = now;
    this.owner = owner;
  }

  /** Bytes, as they count against the budget. */
  get counted(): number {
    return Math.max(this.#least, this.#bytes);
  }

  /** Whether others hold so much that this request should hold as little as it can. */
  get isCrowded(): boolean {
    return this.#others() > CROWDED_BYTES;
  }

  /** Whether this request may hold so many bytes more, although it does not need them yet. */
  mayHold(bytes: number): boolean {
    return this.#bytes + bytes <= Math.max(AHEAD_BYTES, this.#least) && !this.isCrowded;
  }

  /**
   * Waits for a place. It is the only wait for room, and comes before anything is held or sent: requests can't block
   * each other, and no answer stops midway.
   *
   * @throws {Problem} 503 there was none for too long
   */
  enter(): Promise<void> {
    this.#place ??= this.#waitForPlace(PLACE_BYTES);
    return this.#place;
  }

  /**
   * Waits for a larger place, once it is known what the request will hold. It must hold no more than a place by then, so
   * that those who wait leave room for the others.
   *
   * @throws {Problem} 503 there was none for too long
   */
  async grow(bytes: number): Promise<void> {
    await this.enter();
    if (bytes > this.#least) await this.#waitForPlace(Math.min(bytes, this.#budget.limit));
  }

  async #waitForPlace(bytes: number): Promise<void> {
    const { waiting, patience } = this.#budget;
    waiting.add(this);
    try {
      for (let waited = 0, wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
        if (this.#takePlace(bytes, waited)) return;
        if (waited >= patience) throw overloaded();
        await scheduler.wait(wait);
        waited += wait;
      }
    } finally {
      waiting.delete(this);
    }
  }

  #takePlace(bytes: number, waited: number): boolean {
    this.use();
    const needed = Math.max(bytes, this.#bytes);
    const hasRoom = () => this.#others() + needed <= this.#budget.limit;
    if (!this.#mayOwn(needed)) return false;
    if (!hasRoom()) for (const lease of this.#budget.leases) lease.#endIfLost();
    if (!hasRoom() && waited >= CUT_AFTER_MS) this.#cutSlow(hasRoom);
    if (!hasRoom()) return false;
    this.#least = bytes;
    this.#count(0);
    return true;
  }

  /** Whether the requests of this key may hold so much: all but the rest that is left to others; less while others wait. */
  #mayOwn(needed: number): boolean {
    const { owner } = this;
    if (owner === "") return true;
    const own = this.#budget.heldBy(owner) - this.counted + needed;
    // A request alone may always be answered, whatever it takes.
    if (own === needed) return true;
    if (own > this.#budget.limit - LEFT_TO_OTHERS_BYTES) return false;
    const othersWait = [...this.#budget.waiting].some((lease) => lease.owner !== owner);
    return !othersWait || own <= this.#budget.share();
  }

  /** Cuts off slow readers of keys that hold more than their share, the slowest first, until there is room. */
  #cutSlow(hasRoom: () => boolean): void {
    const budget = this.#budget;
    const slow = [...budget.leases]
      .filter((lease) => lease.owner !== this.owner && lease.#lateMs > 0)
      .sort((a, b) => b.#lateMs - a.#lateMs);
    for (const lease of slow) {
      if (hasRoom()) return;
      if (budget.heldBy(lease.owner) <= budget.share()) continue;
      lease.#bytes = 0;
      lease.end();
    }
  }

  /** For how long the client should have taken the last piece by now. */
  get #lateMs(): number {
    return this.#isWorking ? 0 : this.#now() - this.#sentAt - this.#mayTakeMs;
  }

  /** Makes a part of the answer, which can't be cut off meanwhile. */
  async working<T>(make: () => Promise<T>): Promise<T> {
    this.use();
    this.#isWorking = true;
    try {
      return await make();
    } finally {
      this.#isWorking = false;
    }
  }

  /** Notes that the client is being sent so many bytes more. */
  sending(bytes: number): void {
    this.#sentAt = this.#now();
    this.#mayTakeMs = Math.max(ANY_PIECE_MS, (1000 * bytes) / SLOW_BYTES_PER_SECOND);
  }

  #others(): number {
    return this.#budget.bytes - this.counted;
  }

  #endIfLost(): void {
    if (this.#now() - this.#usedAt > LOST_MS) {
      this.#bytes = 0;
      this.end();
    }
  }

  /**
   * Counts bytes that are about to be read or made, unless they are not needed yet and the request may not hold them.
   *
   * @returns whether they were counted; `release` counts them down
   */
  reserve(bytes: number, isNeeded: boolean): boolean {
    if (!isNeeded && !this.mayHold(bytes)) return false;
    this.#count(bytes);
    return true;
  }

  /** Counts reserved bytes down. */
  release(bytes: number): void {
    this.#count(-bytes);
  }

  /**
   * Counts arrays in hand, each with the whole of its memory, which is this request's alone unless it `isShared`.
   *
   * @throws {Problem} 503 the request is over
   */
  keep(arrays: Iterable<ArrayBufferView>, isShared = false): void {
    for (const { buffer } of arrays) {
      if (this.#isOver && !isShared) detach(buffer);
      if (this.#isOver || this.#kept.has(buffer)) continue;
      this.#kept.set(buffer, !isShared);
      this.#count(buffer.byteLength);
    }
    this.use();
  }

  /** Frees the memory of arrays that this request kept. */
  free(arrays: Iterable<ArrayBufferView>): void {
    for (const { buffer } of arrays) this.#freeBuffer(buffer);
  }

  #freeBuffer(buffer: ArrayBufferLike): void {
    const isOwn = this.#kept.get(buffer);
    if (isOwn === undefined) return;
    this.#kept.delete(buffer);
    this.#count(-buffer.byteLength);
    if (isOwn) detach(buffer);
  }

  /**
   * Notes that the request goes on.
   *
   * @throws {Problem} 503 it is over
   */
  use(): void {
    if (this.#isOver) throw overloaded();
    this.#usedAt = this.#now();
  }

  /** Frees everything. What has been reserved counts until it is released: reads that have begun go on. */
  end(): void {
    for (const buffer of this.#kept.keys()) this.#freeBuffer(buffer);
    this.#isOver = true;
    this.#least = 0;
    this.#count(0);
  }

  #count(bytes: number): void {
    this.#bytes = Math.max(this.#bytes + bytes, 0);
    this.#usedAt = this.#now();
    if (this.counted > 0) this.#budget.leases.add(this);
    else this.#budget.leases.delete(this);
  }
}

/** Frees the memory of a buffer at once. */
function detach(buffer: ArrayBufferLike): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
