/**
 * Checks the lots beside a checkpoint, which the next night goes on with: each address has those of its balance, in order, and all
 * together cost, and have been held, what the method's series say of the last day. Source: docs/formats.md#lots-at-the-checkpoint.
 */

import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  addressText,
  type HolderColumns,
  parseTableIndex,
  rawAt,
  tokensOfRaw,
} from "../../../../data-schema/holders.ts";
import type { LotMethod, MetricName } from "../../../../data-schema/registry.ts";
import { checkpointKey, lotMethodsOf, lotsKey, type Manifest } from "../../../../data-schema/stored.ts";
import { DAY_SECONDS } from "../../../../data-schema/text.ts";
import { temporaryFolder } from "../../../lib/files/temporary-folder.ts";
import { TableFile } from "../../../lib/fixed-width-table.ts";
import { piecesOf, writePieces } from "../../../store/pieces.ts";
import type { ObjectStore } from "../../../store/store.ts";
import { lots } from "../../objects/lot-layout.ts";
import type { SeriesByMetric } from "../rules/series-columns.ts";
import { isClose } from "./holder-problems.ts";
import { HolderReader, type NoteCheck, type NotedChecks, newChecks, Unreadable } from "./holder-reader.ts";

const HOUR = 3600;

type LotTable = TableFile<ReturnType<typeof lots>>;
type LotGroup = ReturnType<LotTable["group"]>;

/** What the lots of a table add up to: tokens times USD, and times days until the close. */
interface Sums {
  cost: number;
  days: number;
}

/**
 * @param days those of lots that are published
 */
export async function lotsAtCheckpoint(
  store: ObjectStore,
  manifest: Manifest,
  days: ReadonlyMap<LotMethod, SeriesByMetric>,
): Promise<NotedChecks> {
  const { checkpoint, holders, symbol, resolutions } = manifest;
  const { found, check } = newChecks();
  if (!checkpoint?.lots || holders?.format === undefined) return found;
  const { last } = resolutions.day;
  for (const method of lotMethodsOf(manifest)) {
    const entry = checkpoint.lots[method];
    if (!entry) continue;
    const key = lotsKey(symbol, method, entry.hash);
    const folder = temporaryFolder(tmpdir(), "soprano-verify");
    try {
      const sums = await new HolderReader(store).inObject(key, async () => {
        const path = join(folder.path, "lots.parquet");
        await writePieces(path, piecesOf(store, key, entry.size), []);
        const table = new TableFile(path, (widthOf) => lots((widthOf("amount") ?? 0) / 4));
        return sumsOf(store, manifest, { key, table, check });
      });
      const compare = (of: number, metric: MetricName) => {
        const series = days.get(method)?.get(metric)?.get(method);
        if (series === undefined || series.t.at(-1) !== last) return;
        const day = series.v.at(-1)!;
        check(isClose(of, day, of), `${key}: its lots add up to ${of}, but ${metric} is ${day} on the last day.`);
      };
      compare(sums.cost, "realised_cap");
      compare(sums.days, "coin_days_held");
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      found.problems.push(error.message);
    } finally {
      folder.remove();
    }
  }
  return found;
}

async function sumsOf(
  store: ObjectStore,
  { symbol, checkpoint, holders, decimals }: Manifest,
  { key, table, check }: { key: string; table: LotTable; check: NoteCheck },
): Promise<Sums> {
  const reader = new HolderReader(store);
  const addresses = checkpointKey(symbol, checkpoint!.hash);
  const { groups } = parseTableIndex(await reader.index(addresses, holders!.index));
  if (table.groups !== groups.length) throw new Error(`it has ${table.groups} row groups, not ${groups.length}`);
  const sums = { cost: 0, days: 0 };
  for (const [index, place] of groups.entries()) {
    const columns = await reader.group(addresses, place);
    const group = table.group(index);
    let lot = 0;
    for (let row = 0; row < columns.rows; row++) {
      const first = lot;
      while (lot < group.count && group.holder[lot] === row) lot++;
      const problem = addLots(sums, columns, row, { group, first, end: lot }, { decimals, close: holders!.time });
      check(problem === undefined, `${key}: ${addressText(columns.address, row)} ${problem}.`);
    }
    check(lot === group.count, `${key}: its row group ${index} has lots of no address.`);
  }
  return sums;
}

/** Adds the lots of an address. @returns what is wrong with them: a clause */
function addLots(
  sums: Sums,
  { balance, words }: HolderColumns,
  row: number,
  { group, first, end }: { group: LotGroup; first: number; end: number },
  { decimals, close }: { decimals: number; close: number },
): string | undefined {
  const { hour, price, amount, count } = group;
  const width = count === 0 ? 0 : amount.length / count;
  const others = Array.from({ length: Math.max(0, end - first - 1) }, (_, i) => rawAt(amount, first + 1 + i, width));
  const held = rawAt(balance, row, words);
  const left = held - others.reduce((sum, raw) => sum + raw, 0n);
  if (held > 0n !== end > first) return held > 0n ? "has a balance and no lot" : "has a lot and no balance";
  if (left < 0n || others.includes(0n) || (end > first && left === 0n)) return "has lots that are not its balance";
  for (let lot = first; lot < end; lot++) {
    const isNext =
      lot === first || hour[lot - 1]! < hour[lot]! || (hour[lot - 1] === hour[lot] && price[lot - 1]! < price[lot]!);
    if (!isNext) return "has lots that are not in their order";
    const bought = HOUR * hour[lot]!;
    if (bought >= close || !(price[lot]! >= 0)) return "has a lot of a time or price that can't be";
    const tokens = tokensOfRaw(lot === first ? left : others[lot - first - 1]!, decimals);
    sums.cost += tokens * price[lot]!;
    sums.days += (tokens * (close - bought)) / DAY_SECONDS;
  }
  return undefined;
}
