/** What operators get to see. Never a URL, which holds a key. */

/** Logs a failure of ours as one line: its kind, then its causes from the outermost in. */
export function logFailure(kind: string, failure: unknown): void {
  console.error([kind, ...causes(failure)].join(": ").replaceAll(/\s+/g, " "));
}

function causes(failure: unknown): string[] {
  if (failure instanceof Error) return [failure.message, ...causes(failure.cause)];
  return failure === undefined ? [] : [String(failure)];
}
