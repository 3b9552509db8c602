/** ASSET.json: the asset's parameters and the paths of its input files. Source: docs/building.md#assetjson. */

import { readFile, stat } from "node:fs/promises";
import * as v from "valibot";
import {
  MAX_CHAIN,
  MAX_DECIMALS,
  MAX_NAME,
  MAX_SUPPLY_PATTERN,
  SYMBOL_PATTERN,
  UNSAFE_CHARACTER,
} from "../../data-schema/asset.ts";
import type { Checked } from "../../data-schema/manifest.ts";
import { RESOLUTIONS, type Resolution } from "../../data-schema/resolutions.ts";
import { Failure } from "../failure.ts";
import { parseTime } from "./cells/time.ts";

/** A valid ASSET.json. Paths and globs are as written, relative to its folder. */
export interface AssetFile {
  path: string;
  symbol: string;
  name: string;
  chain: string;
  /** 0x and 40 lower-case hexadecimal digits. */
  contract: string;
  decimals: number;
  /** Whole tokens, as `MAX_SUPPLY_PATTERN` allows. */
  maxSupply: string;
  /** Unix seconds. */
  asOf?: number;
  transfers: string[];
  /** Block times, for transfers without their own. */
  blocks?: string[];
  prices?: string[];
  exchanges?: string[];
  contracts?: string[];
  /** In the order of `RESOLUTIONS`; always includes `day`. */
  resolutions: Resolution[];
  /** What the last fetch compared with the chain, if it did. */
  checked?: Checked;
}

// Requirements of the keys. Each completes the message "<file>: <key> …".

/** One line of text, of at most `most` UTF-16 units. */
const line = (most: number, message: string) =>
  v.pipe(
    v.string(message),
    v.regex(/\S/, message),
    v.maxLength(most, ({ received }) => `must have at most ${most} characters, but has ${received}`),
    v.check(
      (text) => !UNSAFE_CHARACTER.test(text),
      "must not contain line breaks, control characters or direction overrides",
    ),
  );

/** As most systems have it. */
const MAX_PATH = 4096;
const PATHS = "must be a path, a glob or a list of them";
const path = line(MAX_PATH, PATHS);
const paths = v.pipe(
  v.union([path, v.pipe(v.array(path, PATHS), v.minLength(1, PATHS))], PATHS),
  v.transform((input) => (typeof input === "string" ? [input] : input)),
);

const MAX_SUPPLY = 'must be a positive decimal number of whole tokens, for instance "21000000"';
const AS_OF = "must be a time in Unix seconds or ISO 8601, for instance 2024-01-01T00:00:00Z";
const DECIMALS = `must be a whole number from 0 to ${MAX_DECIMALS}`;
const CONTRACT = "must be 0x and 40 hexadecimal digits";
const SYMBOL = "must be 1 to 20 of A–Z, 0–9, “.”, “_”, “-”, and not “.” or “..”";
const TEXT = "must be a non-empty string";
const SOME_RESOLUTIONS = `must list ${RESOLUTIONS.join(", ")}, each at most once, and include day`;

const keys = {
  symbol: v.pipe(v.string(SYMBOL), v.regex(SYMBOL_PATTERN, SYMBOL)),
  name: line(MAX_NAME, TEXT),
  chain: line(MAX_CHAIN, TEXT),
  contract: v.pipe(v.string(CONTRACT), v.regex(/^0x[0-9a-f]{40}$/i, CONTRACT), v.toLowerCase()),
  decimals: v.pipe(
    v.number(DECIMALS),
    v.integer(DECIMALS),
    v.minValue(0, DECIMALS),
    v.maxValue(MAX_DECIMALS, DECIMALS),
  ),
  // JSON numbers are doubles: above 2^53 − 1 the parsed number may differ from the written one.
  maxSupply: v.pipe(
    v.union(
      [v.string(MAX_SUPPLY), v.pipe(v.number(MAX_SUPPLY), v.safeInteger(`${MAX_SUPPLY}, in quotes`))],
      MAX_SUPPLY,
    ),
    v.transform(String),
    v.regex(MAX_SUPPLY_PATTERN, MAX_SUPPLY),
  ),
  asOf: v.optional(
    v.pipe(
      v.union([v.string(AS_OF), v.number(AS_OF)], AS_OF),
      v.transform((input) => parseTime(String(input))),
      v.number(AS_OF),
      v.check((asOf) => asOf <= Date.now() / 1000, "must not be in the future"),
    ),
  ),
  transfers: paths,
  blocks: v.optional(paths),
  prices: v.optional(paths),
  exchanges: v.optional(paths),
  contracts: v.optional(paths),
  resolutions: v.optional(
    v.pipe(
      v.array(v.picklist(RESOLUTIONS, SOME_RESOLUTIONS), SOME_RESOLUTIONS),
      v.check((list: Resolution[]) => list.includes("day") && new Set(list).size === list.length, SOME_RESOLUTIONS),
      v.transform((list) => RESOLUTIONS.filter((resolution) => list.includes(resolution))),
    ),
    [...RESOLUTIONS],
  ),
};

