import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const css = readFileSync(new URL("../../explorer/src/style/palette.css", import.meta.url), "utf8");
const declared = new Map([...css.matchAll(/ {2}(--[\w-]+): ([^;]+);/g)].map(([, name, value]) => [name!, value!]));

/** `#rrggbb` of a property in the light (0) or the dark (1) theme. */
function colour(value: string, theme: 0 | 1): string {
  const [, name] = /^var\((--[\w-]+)\)$/.exec(value) ?? [];
  if (name !== undefined) return colour(declared.get(name)!, theme);
  const [, ...both] = /^light-dark\((.+), (.+)\)$/.exec(value) ?? [];
  return both.length > 0 ? colour(both[theme]!, theme) : value;
}

type Triple = [number, number, number];

/** Red, green and blue as amounts of light, from 0 to 1. */
const lightOf = (hex: string) =>
  [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as Triple;

/** Source: WCAG 2.2, relative luminance. */
function luminance(hex: string): number {
  const [r, g, b] = lightOf(hex);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

const times = (matrix: readonly Triple[], [x, y, z]: Triple) =>
  matrix.map(([a, b, c]) => a * x + b * y + c * z) as Triple;

/**
 * What light becomes for people without cones for long, medium and short waves.
 * Source: Machado, Oliveira and Fernandes, A Physiologically-based Model for Simulation of Color Vision Deficiency (2009),
 * severity 1.
 */
const VISIONS: Record<string, Triple[]> = {
  full: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** How different two colours look, in hundredths. Source: Ottosson, A perceptual color space for image processing (2020). */
function difference(a: string, b: string, vision: string): number {
  const [p, q] = [a, b].map((hex) => {
    const seen = times(VISIONS[vision]!, lightOf(hex)).map((part) => Math.min(1, Math.max(0, part))) as Triple;
    const cones = times(
      [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
      ],
      seen,
    ).map(Math.cbrt) as Triple;
    return times(
      [
        [0.2104542553, 0.793617785, -0.0040720468],
        [1.9779984951, -2.428592205, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.808675766],
      ],
      cones,
    );
  });
  return 100 * Math.hypot(...p!.map((part, i) => part - q![i]!));
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

it("measures differences of colours", () => {
  expect(difference("#ffffff", "#000000", "full")).toBeCloseTo(100, 3);
  // Red and green of the same lightness, which look alike to those who lack the cones between them.
  expect(difference("#b4713d", "#7f8a3d", "full")).toBeGreaterThan(10);
  expect(difference("#b4713d", "#7f8a3d", "deuteranopia")).toBeLessThan(4);
});

/** The least difference of two lines, which is more than what two teals beside each other had. */
const LEAST: Record<string, number> = { full: 11, protanopia: 7, deuteranopia: 7, tritanopia: 7 };

describe.each(["series", "line-ramp", "line-hue", "line-beside"])("two lines of --%s", (kind) => {
  const names = lines.filter((name) => name.startsWith(`--${kind}-`));

  it.each(Object.keys(VISIONS))("can be told apart with %s, in both themes", (vision) => {
    expect(names.length).toBeGreaterThan(2);
    for (const theme of [0, 1] as const) {
      const colours = names.map((name) => colour(declared.get(name)!, theme));
      const alike = colours.flatMap((a, i) =>
        colours.slice(0, i).flatMap((b) => (difference(a, b, vision) < LEAST[vision]! ? `${a} and ${b}` : [])),
      );
      expect(alike).toEqual([]);
    }
  });
});

it("parts in order are lighter first, as lines, too", () => {
  const names = lines.filter((name) => name.startsWith("--line-ramp-"));
  for (const theme of [0, 1] as const) {
    // What differs from black least is darkest.
    const lightness = names.map((name) => difference(colour(declared.get(name)!, theme), "#000000", "full"));
    expect(lightness[0]).toBeGreaterThan(lightness.at(-1)!);
  }
});
