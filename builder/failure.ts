/**
 * A failure the user can mend: one clear sentence that says what, where and what to do. The command line prints the
 * message alone and exits with 1.
 */
export class Failure extends Error {
  override name = "Failure";
}