const schema = v.strictObject(keys);

/**
 * Reads and checks an ASSET.json.
 *
 * @param asOf overrides the file's `asOf`, Unix seconds
 * @throws {Failure} names the file as given, the key, and what it must be
 */
export async function readAsset(path: string, asOf?: number): Promise<AssetFile> {
  const source = await readText(path);
  const json = parseJson(path, source);
  if (!isObject(json)) throw new Failure(`${path}: must be a JSON object.`);
  const repeated = repeatedKey(source);
  if (repeated !== undefined) throw new Failure(`${path}: key ${JSON.stringify(repeated)} appears twice; keep one.`);
  const result = v.safeParse(schema, json);
  if (!result.success) throw new Failure(`${path}: ${problem(result.issues[0], json)}.`);
  // Optional keys that are not set stay absent instead of undefined.
  const output = asOf === undefined ? result.output : { ...result.output, asOf };
  const given = Object.entries(output).filter(([, value]) => value !== undefined);
  return { path, ...Object.fromEntries(given) } as AssetFile;
}

/** Far more than an ASSET.json needs: whatever is larger is the wrong file. */
const MAX_BYTES = 1_000_000;

async function readText(path: string): Promise<string> {
  try {
    const found = await stat(path);
    if (found.isCharacterDevice() || found.isBlockDevice() || found.size > MAX_BYTES) {
      throw new Failure(`${path} is a device, or too large for an ASSET.json; pass the path of one.`);
    }
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Failure) throw error;
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const reasons: Record<string, string> = {
      ENOENT: "does not exist",
      EISDIR: "is a folder; pass the ASSET.json in it",
      EACCES: "can't be read by this user; change its permissions",
      ELOOP: "is a symbolic link that leads back to itself; replace it with the file",
      ENAMETOOLONG: "is longer than a path can be; pass the path of an ASSET.json",
    };
    throw new Failure(`${path} ${reasons[String(code)] ?? `can't be read (${String(code)})`}.`);
  }
}

function parseJson(path: string, source: string): unknown {
  try {
    return JSON.parse(source.replace(/^\uFEFF/, ""));
  } catch (error) {
    const reason = error instanceof Error ? error.message.replaceAll(/\s+/g, " ") : String(error);
    throw new Failure(`${path} is not valid JSON: ${reason}.`);
  }
}

/** The first repeated key; JSON.parse would silently take the last one. No value is an object, so all keys are top-level. */
function repeatedKey(source: string): string | undefined {
  const keys = Array.from(source.matchAll(/("(?:[^"\\]|\\.)*")\s*:/g), ([, key]) => JSON.parse(key!) as string);
  return keys.find((key, index) => keys.indexOf(key) < index);
}

function isObject(json: unknown): json is object {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

function problem(issue: v.InferIssue<typeof schema>, json: object): string {
  const key = String(issue.path?.[0]?.key);
  if (!Object.hasOwn(keys, key))
    return `unknown key ${JSON.stringify(key)}; known keys are ${Object.keys(keys).join(", ")}`;
  if (!Object.hasOwn(json, key)) return `key ${JSON.stringify(key)} is missing; add it`;
  return `${JSON.stringify(key)} ${issue.message}`;
}
