/** A value as a query string has it, with `$` and `:` as they are: they may stand there, and links can be read. */
export function queryValue(text: string): string {
  return encodeURIComponent(text).replaceAll("%3A", ":").replaceAll("%24", "$");
}
