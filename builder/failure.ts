/**
 * A failure the user can mend: one clear sentence that says what, where and what to do. The command line prints the
 * message alone and exits with 1.
 */
export class Failure extends Error {
  override name = "Failure";
}

/** A failure of the store itself: whatever is built next would fail alike. */
export class StoreFailure extends Failure {
  override name = "StoreFailure";
}

/** What the user is told of an error: a failure's sentence, or the first line of what nobody expected. */
export function sentenceOf(error: unknown): string {
  if (error instanceof Failure) return error.message;
  const message = error instanceof Error ? error.message : String(error);
  return `${message.split("\n")[0]} (run again with --debug for more)`;
}

/** Why a build can't resume from the checkpoint of the one before. A result, not an error: a full build follows. */
export interface CannotResume {
  cannotResume: string;
}
