/** Small lines without axes, in a cell of a table. */

const SIZE = { width: 84, height: 22 };
const SVG = "http://www.w3.org/2000/svg";

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

/** @returns a dash for fewer than two points */
export function sparkElement(values: readonly (number | null)[], label: string): Element | string {
  const d = sparkline(values, SIZE.width, SIZE.height);
  if (d === "") return "–";
  const svg = document.createElementNS(SVG, "svg");
  for (const [name, value] of Object.entries({
    viewBox: `-1 -1 ${SIZE.width + 2} ${SIZE.height + 2}`,
    width: SIZE.width,
    height: SIZE.height,
    role: "img",
    "aria-label": label,
  })) {
    svg.setAttribute(name, String(value));
  }
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", d);
  svg.append(path);
  return svg;
}
