/** docs/embedding.md shows the code that the explorer writes. */

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parseAddress } from "../../explorer/src/state/address.ts";
import { chartTitle } from "../../explorer/src/state/chart-title.ts";
import { embedCode } from "../../explorer/src/state/embed-code.ts";
import { tracesOf } from "../../explorer/src/state/traces.ts";
import { catalog } from "../explorer/catalog.ts";

const page = readFileSync(new URL("../../docs/embedding.md", import.meta.url), "utf8");

it("the example is what Share writes for that chart", () => {
  const { chart, notes } = parseAddress("?a=ARIA&y=sopr:users&range=1y", catalog, []);
  expect(notes).toEqual([]);
  const code = embedCode(chart, `ARIA: ${chartTitle(chart, tracesOf(chart, catalog))}`, "https://soprano.example");
  expect(page.split("```html\n")[1]?.split("\n")[0]).toBe(code);
});

it("a formula stays text in the code", () => {
  const { chart } = parseAddress(`?a=ARIA&y=${encodeURIComponent('=price "><script>alert(1)</script>')}`, catalog, []);
  const code = embedCode(chart, '"><script>', "https://soprano.example");
  expect(code).not.toContain("<script");
  expect(code.match(/"/g)).toHaveLength(12);
});
