/**
 * What a run continues: what earlier fetches have left, compared with fetch.json, ASSET.json and the chain. Whatever is
 * wrong is refused; `--repair` fetches it again instead, and keeps all that comes before.
 */

import { join } from "node:path";
import { isoTime } from "../../../data-schema/text.ts";
import type { AssetFile } from "../../input/asset/asset.ts";
import { isOwnPrices, type Source } from "../../input/asset/source.ts";
import { type Fetched, type FetchedFile, TABLES, type TableRole } from "../../input/fetched/fetched.ts";
import { changedTable } from "../../input/fetched/fetched-asset.ts";
import { Failure } from "../../lib/failure.ts";
import type { ObjectStore } from "../../store/store.ts";
import type { Nodes } from "../chain/nodes/nodes.ts";
import { damagedTables } from "../kept/table-files.ts";
import { readContracts } from "../labels/contracts.ts";
import { readPlaced } from "../labels/place-labels.ts";
import { readPriceFile } from "../prices/price-file.ts";
import { periodOf, startOfDay } from "../times/file-periods.ts";
import type { Opening } from "../transfers/opening.ts";
import { checkTerms, termsOf } from "./file-terms.ts";
import { damagedFiles, findReorganisation, reorganisationText } from "./present-files.ts";

export interface ContinuedOptions {
  asset: AssetFile;
  source: Source;
  opening: Opening | undefined;
  nodes: Nodes;
  /** `inputs/<SYMBOL>`. */
  folder: string;
  store?: ObjectStore | undefined;
  repair?: boolean | undefined;
  /** The table that is made anew in any case. */
  recheck?: TableRole | undefined;
}

export interface Continued {
  /** What stays; undefined if that is nothing. */
  fetched: Fetched | undefined;
  /** Files of it that are missing or have changed: they are fetched again. */
  damaged: readonly FetchedFile[];
  /** Files of blocks that the chain has replaced: their periods are fetched again. */
  replaced: readonly FetchedFile[];
  /** The time from which on the chain may have replaced blocks, Unix seconds; absent if it has not. */
  replacedFrom?: number;
  /** Tables that are made anew. */
  anew: ReadonlySet<TableRole>;
}

/**
 * @param recorded what fetch.json says; undefined before the first fetch
 * @throws {Failure} files or tables are of another asset or chain, or have changed
 */
export async function continueFrom(recorded: Fetched | undefined, options: ContinuedOptions): Promise<Continued> {
  const { asset, source, opening, nodes, folder, store, repair = false, recheck } = options;
  const anew = new Set(recheck ? [recheck] : []);
  if (!recorded || !hasFiles(recorded)) return { fetched: undefined, damaged: [], replaced: [], anew };

  checkTerms(asset, source, termsOf(source, opening), recorded, { folder, store });
  const damaged = await damagedFiles(folder, recorded, repair);
  if (damaged.length > 0 && !repair) {
    const { entry, why } = damaged[0]!;
    throw new Failure(
      `${join(folder, entry.file)} ${why}: restore it, or run soprano fetch with --repair, which fetches it again.`,
    );
  }
  for (const role of await tablesToMend(recorded, options)) anew.add(role);
  const reorganisation = await findReorganisation(nodes, recorded);
  if (!repair) {
    if (reorganisation) throw new Failure(reorganisationText(nodes, folder, reorganisation));
    return { fetched: recorded, damaged: [], replaced: [], anew };
  }
  const at = reorganisation ? recorded.files.findIndex(({ file }) => file === reorganisation.file) : -1;
  const replaced = at < 0 ? [] : recorded.files.slice(at);
  const end = replaced[0] ? periodOf(replaced[0].file).start : startOfDay(Date.parse(recorded.asOf) / 1000);
  const fetched = upTo(end, recorded, recorded.files.slice(0, recorded.files.length - replaced.length));
  return {
    fetched,
    damaged: damaged.map(({ entry }) => entry).filter((entry) => fetched?.files.includes(entry)),
    replaced,
    ...(reorganisation && { replacedFrom: end }),
    anew,
  };
}

/** A first fetch that failed leaves a record without files. */
export const hasFiles = ({ files, hours }: Fetched): boolean => files.length > 0 || hours !== undefined;

/** The running day is fetched again, too: some of its hours have no file that could be wrong. */
function upTo(end: number, { hours: _, ...days }: Fetched, files: FetchedFile[]): Fetched | undefined {
  return files.length === 0 ? undefined : { ...days, asOf: isoTime(end), files };
}

/**
 * Tables that have changed, or can't be read, for `--repair` to make them anew.
 *
 * @throws {Failure} there are some, and they are not to be made anew
 */
async function tablesToMend(
  recorded: Fetched,
  { asset, source, folder, repair, recheck }: ContinuedOptions,
): Promise<TableRole[]> {
  const damaged = await damagedTables(folder, { ...asset, source }, recorded);
  const [first] = damaged.filter(({ role }) => role !== recheck);
  if (first && !repair) {
    if (damaged.length === 1)
      throw changedTable(asset.path, join(folder, TABLES[first.role]), first.role, first.isMissing);
    const names = damaged.map(({ role }) => join(folder, TABLES[role])).join(" and ");
    throw new Failure(
      `${names} have changed since soprano fetch wrote them, or are missing: restore them, or run soprano fetch with ` +
        "--repair, which makes them anew.",
    );
  }
  const { prices } = source;
  // They are needed at the very end: hours later, on a first night after a long pause.
  const readers: Record<TableRole, () => Promise<unknown>> = {
    prices: async () => prices && !isOwnPrices(prices) && readPriceFile(join(folder, TABLES.prices)),
    contracts: () => readContracts(folder, { isFirst: false, recheck: false }),
    labels: async () => recorded.labels !== undefined && readPlaced(folder),
    // The digest tells all: nothing of it is read again.
    kinds: async () => undefined,
  };
  const wrong = new Set(damaged.map(({ role }) => role));
  for (const role of Object.keys(readers) as TableRole[]) {
    if (role === recheck || wrong.has(role)) continue;
    try {
      await readers[role]();
    } catch (error) {
      if (!repair || !(error instanceof Failure)) throw error;
      wrong.add(role);
    }
  }
  return [...wrong];
}
