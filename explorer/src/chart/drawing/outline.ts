/** The history in the strip below the charts, as the path of an SVG. */

/** Steps along the strip at which the history is drawn. */
export const STEPS = 400;
/** The height of the drawing's own units. */
export const HEIGHT = 100;

/** The thickness of a line on a log scale, in the drawing's own units: there is no zero for an area to begin at. */
const THICKNESS = 6;

/** The highest value of each step, as the path of an area from zero or, on a log scale, of a line. */
export function outline(t: Float64Array, values: Float64Array, isLog: boolean): string {
  const highest = new Float64Array(STEPS).fill(Number.NaN);
  const [from, to] = [t[0]!, t[t.length - 1]!];
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < t.length; row++) {
    const value = isLog ? Math.log(values[row]!) : values[row]!;
    if (!Number.isFinite(value)) continue;
    const step = Math.min(STEPS - 1, Math.floor(((t[row]! - from) / (to - from)) * STEPS));
    if (!(highest[step]! >= value)) highest[step] = value;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  if (!isLog) [least, most] = [Math.min(least, 0), Math.max(most, 0)];
  const points = [...highest.entries()].filter(([, value]) => !Number.isNaN(value));
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return "";
  const place = (value: number) => HEIGHT * (1 - 0.92 * ((value - least) / (most - least || 1)));
  const height = (value: number) => place(value).toFixed(1);
  const line = points.map(([step, value]) => `L${step + 0.5} ${height(value)}`).join("");
  if (!isLog) return `M${first[0] + 0.5} ${height(0)}${line}L${last[0] + 0.5} ${height(0)}Z`;
  const below = points.toReversed().map(([step, value]) => `L${step + 0.5} ${(place(value) + THICKNESS).toFixed(1)}`);
  return `M${line.slice(1)}${below.join("")}Z`;
}
