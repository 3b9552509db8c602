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

/** An error for the user: a failure's message, or the first line of an unexpected error. */
export function sentenceOf(error: unknown): string {
  if (error instanceof Failure) return error.message;
  const message = error instanceof Error ? error.message : String(error);
  return `${message.split("\n")[0]} (run again with --debug for more)`;
}

/** Why a build can't resume from the checkpoint of the one before. A result, not an error: a full build follows. */
export interface CannotResume {
  cannotResume: string;
}
