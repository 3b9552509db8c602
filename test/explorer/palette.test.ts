import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const css = readFileSync(new URL("../../explorer/src/style/palette.css", import.meta.url), "utf8");
const declared = new Map([...css.matchAll(/ {2}(--[\w-]+): ([^;]+);/g)].map(([, name, value]) => [name!, value!]));

/** `#rrggbb` of a property in the light (0) or the dark (1) theme. */
function colour(value: string, theme: 0 | 1): string {
  const [, name] = /^var\((--[\w-]+)\)$/.exec(value) ?? [];
  if (name !== undefined) return colour(declared.get(name)!, theme);
  const [, ...both] = /^light-dark\((.+), (.+)\)$/.exec(value) ?? [];
  return both.length > 0 ? colour(both[theme]!, theme) : value;
}

/** Source: WCAG 2.2, relative luminance. */
function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light! + 0.05) / (dark! + 0.05);
}

const lines = [...declared.keys()].filter((name) => /^--(series|price|line-)/.test(name));

it("has a colour for every line", () => {
  expect(contrast("#ffffff", "#000000")).toBeCloseTo(21, 9);
  const parts = [...declared.keys()].filter((name) => /^--(ramp|hue|beside|rest)/.test(name));
  expect(lines).toEqual(expect.arrayContaining(parts.map((name) => name.replace("--", "--line-"))));
});

it.each(lines)("%s stands out from the background, in both themes", (name) => {
  for (const theme of [0, 1] as const) {
    const [own, surface] = [name, "--surface"].map((one) => colour(declared.get(one)!, theme));
    expect(contrast(own!, surface!)).toBeGreaterThanOrEqual(3);
  }
});
