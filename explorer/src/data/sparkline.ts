/** Small lines without axes. */

/** The points of a sparkline within a box, as a path; empty without two values. */
export function sparkline(values: readonly (number | null)[], width: number, height: number): string {
  const known = values.filter((value) => value !== null);
  if (known.length < 2) return "";
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const scale = most > least ? height / (most - least) : 0;
  let path = "";
  for (const [i, value] of values.entries()) {
    if (value === null) continue;
    const x = (i * width) / (values.length - 1);
    const y = scale === 0 ? height / 2 : height - (value - least) * scale;
    // After a time without a value, the line begins anew.
    const isStart = values[i - 1] === null || values[i - 1] === undefined;
    path += `${isStart ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`;
  }
  return path;
}
