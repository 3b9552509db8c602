import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { chainName } from "../../../builder/fetch/init/chains.ts";
import { LEFT_OUT_FILE, parseLabels, parseLeftOut } from "../../../builder/fetch/labels/label-file.ts";
import { CONTRADICTED } from "../../../builder/fetch/labels/make/merge.ts";
import {
  readExchanges,
  readShippedLabels,
  SHIPPED_LABELS,
  WITHOUT_LABELS,
} from "../../../builder/fetch/labels/shipped.ts";
import { RULES } from "../../../builder/input/shapes/exchanges/left-out.ts";
import { NAMED_EXCHANGES } from "../../../data-schema/registry/exchanges.ts";

const FOLDER = join(import.meta.dirname, "../../../builder/fetch/labels");
const read = (file: string) => readFileSync(join(FOLDER, file), "utf8");
const SOURCES = ["defillama-adapters", "eth-labels", "etherscan-labels", "spellbook"];
const leftOut = parseLeftOut(LEFT_OUT_FILE, read(LEFT_OUT_FILE));

it("every table belongs to a chain, and every version to another one", () => {
  const tables = [...SHIPPED_LABELS.values()];
  expect(tables.map(({ chain }) => `${chain}.csv`).sort()).toEqual(readdirSync(join(FOLDER, "exchanges")).sort());
  expect(new Set(tables.map(({ version }) => version)).size).toBe(tables.length);
});

it("there are labels of eight chains", () => {
  expect([...SHIPPED_LABELS.keys()]).toEqual([1, 10, 56, 137, 250, 8453, 42161, 43114]);
});

describe.each([...SHIPPED_LABELS])("chain %i", (chainId, { chain, version, sha256 }) => {
  const text = read(`exchanges/${chain}.csv`);
  const rows = parseLabels(chain, text);

  it("is the version that it says, and named as init names it", async () => {
    // Other labels need another version: assets keep those that they began with.
    expect(createHash("sha256").update(text).digest("hex")).toBe(sha256);
    expect(await readShippedLabels(chainId)).toEqual({ version, csv: text });
    expect(version).toMatch(new RegExp(`^${chain}-\\d{4}-\\d{2}-\\d{2}$`));
    expect(chain).toBe(chainName(chainId));
  });

  it("has an exchange, a name and dated sources in each row", () => {
    for (const { label, name, sources } of rows) {
      expect(label).toMatch(/^[a-z0-9][a-z0-9._]*$/);
      expect(name).toMatch(/^\S.*\S$/);
      const names = sources.map(({ source }) => source);
      expect(names).toEqual([...new Set(names)].sort());
      expect(SOURCES).toEqual(expect.arrayContaining(names));
      expect(sources.map(({ date }) => Date.parse(date))).not.toContain(Number.NaN);
    }
  });

  it("has each address once, in order, and never the zero address", () => {
    const addresses = rows.map(({ address }) => address);
    expect(addresses).toEqual([...new Set(addresses)].sort());
    expect(addresses).not.toContain(`0x${"0".repeat(40)}`);
  });

  it("has no names of sums, and none that misses its series by its spelling", () => {
    const bare = (name: string) => name.replaceAll(/\W|_|io$|com$|net$/g, "");
    const named = new Set<string>(NAMED_EXCHANGES);
    const others = [...new Set(rows.map(({ label }) => label))].filter((name) => !named.has(name));
    const near = NAMED_EXCHANGES.map(bare);
    expect(others.filter((name) => ["all", "total", "other", ...near].includes(bare(name)))).toEqual([]);
  });

  it("has nothing that is left out", () => {
    const shipped = new Set(rows.map(({ address }) => address));
    expect(leftOut.filter((row) => row.chain === chain && shipped.has(row.address))).toEqual([]);
  });
});

it("an address has the same exchange on every chain", async () => {
  const said = new Map<string, Set<string>>();
  for (const rows of (await readExchanges()).values()) {
    for (const { address, label } of rows) said.set(address, (said.get(address) ?? new Set()).add(label));
  }
  expect([...said].filter(([, labels]) => labels.size > 1)).toEqual([]);
});

it("what is left out is listed by chain and address, each with a reason that the documentation explains", () => {
  const places = leftOut.map(({ chain, address }) => `${chain} ${address}`);
  expect(places).toEqual([...new Set(places)].sort());
  const reasons = new Set([...RULES.map(({ why }) => why), CONTRADICTED]);
  expect(leftOut.filter(({ why }) => !reasons.has(why))).toEqual([]);
  const docs = readFileSync(join(FOLDER, "../../../docs/labels.md"), "utf8");
  expect([...reasons].filter((why) => !docs.includes(`\`${why}\``))).toEqual([]);
});

it("a chain without labels has a table without rows", async () => {
  const csv = "address,exchange,name,source,date\n";
  expect(await readShippedLabels(31_337)).toEqual({ version: WITHOUT_LABELS, csv });
});
