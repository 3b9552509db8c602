/** Requirements of ASSET.json's members. Each message completes "<file>: <key path> …". */

import * as v from "valibot";
import { UNSAFE_CHARACTER } from "../../../data-schema/asset.ts";

/** One line of text, of at most `most` UTF-16 units. */
export const line = (most: number, message: string) =>
  v.pipe(
    v.string(message),
    v.regex(/\S/, message),
    v.maxLength(most, ({ received }) => `must have at most ${most} characters, but has ${received}`),
    v.check(
      (text) => !UNSAFE_CHARACTER.test(text),
      "must not contain line breaks, control characters or direction overrides",
    ),
  );

/** The longest path that most systems take. */
const MAX_PATH = 4096;

export const path = (message: string) => line(MAX_PATH, message);

const PATHS = "must be a path, a glob or a list of them";
export const paths = v.pipe(
  v.union([path(PATHS), v.pipe(v.array(path(PATHS), PATHS), v.minLength(1, PATHS))], PATHS),
  v.transform((input) => (typeof input === "string" ? [input] : input)),
);

const ADDRESS = "must be 0x and 40 hexadecimal digits";

/** Made lower-case. */
export const address = v.pipe(v.string(ADDRESS), v.regex(/^0x[0-9a-f]{40}$/i, ADDRESS), v.toLowerCase());

export const wholeNumberRule = (least: number, most: number) => {
  const message = `must be a whole number from ${least} to ${most}`;
  return v.pipe(v.number(message), v.integer(message), v.minValue(least, message), v.maxValue(most, message));
};

/** Stands for the key's path in the messages of `members`. */
const KEY = "<key>";

/** An object with these members and no others. */
export function members<const Entries extends v.ObjectEntries>(entries: Entries, what = "must be an object") {
  // A list would pass as an object.
  const isObject = (input: unknown) => typeof input === "object" && input !== null && !Array.isArray(input);
  const object = v.strictObject(entries, ({ expected }) =>
    expected === "never"
      ? `unknown key ${KEY}; known keys are ${Object.keys(entries).join(", ")}`
      : `key ${KEY} is missing; add it`,
  );
  return v.pipe(v.custom<v.InferInput<typeof object>>(isObject, what), object);
}

/** What is wrong with an ASSET.json, as a clause: `"source.prices.pools[1].address" must be …`. */
export function problemOf({ path, message }: v.BaseIssue<unknown>): string {
  const key = JSON.stringify(pathText(path?.map(({ key }) => key) ?? []));
  // A function, since a key may hold what `replace` takes for a pattern.
  return message.includes(KEY) ? message.replace(KEY, () => key) : `${key} ${message}`;
}

/** `source.prices.pools[1].address`. */
export function pathText(keys: readonly unknown[]): string {
  return keys
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .replace(/^\./, "");
}
