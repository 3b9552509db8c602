/** Joins what the shares of a reading have found: the report of a build's input, its id, and the files that a checkpoint records. */

import type { OwnCohort } from "../../data-schema/registry.ts";
import { isoTime } from "../../data-schema/text.ts";
import { CannotResume, Failure } from "../lib/failure.ts";
import { counted, decimalText } from "../lib/terminal/amount-text.ts";
import type { AssetFile } from "./asset/asset.ts";
import { computeBuildId } from "./asset/build-id.ts";
import { rowPlace } from "./cells/rules.ts";
import type { InputRole } from "./digest-input.ts";
import type { KnownFile } from "./files/known-files.ts";
import type { Survey, SurveyedHistory } from "./survey.ts";
import type { FileEvidence, Reading, ShareFacts } from "./transfers/shares/share.ts";

interface FileReport {
  role: InputRole | OwnCohort;
  /** Relative to ASSET.json; absolute if written so. */
  file: string;
  sha256: string;
  bytes: number;
  rows: number;
}

export interface InputReport {
  /** The files, in the order of `ROLES`. */
  files: FileReport[];
  /** Rows of transfers, including those dropped or skipped. */
  rowsRead: number;
  duplicates: number;
  skippedOtherContracts: number;
  skippedAfterAsOf: number;
  /** Distinct addresses of the rows, without the zero address. */
  addresses: number;
  /** Sentences for the user about input that is missing or ignored. */
  notices: string[];
}

export interface JoinedInput {
  /** Id of the build that is made from it. */
  build: string;
  /** Unix seconds. */
  asOf: number;
  /** Times of the first and the last row in block order, before the cut at as-of. Unix seconds; undefined without rows. */
  first: number | undefined;
  last: number | undefined;
  report: InputReport;
  /** The files of transfers and blocks, as a checkpoint at `time`, the start of a UTC day, records them. */
  knownFiles(time: number): KnownFile[];
}

type AbsentRole = Exclude<InputRole, "corrections" | "balances">;

/** Notices about inputs that are missing, by the roles that could bring them: what it means for the numbers. */
const ABSENT: readonly { roles: readonly AbsentRole[]; notice: string }[] = [
  { roles: ["prices"], notice: "No prices: every price is 0, and so is every amount in dollars." },
  {
    roles: ["exchanges", "labels", "deposits"],
    notice:
      "No exchanges: no address counts as an exchange, and every cex_* is 0. " +
      'Name a list as "exchanges" in ASSET.json; docs/labels.md says what ships.',
  },
  { roles: ["contracts"], notice: "No contracts: no address counts as a contract." },
];

export interface JoinOptions {
  /** Distinct addresses of the histories, without the zero address. */
  addresses: number;
  /** About the history as a whole. */
  notices?: readonly string[];
  /** When a build resumes: the time of the last event of its checkpoint, in Unix seconds. */
  lastBefore?: number;
}

/**
 * Joins the facts of all shares, in order.
 *
 * @throws {Failure} the asset has no transfers, or none before its as-of
 */
export function joinShares(
  asset: AssetFile,
  survey: Omit<Survey, "labels"> & { labels: Pick<Survey["labels"], "notices"> },
  reading: Reading,
  shares: readonly ShareFacts[],
  { addresses, notices = [], lastBefore }: JoinOptions,
): JoinedInput {
  const { after } = reading;
  const files = survey.history.map((file, index): ReadFile => {
    const count = reading.counts[index]?.all ?? shares.map(({ counts }) => counts[index]).find(Number.isInteger);
    const evidence = reading.evidence ?? shares.find(({ evidence }) => evidence)?.evidence;
    return { ...file, count, days: shares.flatMap(({ rowsByDay }) => rowsByDay[index] ?? []), ...evidence?.[index] };
  });
  for (const [index, file] of files.entries()) checkRows(file, reading.counts[index]?.ofAsset);
  const ofRole = (role: InputRole) => files.filter((file) => file.role === role);
  const transfers = ofRole("transfers").filter(({ count }) => count !== undefined);
  const rowsRead = sum(transfers, ({ count }) => count!);
  const rowsOfAsset = sum(transfers, ({ days }) => sum(days, ([, rows]) => rows));
  if (rowsOfAsset === 0 && after === undefined) throw noTransfers(asset, transfers, rowsRead);

  const first = shares.find(({ first }) => first)?.first?.time;
  const last = shares.findLast(({ last }) => last)?.last?.time;
  if (first === undefined && after === undefined) throw allRemoved(transfers);
  const asOf = asset.asOf ?? (last ?? lastBefore!) + 1;
  if (first !== undefined && asOf <= first && after === undefined) {
    throw new Failure(
      `${asset.path}: "asOf" is ${isoTime(asOf)}, not after the first transfer, ${isoTime(first)}; set a later time or leave it out.`,
    );
  }
  const rows = (file: ReadFile) => (after === undefined ? file.count : (file.added?.rows ?? file.known?.rows)) ?? 0;
  const nameOf = ({ role, file }: { role: string; file: { name: string } }) => `${role} ${file.name}`;
  const rowsOf = new Map(files.map((file) => [nameOf(file), rows(file)]));
  const reports = survey.files.map((surveyed) => ({
    role: surveyed.role,
    file: surveyed.file.name,
    sha256: surveyed.sha256,
    bytes: surveyed.file.bytes,
    rows: rowsOf.get(nameOf(surveyed)) ?? surveyed.rows ?? 0,
  }));
  // Without files of transfers, it is unknown whether their transfers need the files of blocks.
  const areBlocksUnused =
    ofRole("blocks").some(({ count }) => count !== undefined) &&
    transfers.length > 0 &&
    !shares.some(({ needsBlocks }) => needsBlocks);
  return {
    build: computeBuildId(asset, asOf, reports),
    asOf,
    first,
    last,
    report: {
      files: reports,
      rowsRead,
      duplicates: sum(shares, ({ duplicates }) => duplicates),
      skippedOtherContracts: rowsRead - rowsOfAsset,
      skippedAfterAsOf: sum(shares, ({ skippedAfterAsOf }) => skippedAfterAsOf),
      addresses,
      notices: [
        ...removedNotice(transfers),
        ...migrationNotices(asset, reading, shares),
        ...(areBlocksUnused ? ["The files of blocks were not read: every transfer has its time."] : []),
        ...absentNotices(asset, reports),
        ...survey.labels.notices,
        ...notices,
      ],
    },
    knownFiles: (time) => files.map((file) => knownFile(file, rows(file), time, after !== undefined)),
  };
}

