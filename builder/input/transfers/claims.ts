/**
 * What was given out for snapshots: new tokens of holders of old ones, up to what each had in the snapshot. It is looked for over
 * the whole history, since what an address has been given before decides what a later transfer is. Source: docs/migrations.md#snapshots.
 */

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ZERO_ADDRESS } from "../../../data-schema/asset.ts";
import { type History, toBigInt } from "../../engine/history.ts";
import { Failure } from "../../lib/failure.ts";
import { counted, decimalText } from "../../lib/terminal/amount-text.ts";
import { ADDRESS_BYTES } from "../../lib/widths.ts";
import type { AssetFile } from "../asset/asset.ts";
import { type Predecessor, unitFactors } from "../asset/predecessors.ts";
import { ADDRESS, readCell, rowPlace, VALUE } from "../cells/rules.ts";
import { withDatabase } from "../duckdb/database.ts";
import { openInputTable, textRows } from "../duckdb/input-table.ts";
import type { RowCounts } from "./columns/transfer-columns.ts";
import { readShare } from "./read-share.ts";
import { planShares, type ShareOutOptions } from "./share-out.ts";
import type { Files, HistoryFile, Reading, Settlement } from "./shares/share.ts";
import { logName } from "./transaction-hashes.ts";

type Asset = Pick<AssetFile, "contract" | "source" | "asOf" | "decimals" | "ownDecimals" | "predecessors">;

/** Raw amounts by address, `0x…`. */
type Balances = Map<string, bigint>;

interface Found extends Pick<Reading, "claims" | "settlements" | "unclaimed" | "reopened"> {
  /** Rows of the files of balances, by position in the survey's `history`. */
  rows: Map<number, RowCounts>;
}

/** What claims are looked for by. */
interface Search {
  asset: Asset;
  files: Files;
  options: ShareOutOptions;
  /** Merged raw units for one of each contract, as of `unitFactors`. */
  factors: readonly bigint[];
  /** What takes and gives tokens, and is no holder. */
  nobody: ReadonlySet<string>;
  /** What a reading has as `claims`, of all blocks. */
  claims: Map<string, bigint>;
}

/** @throws {Failure} as `planShares` and `readShare`; or balances are invalid */
export async function findClaims(asset: Asset, files: Files, options: ShareOutOptions): Promise<Found> {
  const { predecessors = [], asOf = Number.POSITIVE_INFINITY } = asset;
  const nobody = new Set([ZERO_ADDRESS, ...predecessors.flatMap(({ swap = [], from = [] }) => [...swap, ...from])]);
  const claims = new Map<string, bigint>();
  const search = { asset, files, options, factors: unitFactors(asset), nobody, claims };
  const after = options.since?.lastBlock ?? -1;
  const settlements: Settlement[] = [];
  const unclaimed: string[] = [];
  let reopened: string | undefined;
  const rows: Found["rows"] = new Map();
  for (const [at, predecessor] of predecessors.entries()) {
    if (predecessor.by !== "snapshot") continue;
    const { balances, last } = await balancesByTransfers(search, at);
    const stated = await statedBalances(search, at, rows);
    if (stated && last && last.time < asOf && last.block > after) {
      settlements.push({ ...last, changes: changesOf(balances, stated) });
    }
    const left = stated ?? balances;
    const had = sumOf(left.values());
    const given = await takeClaims(search, at, left);
    // The checkpoint was made of fewer old transfers, which decide how much of what was given out was a holder's own.
    if (last && given !== undefined && given <= after && last.block > after) {
      reopened ??= `tokens were given out before the snapshot of ${predecessor.contract}, which counts transfers after the last checkpoint`;
    }
    unclaimed.push(...unclaimedText(asset, predecessor, had, left));
  }
  const read = [...claims].filter(([log]) => Number(log.split("/")[0]) > after);
  return {
    rows,
    ...(read.length > 0 && { claims: Object.fromEntries(read.map(([log, rest]) => [log, String(rest)])) }),
    ...(settlements.length > 0 && { settlements }),
    ...(unclaimed.length > 0 && { unclaimed }),
    ...(reopened !== undefined && { reopened }),
  };
}

const sumOf = (amounts: Iterable<bigint>) => Array.from(amounts).reduce((sum, amount) => sum + amount, 0n);

/** What holders of a predecessor have after its last transfer that counts, and where that is. */
async function balancesByTransfers({ asset, files, options, factors, nobody }: Search, at: number) {
  const { asOf: _, ...whole } = asset;
  const balances: Balances = new Map();
  let last: Omit<Settlement, "changes"> | undefined;
  for await (const { from, to, amount, block, time } of eachTransfer(
    whole,
    files,
    (former) => former?.at === at,
    options,
  )) {
    last = { block, time };
    for (const [address, change] of [[from, -amount] as const, [to, amount] as const]) {
      if (!nobody.has(address)) balances.set(address, (balances.get(address) ?? 0n) + change * factors[at]!);
    }
  }
  return { balances, last };
}

/**
 * Lowers what holders have by what they have been given of later contracts, and notes what each log gave beyond.
 *
 * @returns the first block in which anything was given out
 */
