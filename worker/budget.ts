/**
 * The memory of the requests in progress: what they read, the points they hold, the text they send.
 *
 * An isolate on Cloudflare has 128 MB for everything. A promise belongs to the request that made it, so whoever needs room
 * asks again and again until there is some. Array buffers are freed as soon as they have been used: garbage of them
 * would pile up to tens of megabytes before V8 collects it.
 */

import type { Slice } from "../data-schema/series.ts";
import { overloaded } from "./problems/problem.ts";

/** Bytes of all requests together. With the caches of isolate.ts: 60 MB. */
export const BUDGET_BYTES = 36 << 20;

/** What a request that reads counts for at least: a row group of blocks with its compressed bytes, and a chunk of text. */
export const PLACE_BYTES = 448 << 10;

/** What a request may hold to be ahead of its client: three runs of series.ts with the compressed bytes of two. */
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

/** The bytes of all requests in progress, each with a lease. */
export class Budget {
  /** The leases that hold anything. */
  readonly leases = new Set<Lease>();
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

  /** @param now milliseconds since 1970 */
  constructor(budget: Budget, now: () => number) {
    this.#budget = budget;
    this.#now = now;
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
    for (let waited = 0, wait = FIRST_WAIT_MS; !this.#takePlace(bytes); wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      if (waited >= this.#budget.patience) throw overloaded();
      await scheduler.wait(wait);
      waited += wait;
    }
  }

  #takePlace(bytes: number): boolean {
    this.use();
    const hasRoom = () => this.#others() + Math.max(bytes, this.#bytes) <= this.#budget.limit;
    if (!hasRoom()) for (const lease of this.#budget.leases) lease.#endIfLost();
    if (!hasRoom()) return false;
    this.#least = bytes;
    this.#count(0);
    return true;
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

/** The arrays of a slice. */
export const arraysOf = ({ t, v }: Slice) => [t, v];

/** Frees the memory of a buffer at once. */
function detach(buffer: ArrayBufferLike): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