/** Why a build can't resume if its new rows can't be read: a full build says what is wrong with them. */
export const NEW_ROWS_UNREADABLE = "the new rows can't be read";

/** @throws {CannotResume} rows that were read after a checkpoint don't come after its time */
export function checkResumes({ first, last, asOf }: JoinedInput, time: number): void {
  if (first !== undefined && first < time) {
    throw new CannotResume(`new transfers of ${isoTime(first)} lie before the end of the last build's last day`);
  }
  if (asOf >= time) return;
  const end = isoTime(last ?? asOf - 1);
  throw new CannotResume(`the last transfer, ${end}, lies before the end of the last build's last day`);
}

/** A file of transfers or blocks, and what the shares found in it. */
interface ReadFile extends SurveyedHistory, FileEvidence {
  /** All rows; undefined if the file was not read. */
  count: number | undefined;
  /** The asset's rows by the start of a UTC day; a day is there once for each share that has some of it. */
  days: (readonly [day: number, rows: number])[];
}

const sum = <T>(items: readonly T[], of: (item: T) => number) => items.reduce((total, item) => total + of(item), 0);

/** Row groups are skipped by the statistics in a file's footer. If these are wrong, rows are missing. */
function checkRows({ file, days }: ReadFile, expected: number | undefined): void {
  const read = sum(days, ([, rows]) => rows);
  if (expected === undefined || expected === read) return;
  throw new Failure(
    `${file.name}: reading by block numbers found ${read} of ${counted(expected, "row")}; the statistics of its row groups are wrong, so write the file again.`,
  );
}

function noTransfers({ contract, path }: AssetFile, files: readonly ReadFile[], rowsRead: number): Failure {
  const names = files.map(({ file }) => file.name).join(", ");
  return new Failure(
    rowsRead === 0
      ? `${names} has no rows; add the transfers of ${contract}.`
      : `${names} has ${counted(rowsRead, "row")}, but none of contract ${contract}; compare "contract" in ${path} with the file's column of contracts.`,
  );
}

function allRemoved(files: readonly ReadFile[]): Failure {
  const names = files.map(({ file }) => file.name).join(", ");
  return new Failure(`${names}: a reorganisation has removed every row of the asset; export the final blocks again.`);
}

function removedNotice(files: readonly ReadFile[]): string[] {
  const [first, ...others] = files.flatMap(({ file, removed }) => (removed ? [{ file, ...removed }] : []));
  if (!first) return [];
  const rows = sum([first, ...others], ({ rows }) => rows);
  const place = rowPlace({ file: first.file.name, row: first.first + 1 });
  return [`Dropped ${counted(rows, "row")} that a reorganisation has removed, the first in ${place}.`];
}

/** What became of old tokens. */
function migrationNotices(
  { predecessors = [], decimals }: AssetFile,
  { after, unclaimed = [] }: Reading,
  shares: readonly ShareFacts[],
): string[] {
  if (!predecessors.some(({ by }) => by === "swap")) return unclaimed;
  const swaps = sum(shares, ({ swapped }) => swapped?.swaps ?? 0);
  const raw = shares.reduce((total, { swapped }) => total + BigInt(swapped?.raw ?? 0), 0n);
  if (swaps > 0)
    return [`Carried over ${counted(swaps, "swap")} of ${decimalText(raw, decimals)} tokens.`, ...unclaimed];
  if (after !== undefined) return unclaimed;
  return [
    'No swap of old tokens for new ones was found: compare "swap" in "predecessors" with where the old tokens went.',
    ...unclaimed,
  ];
}

function absentNotices(asset: AssetFile, reports: readonly FileReport[]): string[] {
  /** Files that are fetched or computed are there from the start, and may have no row yet. */
  const has = (role: AbsentRole) =>
    asset[role] &&
    ((!asset.source && !(role === "deposits" && asset.detectsDeposits)) ||
      reports.some((report) => report.role === role && report.rows > 0));
  return ABSENT.filter(({ roles }) => !roles.some(has)).map(({ notice }) => notice);
}

/** @param resumes only the rows after the last checkpoint were read */
function knownFile(
  { role, file, sha256, known, days }: ReadFile,
  rows: number,
  time: number,
  resumes: boolean,
): KnownFile {
  const base = { role, file: file.name, sha256, bytes: file.bytes, rows };
  if (role !== "transfers") return base;
  // A checkpoint is at the end of a day, and times never fall from block to block.
  const rowsAfter = sum(days, ([day, rows]) => (day < time ? 0 : rows));
  const settled = sum(days, ([, rows]) => rows) - rowsAfter + (resumes ? (known?.settled ?? 0) : 0);
  return { ...base, settled, rowsAfter };
}
