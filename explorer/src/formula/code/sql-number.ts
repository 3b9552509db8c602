/** A number as DuckDB's DOUBLE: without an exponent it would be a DECIMAL. */
export function decimal(value: number): string {
  const text = String(value);
  return text.includes("e") ? text : `${text}e0`;
}
