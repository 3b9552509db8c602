/** What operators get to see. Never a URL, which holds a key. */

/** Logs a failure of ours as one line: its kind, then its causes from the outermost in. */
export function logFailure(kind: string, failure: unknown): void {
  console.error([kind, ...causes(failure)].join(": "));
}

function causes(failure: unknown): string[] {
  return failure instanceof Error ? [failure.message, ...causes(failure.cause)] : [];
}
