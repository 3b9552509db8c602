import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { withCounts } from "../../../../builder/fetch/labels/make/counts.ts";
import { readExchanges } from "../../../../builder/fetch/labels/shipped.ts";

const page = readFileSync(join(import.meta.dirname, "../../../../docs/labels.md"), "utf8");

it("docs/labels.md has the counts of the files that ship", async () => {
  expect(withCounts(page, await readExchanges())).toBe(page);
});

it("counts addresses by chain and exchange", () => {
  const row = (digit: string, label: string) => ({ address: `0x${digit.repeat(40)}`, label, name: label, sources: [] });
  const some = new Map([
    ["base", [row("a", "okx"), row("b", "okx"), row("c", "kraken"), row("d", "luno"), row("e", "nbx")]],
  ]);
  const counted = withCounts(page, some);
  expect(counted).toContain("| base (8453) | `base-2026-11-27` | 5 | 4 | 3 | 2 |\n");
  expect(counted).toContain("| fantom (250) | `fantom-2026-11-27` | 0 | 0 | 0 | 0 |\n");
  expect(counted).toContain("| `okx` |  |  |  |  |  | 2 |  |  |\n");
  expect(counted).toContain("| `other` |  |  |  |  |  | 2 |  |  |\n");
});

it("refuses a page without the marks", () => {
  expect(() => withCounts("# Labels\n", new Map())).toThrow(/^docs\/labels\.md lacks the lines <!-- counts/);
});