async function takeClaims(
  { asset, files, options, factors, claims }: Search,
  at: number,
  left: Balances,
): Promise<number | undefined> {
  const predecessors = asset.predecessors!;
  const givers = new Set([ZERO_ADDRESS, ...(predecessors[at]!.from ?? [])]);
  const isLater = (former: HistoryFile["former"]) => former === undefined || former.at > at;
  let first: number | undefined;
  for await (const { from, to, amount, contract, log, block } of eachTransfer(asset, files, isLater, options)) {
    if (!givers.has(from)) continue;
    first = Math.min(first ?? block, block);
    const claim = left.get(to) ?? 0n;
    if (claim <= 0n) continue;
    const given = claims.get(log) ?? amount * factors[contract ?? predecessors.length]!;
    const taken = given < claim ? given : claim;
    claims.set(log, given - taken);
    left.set(to, claim - taken);
  }
  return first;
}

function changesOf(balances: Balances, stated: Balances): Settlement["changes"] {
  const addresses = [...new Set([...balances.keys(), ...stated.keys()])].sort();
  return addresses.flatMap((address) => {
    const change = (stated.get(address) ?? 0n) - (balances.get(address) ?? 0n);
    return change === 0n ? [] : [[address, String(change)]];
  });
}

/** The balances in a snapshot, if files state them. @throws {Failure} a cell is invalid, or an address there twice */
async function statedBalances(
  { files: { history }, factors, nobody }: Search,
  at: number,
  rows: Found["rows"],
): Promise<Balances | undefined> {
  const found = [...history.entries()].filter(([, { role, former }]) => role === "balances" && former?.at === at);
  if (found.length === 0) return undefined;
  const balances: Balances = new Map();
  await withDatabase(1, async (connection) => {
    for (const [index, { file }] of found) {
      const table = await openInputTable(connection, file);
      for await (const texts of textRows(connection, [table], ["address", "value"], () => {})) {
        for (const { cells, place, columns } of texts) {
          const address = readCell(ADDRESS, cells[0]!, place, columns[0]!);
          if (balances.has(address)) throw new Failure(`${rowPlace(place)}: ${address} is there twice; keep one.`);
          balances.set(address, readCell(VALUE, cells[1]!, place, columns[1]!) * factors[at]!);
        }
      }
      rows.set(index, { all: table.rows, ofAsset: 0 });
    }
  });
  for (const address of nobody) balances.delete(address);
  return balances;
}

/** A transfer in raw units of its contract: the position of a predecessor, or undefined for the asset's own. */
interface ContractTransfer {
  from: string;
  to: string;
  amount: bigint;
  contract: number | undefined;
  block: number;
  /** Unix seconds. */
  time: number;
  log: string;
}

/** The transfers of some contracts, one contract after the other, each in order. */
async function* eachTransfer(
  { predecessors: _, ...asset }: Asset,
  { history }: Files,
  isWanted: (former: HistoryFile["former"]) => boolean,
  { since: __, ...options }: ShareOutOptions,
): AsyncGenerator<ContractTransfer> {
  const wanted = history.filter(({ role, former }) => role === "transfers" && isWanted(former));
  for (const contract of new Set(wanted.map(({ former }) => former?.at))) {
    const files = {
      history: history.filter(({ role, former }) => role === "blocks" || (former?.at === contract && isWanted(former))),
    };
    const folder = join(options.folder, `contract-${contract ?? "own"}`);
    await mkdir(folder, { recursive: true });
    const reading = await planShares(asset, files, { ...options, folder });
    for (const share of reading.shares.keys()) {
      const read = await readShare(asset, files, reading, share);
      for (const transfer of transfersOf(read.history)) yield { ...transfer, contract };
    }
  }
}

function* transfersOf(history: History): Generator<Omit<ContractTransfer, "contract">> {
  const { rows, block, logIndex, timestamp, from, to, values, valueWords } = history;
  const digits = Buffer.from(history.addresses).toString("hex");
  const addressOf = (number: number) =>
    `0x${digits.slice(2 * ADDRESS_BYTES * number, 2 * ADDRESS_BYTES * (number + 1))}`;
  for (let row = 0; row < rows; row++) {
    yield {
      from: addressOf(from[row]!),
      to: addressOf(to[row]!),
      amount: toBigInt(values, row * valueWords, valueWords),
      block: block[row]!,
      time: timestamp[row]!,
      log: logName({ block: block[row]!, logIndex: logIndex[row]! }),
    };
  }
}

/** What holders of a snapshot have not been given, in a sentence. */
function unclaimedText({ decimals }: Asset, { contract, until }: Predecessor, had: bigint, left: Balances): string[] {
  const lacking = [...left].filter(([, amount]) => amount > 0n).sort(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0));
  const [first] = lacking;
  if (!first) return [];
  const sum = sumOf(lacking.map(([, amount]) => amount));
  const tokens = (raw: bigint) => decimalText(raw, decimals);
  return [
    `Snapshot of ${contract} at block ${until}: ${tokens(sum)} of ${tokens(had)} tokens have not been given out, at ${counted(lacking.length, "address")}, most of them (${tokens(first[1])}) at ${first[0]}. They count as held.`,
  ];
}
