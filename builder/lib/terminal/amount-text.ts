/** Amounts in messages. */

/** `1,234`. */
export function count(value: number): string {
  return value.toLocaleString("en-US");
}

/** `1 build`, `2 builds`, `2 addresses`. */
export function counted(value: number, noun: string): string {
  const plural = noun.endsWith("s") ? "es" : "s";
  return `${count(value)} ${noun}${value === 1 ? "" : plural}`;
}

/** A raw amount in whole tokens, exactly: a decimal without an exponent, and without zeros at its end. */
export function decimalText(raw: bigint, decimals: number): string {
  const digits = String(raw).padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  return `${digits.slice(0, point)}.${digits.slice(point)}`.replace(/\.?0*$/, "");
}

/** Megabytes, without the unit: `1.2`. */
export function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

/** A share: `12.3 %`. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
