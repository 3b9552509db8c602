/** What commands get: the process around them, the options that several have, and the parsers of option values. */

import type { Readable, Writable } from "node:stream";

import { type Command, InvalidArgumentError, Option } from "commander";
import { MAX_NAME, parseSymbol, UNSAFE_CHARACTER } from "../../data-schema/asset.ts";
import { DAY_SECONDS } from "../../data-schema/text.ts";
import { bucketFolderOf } from "../build/folder/stage-folder.ts";
import type { RpcHeaders } from "../fetch/chain/rpc/node.ts";
import { parseTime } from "../input/cells/time.ts";
import { isMistyped } from "../lib/checksum-address.ts";
import { Failure, printable } from "../lib/failure.ts";
import type { Environment } from "../store/cloudflare.ts";
import { bucketName } from "../store/open.ts";
import { DEFAULT_PERSIST } from "../store/wrangler.ts";

/** The process around a command, passed in so that a test can run a command without starting a process. */
export interface Io {
  /** Results. */
  stdout: Writable;
  /** Progress and messages. */
  stderr: Writable & { isTTY?: boolean };
  /** Answers, if it is a terminal. */
  stdin?: Readable & { isTTY?: boolean };
  env: Environment;
  /** Resolves when the user stops the program. Until it is called, an interrupt ends the process at once. */
  interrupted(): Promise<unknown>;
}

/** The options that precede the command. */
export interface Globals {
  quiet?: boolean;
  debug?: boolean;
}

export const persistOption = ["--persist <dir>", "state folder of wrangler dev", folder, DEFAULT_PERSIST] as const;

/** Adds the options that name a store; the command's action gets them as a `StorePlace`. */
export function storeOptions(command: Command): Command {
  return command
    .option(...persistOption)
    .addOption(
      new Option(
        "--store <r2://bucket>",
        "use R2 on Cloudflare: needs AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, CLOUDFLARE_ACCOUNT_ID",
      )
        .argParser(storeUrl)
        .conflicts("persist"),
    );
}

/** Adds `--rpc`. Its values may hold keys: nothing repeats one. */
export function rpcOption(command: Command): Command {
  return command.option(
    "--rpc <url>",
    "a JSON-RPC node; several share the work (default: those of SOPRANO_RPC_URL)",
    (url: string, previous: string[] = []) => [...previous, url],
  );
}

/** The URLs of nodes, which may hold keys: those of `--rpc`, else those of the environment. */
export function rpcUrls(given: readonly string[] | undefined, env: Environment): string[] {
  return given ? [...given] : (env.SOPRANO_RPC_URL ?? "").split(/\s+/).filter((url) => url !== "");
}

const HEADERS = 'SOPRANO_RPC_HEADERS must be JSON such as {"rpc.example.com": {"Authorization": "Bearer KEY"}}';

/**
 * The headers that SOPRANO_RPC_HEADERS has for nodes, by host, or host and port.
 *
 * @throws {Failure} it is malformed; repeats nothing of it
 */
export function rpcHeaders(env: Environment): RpcHeaders {
  const text = env.SOPRANO_RPC_HEADERS;
  if (!text?.trim()) return {};
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Failure(`${HEADERS}; it is not JSON.`);
  }
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject(json)) throw new Failure(`${HEADERS}.`);
  const entries = Object.entries(json).map(([host, headers]) => {
    if (!isObject(headers)) throw new Failure(`${HEADERS}; what it has for ${printable(host)} is not an object.`);
    for (const [name, value] of Object.entries(headers)) {
      if (/^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name) && typeof value === "string" && /^[\x20-\x7e]*$/.test(value))
        continue;
      throw new Failure(`${HEADERS}; for ${printable(host)} it has a header that HTTP does not allow.`);
    }
    return [host.toLowerCase(), headers as Record<string, string>] as const;
  });
  return Object.fromEntries(entries);
}

export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) {
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    }
    return value;
  };
}

export function futureTime(text: string): string {
  const seconds = parseTime(text);
  // A bare year parses as Unix seconds, so it is refused as a past time.
  if (seconds === undefined || seconds * 1000 <= Date.now()) {
    throw new InvalidArgumentError("It must be a future time in ISO 8601, such as 2027-01-31 or 2027-01-31T12:00:00Z.");
  }
  return new Date(seconds * 1000).toISOString();
}

/** @returns Unix seconds */
export function pastTime(text: string): number {
  const seconds = parseTime(text);
  if (seconds === undefined || seconds * 1000 > Date.now()) {
    throw new InvalidArgumentError(
      "It must be a past time in Unix seconds or ISO 8601, such as 2026-11-21 or 2026-11-21T12:00:00Z.",
    );
  }
  return seconds;
}

