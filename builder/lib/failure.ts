import { UNSAFE_CHARACTER } from "../../data-schema/asset.ts";

/**
 * A failure that the user can fix. The message says what is wrong, where, and what to do; the command line prints it
 * without a stack trace and exits with 1.
 */
export class Failure extends Error {
  override name = "Failure";
}

/** A failure of the store itself: the next build would fail, too. */
export class StoreFailure extends Failure {
  override name = "StoreFailure";
}

/** A file can't be written on this machine: another may have room. */
export class DiskFailure extends Failure {
  override name = "DiskFailure";
}

/** The input is wrong: trying again is useless. */
export class InputFailure extends Failure {
  override name = "InputFailure";
}

/** Runs a step that fails if the input is wrong. @throws {InputFailure} in place of a failure that is not a store's or a disk's */
export async function readingInput<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    const hasKind = [StoreFailure, DiskFailure, InputFailure].some((kind) => error instanceof kind);
    throw error instanceof Failure && !hasKind ? new InputFailure(error.message, { cause: error }) : error;
  }
}

/** An error for the user: a failure's message, or the first line of an unexpected error. */
export function sentenceOf(error: unknown): string {
  if (error instanceof Failure) return printable(error.message);
  if (isLackOfMemory(error)) return LACK_OF_MEMORY;
  const message = error instanceof Error ? error.message : String(error);
  return printable(`${message.split("\n")[0]} (run again with --debug for more)`);
}

/** WebAssembly reserves address space far beyond what it uses, so a limit is reached long before memory is. */
const LACK_OF_MEMORY =
  "There is not enough memory: end other programs, and lift limits such as that of `ulimit -v`, which counts what is " +
  "reserved and not only what is used.";

/** Whether an error, or one that caused it, says so. */
function isLackOfMemory(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /Cannot allocate Wasm memory|buffer allocation failed/i.test(error.message) || isLackOfMemory(error.cause);
}

const LONG_WORD = /\S{201,}/g;
const SHOWN_AT_EACH_END = 80;
/** Unsafe, or without a width of its own, so that it hides in a word; selectors of variants are parts of emoji. */
const ESCAPED = new RegExp(
  `(?!\n)${UNSAFE_CHARACTER.source}|(?!\\p{Variation_Selector})\\p{Default_Ignorable_Code_Point}`,
  "gu",
);

/** A message repeats paths and names that others wrote: long ones lose their middle, and unsafe and invisible characters are escaped. */
export function printable(message: string): string {
  return message
    .replace(LONG_WORD, (word) => `${word.slice(0, SHOWN_AT_EACH_END)}…${word.slice(-SHOWN_AT_EACH_END)}`)
    .replace(ESCAPED, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** A build can't resume from the checkpoint of the one before. The message is the reason, a clause; a full build follows. */
export class CannotResume extends Error {
  override name = "CannotResume";
}

/** For whoever goes on without the last build. @throws any other error */
export function unresumable(error: unknown): CannotResume {
  if (error instanceof CannotResume) return error;
  throw error;
}

const WRITE_PROBLEMS: Record<string, string> = {
  ENOSPC: "the disk is full: make room",
  EDQUOT: "the quota of the disk is used up: make room",
  EROFS: "the disk is read-only: use another",
  EACCES: "this user may not write there: change the permissions of its folder",
  EPERM: "this user may not write there: change the permissions of its folder",
  EFBIG: "the file would be larger than this system allows: use another disk",
};

/** Why a file can't be written, as part of a sentence; undefined if the error is not the system's. */
export function writeProblem(error: unknown): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code !== "string" || error instanceof Failure) return undefined;
  return WRITE_PROBLEMS[code] ?? `${code}: check the disk`;
}

/** Writes a file. @throws {DiskFailure} a sentence instead of the system's error */
export async function writing<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const problem = writeProblem(error);
    throw problem === undefined ? error : new DiskFailure(`${path} can't be written; ${problem}, then try again.`);
  }
}
