/** The tables of kinds of contracts that ship: their form, and their versions. */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  formatKinds,
  inKindOrder,
  type KindRow,
  readKinds,
  SHIPPED_KINDS,
  shippedKinds,
  WITHOUT_KINDS,
} from "../../../builder/input/labels/shipped-kinds.ts";
import { CONTRACT_KINDS, KIND_NAMES } from "../../../data-schema/registry/contract-kinds.ts";
import { scratchFolder } from "../../folders.ts";

const ROOT = join(import.meta.dirname, "../../..");
const FOLDER = join(ROOT, "builder/input/labels/kinds");
const DOCS = readFileSync(join(ROOT, "docs/contract-kinds.md"), "utf8");

it("every table belongs to a chain, and every version to another one", () => {
  const files = [...SHIPPED_KINDS.map(({ chain }) => `${chain}.csv`), `${WITHOUT_KINDS}.csv`];
  expect(files.sort()).toEqual(readdirSync(FOLDER).filter((name) => name.endsWith(".csv")));
  for (const key of ["chain", "chainId", "version"] as const) {
    expect(new Set(SHIPPED_KINDS.map((shipped) => shipped[key])).size).toBe(8);
  }
});

it("a chain that no table ships for has one without rows", async () => {
  for (const chain of ["solana", 100, "none"]) {
    const { version, name, path } = shippedKinds(chain);
    expect({ version, name }).toEqual({ version: "none", name: "shipped/none.csv" });
    expect(await readKinds(path)).toEqual([]);
  }
});

describe.each(SHIPPED_KINDS)("$chain", ({ chain, chainId, version, sha256 }) => {
  const { path } = shippedKinds(chain);
  const text = readFileSync(path, "utf8");

  it("is the version that it says", () => {
    // Another table needs another version: assets keep the one that they began with.
    expect(createHash("sha256").update(text).digest("hex")).toBe(sha256);
    expect(shippedKinds(chainId)).toEqual({ version, name: `shipped/${chain}.csv`, path });
    expect(version).toMatch(new RegExp(`^${chain}-\\d{4}-\\d{2}$`));
  });

  it("has an address, kind, name, source and date in each row, ascending, each address once", async () => {
    const rows = await readKinds(path);
    for (const row of rows) {
      expect(row.name).toMatch(/^[^",\n]+$/);
      expect(row.source).toMatch(
        /^(aave-address-book|blockchain-addressbook)@\d+\.\d+\.\d+$|^etherscan-labels:[a-z-]+$/,
      );
      expect(row.date).toMatch(/^20\d\d-\d\d-\d\d$/);
    }
    const addresses = rows.map(({ address }) => address);
    expect(addresses).toEqual([...new Set(addresses)].sort());
    expect(addresses).not.toContain(`0x${"0".repeat(40)}`);
    expect(formatKinds(rows)).toBe(text);
  });

  it("is counted in the docs, kind by kind", async () => {
    const rows = await readKinds(path);
    const counts = KIND_NAMES.map((kind) => rows.filter((row) => row.kind === kind).length);
    const cells = [...counts, rows.length].map((count) => count.toLocaleString("en-US"));
    expect(DOCS).toMatch(new RegExp(`\\(\`${chain}\`\\) \\| ${cells.join(" \\| ")} \\|`));
  });
});

it("the docs say what each kind is", () => {
  for (const [kind, what] of Object.entries(CONTRACT_KINDS)) expect(DOCS).toContain(`| \`@${kind}\` | ${what} |`);
});

it("a damaged table is refused, by row", async () => {
  const path = join(scratchFolder(), "kinds.csv");
  const { writeFile } = await import("node:fs/promises");
  const row: KindRow = { address: `0x${"a1".repeat(20)}`, kind: "dex", name: "A", source: "s", date: "2026-01-01" };
  const good = formatKinds([row]);
  await writeFile(path, good);
  expect(await readKinds(path)).toEqual([row]);
  for (const [text, problem] of [
    [good.replace("kind", "kinds"), `${path} is no table of kinds: its header is not address,kind,name,source,date.`],
    [good.replace("dex", "shop"), `${path}, row 2: is no row of a table of kinds; restore the file.`],
    [good.replace(",2026-01-01", ""), `${path}, row 2: is no row of a table of kinds; restore the file.`],
  ] as const) {
    await writeFile(path, text);
    await expect(readKinds(path)).rejects.toThrow(problem);
  }
  expect([{ ...row, kind: "lending" as const }, row].sort(inKindOrder).map(({ kind }) => kind)).toEqual([
    "dex",
    "lending",
  ]);
});
