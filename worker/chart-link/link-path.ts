/** The path and query of a chart in the explorer. */

/** @param pairs the parameters; those without a value are left out */
export function linkPath(pairs: readonly (readonly [name: string, value: string | null | undefined])[]): string {
  const given = pairs.filter((pair): pair is [string, string] => (pair[1] ?? null) !== null);
  return given.length === 0 ? "/" : `/?${new URLSearchParams(given)}`;
}
