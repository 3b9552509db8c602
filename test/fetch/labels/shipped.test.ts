import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readShippedLabels, SHIPPED_LABELS, WITHOUT_LABELS } from "../../../builder/fetch/labels/shipped.ts";
import { NAMED_EXCHANGES } from "../../../data-schema/registry/exchanges.ts";

const FOLDER = join(import.meta.dirname, "../../../builder/fetch/labels");
const README = readFileSync(join(FOLDER, "README.md"), "utf8");
const SOURCES = ["spellbook", "etherscan-labels", "eth-labels"];

it("every table belongs to a chain, and every version to another one", () => {
  const tables = [...SHIPPED_LABELS.values()];
  expect(tables.map(({ file }) => file).sort()).toEqual(readdirSync(FOLDER).filter((name) => name.endsWith(".csv")));
  expect(new Set(tables.map(({ version }) => version)).size).toBe(tables.length);
});

describe.each([...SHIPPED_LABELS])("chain %i", (chainId, { file, version, sha256 }) => {
  const text = readFileSync(join(FOLDER, file), "utf8");
  const [header, ...rows] = text
    .trimEnd()
    .split("\n")
    .map((row) => row.split(","));

  it("is the version that it says", async () => {
    // Other labels need another version: assets keep those that they began with.
    expect(createHash("sha256").update(text).digest("hex")).toBe(sha256);
    expect(await readShippedLabels(chainId)).toEqual({ version, csv: text });
    expect(version).toMatch(/^[a-z-]+-\d{4}-\d{2}$/);
  });

  it("has an address, an exchange and its sources in each row", () => {
    expect(header).toEqual(["address", "exchange", "source"]);
    for (const row of rows) {
      expect(row).toEqual([
        expect.stringMatching(/^0x[0-9a-f]{40}$/),
        expect.stringMatching(/^[a-z0-9][a-z0-9._]*$/),
        expect.stringMatching(new RegExp(`^(${SOURCES.join("|")})(\\+(${SOURCES.join("|")}))*$`)),
      ]);
    }
  });

  it("has each address once, in order, and never the zero address", () => {
    const addresses = rows.map(([address]) => address!);
    expect(addresses).toEqual([...new Set(addresses)].sort());
    expect(addresses).not.toContain(`0x${"0".repeat(40)}`);
  });

  it("has no names of sums, and none that misses its series by its spelling", () => {
    const bare = (name: string) => name.replaceAll(/\W|_|io$|com$|net$/g, "");
    const named = new Set<string>(NAMED_EXCHANGES);
    const others = [...new Set(rows.map(([, exchange]) => exchange!))].filter((name) => !named.has(name));
    const near = NAMED_EXCHANGES.map(bare);
    expect(others.filter((name) => ["all", "total", ...near].includes(bare(name)))).toEqual([]);
  });

  it("is described as it is", () => {
    const exchanges = new Set(rows.map(([, exchange]) => exchange!));
    const named = rows.filter(([, exchange]) => (NAMED_EXCHANGES as readonly string[]).includes(exchange!));
    const count = new Set(named.map(([, exchange]) => exchange)).size;
    const cells = `| \`${file}\` | \`${version}\` | ${rows.length} | ${exchanges.size}; ${count} of the ${NAMED_EXCHANGES.length} with a series of their own have ${named.length} of the addresses |`;
    expect(README).toContain(cells);
    const missing = NAMED_EXCHANGES.filter((name) => !exchanges.has(name));
    expect(README).toContain(`No address of ${missing.slice(0, -1).join(", ")} and ${missing.at(-1)}.`);
  });
});

it("a chain without labels has a table without rows", async () => {
  expect(await readShippedLabels(31_337)).toEqual({ version: WITHOUT_LABELS, csv: "address,exchange,source\n" });
});