/** @returns the end of a day of UTC, Unix seconds */
export function endOfDay(text: string): number {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // Some days that don't exist count as days of the next month.
  if (Number.isNaN(time) || !new Date(time).toISOString().startsWith(text)) {
    throw new InvalidArgumentError("It must be a day, such as 2025-12-31.");
  }
  return time / 1000 + DAY_SECONDS;
}

/** @returns milliseconds */
export function duration(text: string): number {
  const [, count, unit] = text.match(/^(\d{1,4})([mhd])$/) ?? [];
  if (count === undefined) throw new InvalidArgumentError("It must be minutes, hours or days, such as 30m, 24h or 7d.");
  return Number(count) * { m: 60_000, h: 3_600_000, d: 86_400_000 }[unit as "m" | "h" | "d"];
}

const UNITS = { K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

/** @returns bytes */
export function memorySize(text: string): number {
  const [, count, unit] = text.toUpperCase().match(/^(\d{1,6})([KMGT])I?B?$/) ?? [];
  const bytes = Number(count) * UNITS[unit as keyof typeof UNITS];
  if (count === undefined || bytes < LEAST_MEMORY) {
    throw new InvalidArgumentError("It must be a size of at least 512M, such as 900M or 4G.");
  }
  return bytes;
}

const LEAST_MEMORY = 512 * UNITS.M;

export function label(text: string): string {
  if (!/\S/.test(text) || text.length > MAX_NAME || UNSAFE_CHARACTER.test(text)) {
    throw new InvalidArgumentError(`It must be one line of text, not empty, of at most ${MAX_NAME} characters.`);
  }
  return text;
}

export function storeUrl(text: string): string {
  if (bucketName(text) === undefined) throw new InvalidArgumentError("It must be an R2 bucket, such as r2://soprano.");
  return text;
}

export function folder(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("It must be the path of a folder.");
  return text;
}

/** A folder, or a prefix of a bucket. */
export function sharedFolder(text: string): string {
  if (/^\w+:\/\//.test(text) && !bucketFolderOf(text)) {
    throw new InvalidArgumentError(
      "It must be the path of a folder, or a prefix of an R2 bucket, such as r2://soprano-work/builds.",
    );
  }
  return folder(text);
}

/** @returns lower-case */
export const contractAddress = addressArgument("a contract's address");
/** @returns lower-case */
export const accountAddress = addressArgument("an address");

function addressArgument(what: string): (text: string) => string {
  return (text) => {
    if (!/^0x[0-9a-f]{40}$/i.test(text)) {
      throw new InvalidArgumentError(`It is not ${what}, which is 0x and 40 hexadecimal digits.`);
    }
    if (isMistyped(text)) {
      throw new InvalidArgumentError(
        "Its checksum, the case of its letters, is wrong: a digit is mistyped. Copy it again, or write it in lower case if it is right.",
      );
    }
    return text.toLowerCase();
  };
}

/** A symbol, in upper or lower case. */
export function symbol(text: string): string {
  const symbol = parseSymbol(text);
  if (symbol === undefined) throw new InvalidArgumentError("It must be an asset's symbol, such as ARIA.");
  return symbol;
}

/** Collects the symbols of a variadic argument. */
export function symbols(text: string, previous: readonly string[] = []): string[] {
  return [...previous, symbol(text)];
}

/** Parses some of these names, separated by commas. */
export function listOf<const Name extends string>(names: readonly Name[]): (text: string) => Name[] {
  return (text) =>
    text.split(",").map((given) => {
      const found = names.find((name) => name === given.trim());
      if (found === undefined) throw new InvalidArgumentError(`It must be some of ${names.join(", ")}.`);
      return found;
    });
}

/** A build's id or its first digits. */
export function buildOption(text: string): string {
  const id = text.toLowerCase();
  if (!/^[0-9a-f]{1,16}$/.test(id)) throw new InvalidArgumentError("It must be a build's id or its first digits.");
  return id;
}

/** @throws {Failure} the user does not agree */
export async function confirmed(question: string, io: Io, yes: boolean): Promise<void> {
  // Imported here because it takes a while to load.
  const { asker } = await import("../fetch/init/prompt.ts");
  const { ask, close } = asker({ input: io.stdin, output: io.stderr, yes });
  try {
    const isAccepted = await ask({ text: question, proposal: "yes", option: "--yes", parse: isYes });
    if (!isAccepted) throw new Failure("Nothing was changed.");
  } finally {
    close();
  }
}

const isYes = (answer: string) => /^y(es)?$/i.test(answer);
