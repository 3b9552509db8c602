/** `soprano deposits`: the table of deposit addresses, without a build. Source: docs/building.md#deposit-addresses. */

import { readFile } from "node:fs/promises";
import { isoTime } from "../../../data-schema/text.ts";
import { COVERAGE_DAYS } from "../../engine/calendar.ts";
import { type AssetFile, keptDeposits } from "../../input/asset/asset.ts";
import { digestInput } from "../../input/digest-input.ts";
import { readAssetToBuild } from "../../input/fetched/fetched-asset.ts";
import { readSends } from "../../input/labels/deposit-table.ts";
import { surveyInput } from "../../input/survey.ts";
import { Failure, writing } from "../../lib/failure.ts";
import { replaceDurably } from "../../lib/files/durable.ts";
import { alignColumns } from "../../lib/terminal/align.ts";
import { count, counted, percent } from "../../lib/terminal/amount-text.ts";
import { Publication } from "../../published/publish/publication.ts";
import type { ObjectStore } from "../../store/store.ts";
import { type DepositFigures, depositFigures } from "../deposits/figures.ts";
import { findDeposits, historyAndLabels, keepDeposits } from "../deposits/in-use.ts";
import { workFolder } from "../folder/work-folder.ts";

export interface DepositOptions {
  /** Compute the table whatever there is. */
  recheck?: boolean | undefined;
  /** A file for a copy of the table. */
  out?: string | undefined;
  threads: number;
  memory: number;
  work?: string | undefined;
}

/**
 * The table of an asset: the one that builds go by, or, where there is none, one that is computed. Where builds detect deposit
 * addresses, it is kept for the next build.
 *
 * @returns what it says, as lines
 * @throws {Failure} as a build, up to and including reading, but for prices and own cohorts; or the table is the user's own and
 * can't be computed
 */
export async function reportDeposits(assetPath: string, store: ObjectStore, options: DepositOptions): Promise<string> {
  const { recheck = false, out, threads, memory } = options;
  const asset = await readAssetToBuild(assetPath);
  const isOwn = asset.deposits !== undefined && !asset.detectsDeposits;
  if (isOwn && recheck) {
    throw new Failure(
      `${assetPath}: "deposits" names ${asset.deposits}, which is yours and not computed; to have it computed, set it to "detect".`,
    );
  }
  const folder = workFolder(options.work);
  try {
    const work = { folder: folder.path, memory, threads };
    const found = isOwn ? { input: await digestInput(asset) } : await findTable(asset, store, recheck, work);
    const { file } = found.input.find(({ role }) => role === "deposits")!;
    const survey = await surveyInput(asset, historyAndLabels(found.input), { threads });
    const figures = await depositFigures(asset, survey, work);
    if (asset.detectsDeposits) await keepDeposits(asset, folder.path);
    if (out !== undefined) await writing(out, async () => replaceDurably(out, await readFile(file.path)));
    const asOf = "asOf" in found ? found.asOf : undefined;
    const hint = asset.deposits ? [] : [`Builds don't go by it: add "deposits": "detect" to ${assetPath}.`];
    // A table of the user's own is read for addresses and exchanges alone.
    const sends = isOwn ? undefined : await readSends(file);
    return [...lines(asset, figures, asOf, sends), ...hint].join("\n");
  } finally {
    folder.remove();
  }
}

/** The table in use; for an asset whose builds detect none, the one that they would. */
async function findTable(
  asset: AssetFile,
  store: ObjectStore,
  recheck: boolean,
  work: { folder: string; memory: number; threads: number },
) {
  const detecting: AssetFile = { ...asset, deposits: [keptDeposits(asset)], detectsDeposits: true };
  const { previous } = await Publication.begin(store, asset);
  const input = await digestInput(detecting);
  const isAnew = recheck || !asset.detectsDeposits;
  return findDeposits(detecting, input, { ...work, store, active: previous?.deposits, asOf: undefined, isAnew });
}

function* lines(
  { symbol }: AssetFile,
  { exchanges, share, lastShare }: DepositFigures,
  asOf: string | undefined,
  sends: Record<string, number> | undefined,
): Generator<string> {
  const rows = Object.entries(exchanges).sort(([, a], [, b]) => b - a);
  const all = rows.reduce((sum, [, addresses]) => sum + addresses, 0);
  const since = asOf === undefined ? "" : `, computed as of ${isoTime(Date.parse(asOf) / 1000)}`;
  yield `${symbol}: ${counted(all, "deposit address")}${since}`;
  if (rows.length > 0) {
    const cells = rows.map(([exchange, addresses]) => [exchange, count(addresses), count(sends?.[exchange] ?? 0)]);
    const width = sends ? 3 : 2;
    yield alignColumns(
      [["exchange", "addresses", "sends"], ...cells].map((row) => row.slice(0, width)),
      [1, 2],
    );
  }
  if (share === undefined) return;
  const last = lastShare === undefined ? "" : `, and ${percent(lastShare)} of that of the last ${COVERAGE_DAYS} days`;
  yield `${percent(share)} of the exchange inflow arrived at them${last}.`;
}
