/**
 * What was given out for snapshots: new tokens of holders of old ones, up to what each had in the snapshot. It is looked for over
 * the whole history, since what an address has been given before decides what a later transfer is. Source: docs/migrations.md#snapshots.
 */

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ZERO_ADDRESS } from "../../../data-schema/asset.ts";
import { type History, toBigInt } from "../../engine/history.ts";
import { counted, decimalText } from "../../lib/terminal/amount-text.ts";
import { ADDRESS_BYTES } from "../../lib/widths.ts";
import type { AssetFile } from "../asset/asset.ts";
import { type Predecessor, unitFactors } from "../asset/predecessors.ts";
import { readShare } from "./read-share.ts";
import { planShares, type ShareOutOptions } from "./share-out.ts";
import type { Files, HistoryFile, Reading } from "./shares/share.ts";
import { logName } from "./transaction-hashes.ts";

type Asset = Pick<AssetFile, "contract" | "source" | "asOf" | "decimals" | "ownDecimals" | "predecessors">;

/** Raw amounts by address, `0x…`. */
type Balances = Map<string, bigint>;

/**
 * @returns nothing for an asset without snapshots
 * @throws {Failure} as `planShares` and `readShare`
 */
export async function findClaims(
  asset: Asset,
  files: Files,
  options: ShareOutOptions,
): Promise<Pick<Reading, "claims" | "unclaimed">> {
  const { predecessors = [] } = asset;
  const factors = unitFactors(asset);
  const nobody = new Set([ZERO_ADDRESS, ...predecessors.flatMap(({ swap = [], from = [] }) => [...swap, ...from])]);
  const claims: Record<string, bigint> = {};
  const unclaimed: string[] = [];
  for (const [at, predecessor] of predecessors.entries()) {
    if (predecessor.by !== "snapshot") continue;
    const transfers = (isWanted: (former: HistoryFile["former"]) => boolean) =>
      eachTransfer(asset, files, isWanted, options);
    const left: Balances = new Map();
    for await (const { from, to, amount } of transfers((former) => former?.at === at)) {
      if (!nobody.has(from)) left.set(from, (left.get(from) ?? 0n) - amount * factors[at]!);
      if (!nobody.has(to)) left.set(to, (left.get(to) ?? 0n) + amount * factors[at]!);
    }
    const had = [...left.values()].reduce((sum, amount) => sum + amount, 0n);
    const givers = new Set([ZERO_ADDRESS, ...(predecessor.from ?? [])]);
    for await (const { from, to, amount, contract, log } of transfers(
      (former) => former === undefined || former.at > at,
    )) {
      const claim = left.get(to) ?? 0n;
      if (claim <= 0n || !givers.has(from)) continue;
      const given = claims[log] ?? amount * factors[contract ?? predecessors.length]!;
      const taken = given < claim ? given : claim;
      claims[log] = given - taken;
      left.set(to, claim - taken);
    }
    unclaimed.push(...unclaimedText(asset, predecessor, had, left));
  }
  const after = options.since?.lastBlock ?? -1;
  const read = Object.entries(claims).filter(([log]) => Number(log.split("/")[0]) > after);
  return {
    ...(read.length > 0 && { claims: Object.fromEntries(read.map(([log, rest]) => [log, String(rest)])) }),
    ...(unclaimed.length > 0 && { unclaimed }),
  };
}

/** A transfer in raw units of its contract: the position of a predecessor, or undefined for the asset's own. */
interface ContractTransfer {
  from: string;
  to: string;
  amount: bigint;
  contract: number | undefined;
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
  const { rows, block, logIndex, from, to, values, valueWords } = history;
  const digits = Buffer.from(history.addresses).toString("hex");
  const addressOf = (number: number) =>
    `0x${digits.slice(2 * ADDRESS_BYTES * number, 2 * ADDRESS_BYTES * (number + 1))}`;
  for (let row = 0; row < rows; row++) {
    yield {
      from: addressOf(from[row]!),
      to: addressOf(to[row]!),
      amount: toBigInt(values, row * valueWords, valueWords),
      log: logName({ block: block[row]!, logIndex: logIndex[row]! }),
    };
  }
}

/** What holders of a snapshot have not been given, in a sentence. */
function unclaimedText({ decimals }: Asset, { contract, until }: Predecessor, had: bigint, left: Balances): string[] {
  const lacking = [...left].filter(([, amount]) => amount > 0n).sort(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0));
  const [first] = lacking;
  if (!first) return [];
  const sum = lacking.reduce((sum, [, amount]) => sum + amount, 0n);
  const tokens = (raw: bigint) => decimalText(raw, decimals);
  return [
    `Snapshot of ${contract} at block ${until}: ${tokens(sum)} of ${tokens(had)} tokens have not been given out, at ${counted(lacking.length, "address")}, most of them (${tokens(first[1])}) at ${first[0]}. They count as held.`,
  ];
}
