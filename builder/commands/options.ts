/** What options of several commands take, and how their texts are read. */

import { resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { SYMBOL_PATTERN } from "../../data-schema/asset.ts";
import { parseTime } from "../input/time.ts";
import { DEFAULT_PERSIST, openLocalState } from "../store/local.ts";
import type { ObjectStore } from "../store/store.ts";

/** The options before the command. */
export interface Globals {
  quiet?: boolean;
  debug?: boolean;
}

export const persistOption = ["--persist <dir>", "state folder of wrangler dev", folder, DEFAULT_PERSIST] as const;

export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) {
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    }
    return value;
  };
}

export function timeToCome(text: string): string {
  const seconds = parseTime(text);
  // A year alone would be Unix seconds.
  if (seconds === undefined || seconds * 1000 <= Date.now()) {
    throw new InvalidArgumentError(
      "It must be a time to come in ISO 8601, such as 2027-01-31 or 2027-01-31T12:00:00Z.",
    );
  }
  return new Date(seconds * 1000).toISOString();
}

/** @returns milliseconds */
export function duration(text: string): number {
  const [, count, unit] = text.match(/^(\d{1,4})([mhd])$/) ?? [];
  if (count === undefined) throw new InvalidArgumentError("It must be minutes, hours or days, such as 30m, 24h or 7d.");
  return Number(count) * { m: 60_000, h: 3_600_000, d: 86_400_000 }[unit as "m" | "h" | "d"];
}

export function label(text: string): string {
  if (!/^(?=.*\S)\P{Cc}+$/u.test(text)) {
    throw new InvalidArgumentError("It must be a text in one line that is not empty.");
  }
  return text;
}

export function folder(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("It must be the path of a folder.");
  return text;
}

/** A symbol in any case. */
export function symbol(text: string): string {
  const upper = text.toUpperCase();
  if (!SYMBOL_PATTERN.test(upper)) throw new InvalidArgumentError("It must be an asset's symbol, such as ARIA.");
  return upper;
}

/** Symbols, one after the other. */
export function symbols(text: string, previous: readonly string[] = []): string[] {
  return [...previous, symbol(text)];
}

/** A build's id, or its first digits. */
export function buildId(text: string): string {
  const id = text.toLowerCase();
  if (!/^[0-9a-f]{1,16}$/.test(id)) throw new InvalidArgumentError("It must be a build's id, or its first digits.");
  return id;
}

/** Where objects are, as a command's options say. */
export interface StorePlace {
  persist: string;
}

/** The options that say where objects are. */
export function storeOptions(command: Command): Command {
  return command.option(...persistOption);
}

/** Opens the store that the options name, and closes it at the end. */
export async function withStore<T>({ persist }: StorePlace, use: (store: ObjectStore) => Promise<T>): Promise<T> {
  const state = await openLocalState(resolve(persist));
  try {
    return await use(state.objects);
  } finally {
    await state.close();
  }
}
