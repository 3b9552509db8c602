/** Amounts as people read them. */

/** `1,234`. */
export function count(value: number): string {
  return value.toLocaleString("en-US");
}

/** A number with what it counts: `1 build`, `2 builds`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** Millions of bytes, without the unit: `1.2`. */
export function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
