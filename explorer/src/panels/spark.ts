/** Small lines in the cells of a table. */

import { sparkline } from "../data/sparkline.ts";

const SIZE = { width: 84, height: 22 };
const SVG = "http://www.w3.org/2000/svg";

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
