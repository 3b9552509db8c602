/** `soprano export`: the files of one build under readable names, in a new folder. */

import { randomUUID } from "node:crypto";
import { lstat, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { MetricName, Resolution } from "../../../data-schema/registry.ts";
import {
  buildKey,
  checkpointKey,
  duckdbHead,
  duckdbViews,
  type FilesOf,
  holderListsKey,
  largestKey,
  largeTransfersKey,
  listedDistributions,
  listedLots,
  listedOwn,
  listedSeries,
  type Manifest,
  type ManifestObject,
  type ManifestSeries,
  pathPart,
  type Reference,
  sqlText,
  type TableOf,
} from "../../../data-schema/stored.ts";
import { advised } from "../../lib/advised.ts";
import { Failure } from "../../lib/failure.ts";
import type { Progress } from "../../lib/terminal/progress.ts";
import { withParts } from "../../store/parts.ts";
import { piecesOf, writePieces } from "../../store/pieces.ts";
import { prefetch } from "../../store/prefetch.ts";
import type { ObjectStore, StoredObject } from "../../store/store.ts";
import { byteProblems } from "../../store/stored-content.ts";
import { buildNamed, readBuilds, readCurrent } from "../builds/stored-builds.ts";
import { isActiveFormOf } from "../publish/active-manifest.ts";
import { readManifest } from "../publish/publication.ts";
import { plainHolders } from "./plain-holders.ts";

/** What to export, and where to. */
export interface ExportOptions {
  /** The folder, which must not exist yet. */
  out: string;
  /** Id of the build or its first digits; the active build if left out. */
  build?: string | undefined;
  /** All if left out. */
  metrics?: readonly MetricName[] | undefined;
  /** All if left out. */
  resolutions?: readonly Resolution[] | undefined;
  /** Whether to write `duckdb.sql`, too. */
  duckdb?: boolean | undefined;
}

/** What was exported. */
export interface Exported {
  manifest: Manifest;
  /** Series files, without manifest.json. */
  files: number;
  bytes: number;
}

/**
 * Writes `<metric>/<resolution>/<period>.parquet`, `<own cohort>/…`, `<method of lots>/…` and `<distribution>/…` likewise if all metrics are wanted, those of holders and largest transfers if nothing is chosen, and `manifest.json`, and `duckdb.sql` if that is wanted. Every file is compared with the manifest before it
 * is written, and rows of holders are written as any reader takes them. The folder gets its name when it is whole; until then it is called `<out>.part-…`.
 *
 * @throws {Failure} the folder exists or can't be written; there is no such build, or nothing of it to export; an object
 *   is missing or damaged
 */
export async function exportBuild(
  bucket: ObjectStore,
  symbol: string,
  { out, build, metrics, resolutions, duckdb = false }: ExportOptions,
  progress: Progress,
): Promise<Exported> {
  if (await exists(out)) throw occupied(out);
  const { manifest, bytes: manifestBytes } = await readBuild(bucket, symbol, build);
  const store = withParts(bucket, manifest);
  const isWanted = ({ resolution }: ManifestObject) => resolutions?.includes(resolution) ?? true;
  const ofMetrics = [...listedSeries(manifest)].filter(
    (one) => isWanted(one) && (metrics?.includes(one.metric) ?? true),
  );
  const own = (metrics ? [] : [...listedOwn(manifest)]).filter(isWanted);
  const lots = (metrics ? [] : [...listedLots(manifest)]).filter(isWanted);
  const distributions = (metrics ? [] : [...listedDistributions(manifest)]).filter(isWanted);
  const listed: ManifestObject[] = [...ofMetrics, ...own, ...lots, ...distributions];
  if (listed.length === 0) {
    throw new Failure(`Build ${manifest.build} of ${symbol} has no such series: choose other metrics or resolutions.`);
  }
  const beside = metrics || resolutions ? [] : [...holderFiles(manifest), ...transferFiles(manifest)];
  progress.step(`export ${symbol}`, listed.length + beside.length);
  const part = `${out}.part-${randomUUID().slice(0, 8)}`;
  const exported = { manifest, files: 0, bytes: 0 };
  try {
    for await (const { item, object } of prefetch(store, listed, ({ key }) => key)) {
      const whole = checked(store, item, object);
      await write(join(part, pathOf(item)), whole);
      exported.bytes += whole.length;
      progress.update(++exported.files);
    }
    for (const file of beside) {
      exported.bytes += await copyWhole(store, manifest, file, join(part, file.path));
      progress.update(++exported.files);
    }
    await write(join(part, "manifest.json"), manifestBytes);
    if (duckdb) await write(join(part, SCRIPT), Buffer.from(scriptOf(manifest, { metrics: ofMetrics, own, lots })));
    await rename(part, out);
  } catch (error) {
    // What is wrong with the folder is told below.
    await rm(part, { recursive: true, force: true }).catch(() => {});
    throw (await exists(out)) ? occupied(out) : explained(error, out);
  } finally {
    progress.end();
  }
  return exported;
}

/** An object of holders or transfers, and its path in the folder. */
interface HolderFile extends Reference {
  path: string;
  hash: string;
  /** Set of rows that few readers take as they are stored, and whether they are sorted by address. */
  rows?: "sorted" | "unsorted";
}

/** The largest transfers by month; none in builds that are older than those. */
const transferFiles = ({ symbol, transfers }: Manifest): HolderFile[] =>
  (transfers?.largest ?? []).map(({ name, ...month }) => {
    return { path: `transfers/largest/${name}.parquet`, key: largeTransfersKey(symbol, name, month.hash), ...month };
  });

/** The table of holders, their lists, and the largest by month; none in builds that are older than those. */
function holderFiles({ symbol, checkpoint, holders }: Manifest): HolderFile[] {
  if (!holders || !checkpoint) return [];
  const { format, lists, largest } = holders;
  // Rows without a format are those of 0.4.0, which are plain.
  const rows = (order: "sorted" | "unsorted") => (format === undefined ? {} : { rows: order });
  const table = { path: "holders/holders.parquet", key: checkpointKey(symbol, checkpoint.hash), ...rows("sorted") };
  return [
    { ...table, ...checkpoint },
    ...(lists
      ? [{ path: "holders/lists.parquet", key: holderListsKey(symbol, lists.hash), ...rows("unsorted"), ...lists }]
      : []),
    ...largest.map(({ name, ...month }) => {
      return { path: `holders/largest/${name}.parquet`, key: largestKey(symbol, name, month.hash), ...month };
    }),
  ];
}

/**
 * Copies an object piece by piece, as it may be large.
 *
 * @returns the size of the file, in bytes
 * @throws {Failure} these are not the bytes that the manifest lists
 */
async function copyWhole(
  store: ObjectStore,
  { symbol, decimals }: Manifest,
  { key, size, hash, rows }: HolderFile,
  path: string,
): Promise<number> {
  await mkdir(dirname(path), { recursive: true });
  const copy = rows === undefined ? path : `${path}.stored`;
  const { sha256 } = await writePieces(copy, piecesOf(store, key, size), ["sha256"]);
  if (!sha256.startsWith(hash)) {
    throw new Failure(
      `${key} is missing or damaged in ${store.name}. Nothing was exported: choose another build, or run ${advised("verify", symbol)}.`,
    );
  }
  if (rows === undefined) return size;
  const pieces = plainHolders(copy, decimals, rows === "sorted" ? "address" : undefined);
  const written = await writePieces(path, pieces, []);
  await rm(copy);
  return written.size;
}

/** The script of views, in the folder. */
const SCRIPT = "duckdb.sql";

const pathOf = ({ metric, resolution, period }: ManifestObject) => `${metric}/${resolution}/${period.name}.parquet`;

/** The files as views of DuckDB, by paths from the folder: it may be moved. */
function scriptOf(
  manifest: Manifest,
  files: Record<Parameters<FilesOf>[1], readonly ManifestSeries<TableOf>[]>,
): string {
  const layout = { place: pathOf, asset: sqlText(manifest.symbol), of: pathPart(3) };
  const filesOf: FilesOf = (resolution, of) => files[of].filter((file) => file.resolution === resolution);
  const use = `Read it in this folder, as its paths begin here: duckdb -init ${SCRIPT}. Elsewhere: SET file_search_path = '<this folder>';`;
  return [duckdbHead([manifest], use), ...duckdbViews([manifest], filesOf, layout)].join("");
}

async function readBuild(
  store: ObjectStore,
  symbol: string,
  build: string | undefined,
): Promise<{ manifest: Manifest; bytes: Uint8Array }> {
  if (build === undefined) {
    const current = await readCurrent(store, symbol);
    const record = await store.get(buildKey(symbol, current.manifest.build));
    // The record lists the input files; it may have been deleted or damaged since.
    const isWhole = record && isActiveFormOf(current.manifest, readManifest(record).manifest);
    return { manifest: current.manifest, bytes: (isWhole ? record : current).bytes };
  }
  const { manifest, bytes, problem, build: id } = buildNamed(await readBuilds(store, symbol), symbol, build);
  if (!manifest) throw new Failure(`Build ${id} of ${symbol} can't be read (${problem}): choose another one.`);
  return { manifest, bytes };
}

/** @throws {Failure} these are not the bytes that the manifest lists */
function checked(store: ObjectStore, listed: ManifestObject, object: StoredObject | undefined): Uint8Array {
  const { key, symbol } = listed;
  const [problem] = object ? byteProblems(listed, object) : [`${key} is missing in ${store.name}.`];
  if (problem === undefined) return object!.bytes;
  throw new Failure(`${problem} Nothing was exported: choose another build, or run ${advised("verify", symbol)}.`);
}

async function write(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  // On disk before the folder gets its name.
  await writeFile(path, bytes, { flush: true });
}

/** Also true of a symbolic link that leads nowhere. */
const exists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

const occupied = (out: string) => new Failure(`${out} exists already: name a new folder, or remove that one first.`);

function explained(error: unknown, out: string): unknown {
  const { code, path } = error as NodeJS.ErrnoException;
  // Only an error of the file system names a path.
  if (error instanceof Failure || path === undefined) return error;
  return new Failure(`${out} can't be written (${code}): choose another folder with --out.`);
}
