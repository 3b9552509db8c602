/** The text of the page `/methodology`. */

import { expect, it } from "vitest";
import { METRICS } from "../../data-schema/registry/metrics.ts";
import { methodology } from "../../explorer/methodology.ts";

const { contents, text } = methodology();
const found = (html: string, pattern: RegExp) => Array.from(html.matchAll(pattern), ([, value]) => value!);
const ids = found(text, /\sid="([^"]+)"/g);

it("has one anchor for each metric", () => {
  expect(METRICS.map(({ name }) => name).filter((name) => !ids.includes(name))).toEqual([]);
  expect(ids).toHaveLength(new Set(ids).size);
});

it("links only to what Soprano serves", () => {
  const links = [...found(contents, /href="([^"]+)"/g), ...found(text, /href="([^"]+)"/g)];
  const others = links.filter((link) => !(link.startsWith("#") && ids.includes(link.slice(1))));
  expect(new Set(others.filter((link) => !link.startsWith("/?y=")))).toEqual(new Set(["/docs"]));
  expect(links.length - others.length).toBeGreaterThan(30);
});

it("marks the variables of formulas, and nothing else", () => {
  const row = text.match(/<tr id="realised_loss">.*/)![0];
  expect(row).toContain("Σ <var>x</var>·(<var>a</var> − <var>P</var>) over transfers in loss, a positive number");
  expect(new Set(found(text, /<var>(.*?)<\/var>/g))).toEqual(new Set(["x", "P", "a", "n", "q", "h", "t", "D"]));
});
