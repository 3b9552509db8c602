/** What alerts remember between runs: one object of the store. Source: docs/formats.md#alerts. */

import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import { ALERTS_KEY, time, wholeCount } from "../../data-schema/stored.ts";
import { Failure } from "../lib/failure.ts";
import type { ObjectStore } from "../store/store.ts";
import { sha256Hex } from "../store/stored-content.ts";
import type { Rule } from "./alert-rules.ts";
import type { Fired } from "./message.ts";

const STATE_VERSION = 1;

/** A firing that has not been sent: its row, and what is posted, whenever it is. */
const pending = v.strictObject({ t: time, key: v.string(), body: v.string() });

const asset = v.strictObject({
  /** The last row that was evaluated. */
  last: time,
  /** The last block of that day, for a rule of transfers or a holder. */
  block: v.exactOptional(wholeCount),
  /** The last row that was sent; absent before. */
  sent: v.exactOptional(time),
  pending: v.exactOptional(v.array(pending)),
});
export type AssetState = v.InferOutput<typeof asset>;

const stateSchema = v.strictObject({
  schema: v.literal(STATE_VERSION),
  /** By name. A rule of another definition is a new one. */
  rules: v.record(
    v.string(),
    v.strictObject({ when: v.string(), for: v.number(), resolution: v.string(), assets: v.record(v.string(), asset) }),
  ),
});
type State = v.InferOutput<typeof stateSchema>;

export class AlertState {
  readonly #store: ObjectStore;
  readonly #state: State;
  #etag: string | null;
  /** Saves follow each other. */
  #saving: Promise<void> = Promise.resolve();

  private constructor(store: ObjectStore, state: State, etag: string | null) {
    this.#store = store;
    this.#state = state;
    this.#etag = etag;
  }

  /** @throws {Failure} it can't be read */
  static async read(store: ObjectStore): Promise<AlertState> {
    const object = await store.get(ALERTS_KEY);
    if (!object) return new AlertState(store, { schema: STATE_VERSION, rules: {} }, null);
    try {
      if (object.isDamaged) throw new Error("it is damaged");
      const state = v.parse(stateSchema, JSON.parse(new TextDecoder().decode(object.bytes)));
      return new AlertState(store, state, object.etag);
    } catch {
      throw new Failure(
        `${ALERTS_KEY} in ${store.name} can't be read: use the version of soprano that wrote it, or remove it; then rules begin anew.`,
      );
    }
  }

  /** What is known of a rule and an asset; undefined if the rule is new for it. */
  of({ name, when, rows, resolution }: Rule, symbol: string): AssetState | undefined {
    const known = this.#state.rules[name];
    const isSame = known?.when === when && known.for === rows && known.resolution === resolution;
    return isSame ? known.assets[symbol] : undefined;
  }

  set(rule: Rule, symbol: string, state: AssetState): void {
    const { name, when, rows, resolution } = rule;
    const definition = { when, for: rows, resolution };
    const { assets = {}, ...known } = this.#state.rules[name] ?? {};
    const kept = isDeepStrictEqual(known, definition) ? assets : {};
    this.#state.rules[name] = { ...definition, assets: { ...kept, [symbol]: state } };
  }

  /** @throws {Failure} another run has changed it meanwhile */
  save(): Promise<void> {
    this.#saving = this.#saving.then(async () => {
      const bytes = new TextEncoder().encode(JSON.stringify(this.#state));
      const options = { contentType: "application/json", sha256: sha256Hex(bytes), replaces: this.#etag };
      const isSaved = await this.#store.put(ALERTS_KEY, bytes, options);
      const stored = await this.#store.get(ALERTS_KEY);
      const isOwn = stored !== undefined && Buffer.compare(stored.bytes, bytes) === 0;
      // Only the answer to the writing may have been lost.
      if (!isSaved && !isOwn) {
        throw new Failure(
          `another run of alerts has changed ${ALERTS_KEY} in ${this.#store.name} meanwhile: run one at a time.`,
        );
      }
      this.#etag = stored?.etag ?? null;
    });
    return this.#saving;
  }
}

/** The name under which a firing is posted, however often: that of its rule, asset, and row or transfer. */
export function idempotencyKey({ rule, asset, ...fired }: Fired): string {
  const { name, when, rows, resolution } = rule;
  const { firing } = fired;
  const which = fired.kind === "transfers" ? [fired.firing.block, fired.firing.logIndex] : [firing.t];
  return sha256Hex(new TextEncoder().encode(JSON.stringify([name, when, rows, resolution, asset, ...which]))).slice(
    0,
    32,
  );
}
