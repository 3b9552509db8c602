/** What the lists that ship with Soprano say of an address. Source: docs/labels.md#check-an-address. */

import { readFile } from "node:fs/promises";
import { readKinds, shippedKinds } from "../../input/labels/shipped-kinds.ts";
import { Failure } from "../../lib/failure.ts";
import { type LabelRow, LEFT_OUT_FILE, parseLeftOut } from "./label-file.ts";
import { readExchangesOf, SHIPPED_LABELS } from "./shipped.ts";

interface ShippedList {
  /** What it says of an address. */
  what: string;
  /** @throws {Failure} the list is damaged */
  rowsOf(chain: string): Promise<LabelRow[]>;
}

/** The lists that an address is looked up in. */
const LISTS: readonly ShippedList[] = [
  { what: "exchange", rowsOf: readExchangesOf },
  { what: "kind", rowsOf: kindsOf },
];

async function kindsOf(chain: string): Promise<LabelRow[]> {
  const rows = await readKinds(shippedKinds(chain).path);
  return rows.map(({ address, kind, name, source, date }) => ({
    ...{ address, label: kind, name },
    sources: [{ source, date }],
  }));
}

/** Chains by their ids. */
const CHAINS: ReadonlyMap<number, string> = new Map(
  [...SHIPPED_LABELS].map(([id, { chain }]): [number, string] => [id, chain]),
);

/**
 * The chains that are meant.
 *
 * @param given a chain's name or id; undefined means all
 * @throws {Failure} nothing ships for that chain
 */
export function chainsMeant(given: string | undefined): string[] {
  if (given === undefined) return [...CHAINS.values()];
  const found = [...CHAINS].find(([id, chain]) => given === String(id) || given.toLowerCase() === chain);
  if (found) return [found[1]];
  const known = [...CHAINS].map(([id, chain]) => `${chain} (${id})`).join(", ");
  throw new Failure(`No labels ship for the chain “${given}”. There are some for ${known}.`);
}

/**
 * What is known of an address, a line for each finding: `ethereum: exchange binance, “Binance 14” (etherscan-labels, 2023-10-02)`.
 *
 * @param address lower-case
 * @throws {Failure} a list is damaged
 */
export async function knownOf(address: string, chains: readonly string[]): Promise<string[]> {
  const leftOut = parseLeftOut(LEFT_OUT_FILE, await readFile(new URL(LEFT_OUT_FILE, import.meta.url), "utf8"));
  const lines: string[] = [];
  for (const chain of chains) {
    for (const { what, rowsOf } of LISTS) {
      const own = (await rowsOf(chain)).filter((row) => row.address === address);
      lines.push(...own.map((row) => `${chain}: ${what} ${rowText(row)}`));
    }
    for (const { why, said } of leftOut.filter((row) => row.chain === chain && row.address === address)) {
      lines.push(`${chain}: left out of the exchanges (${why}): ${said}`);
    }
  }
  return lines;
}

const rowText = ({ label, name, sources }: LabelRow) =>
  `${label}, “${name}” (${sources.map(({ source, date }) => `${source}, ${date}`).join("; ")})`;
