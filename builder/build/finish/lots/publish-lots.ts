/**
 * Publishes what is computed of lots: an object for each method and period, beside those of the metrics, and the table of lots
 * beside the checkpoint. No method changes what is published of anything else. Source: docs/methodology.md §14.
 */

import { createReadStream, openAsBlob } from "node:fs";
import { join } from "node:path";
import {
  BUCKET_SECONDS,
  LOT_METRICS,
  type LotMethod,
  lotSelector,
  lotSeries,
  lotTable,
  type Resolution,
} from "../../../../data-schema/registry.ts";
import { lotsKey, type Manifest, namePart, type SeriesObject } from "../../../../data-schema/stored.ts";
import { closePrice, newBuckets, type Outline } from "../../../engine/history.ts";
import { LotBook, LotCloses } from "../../../engine/lots.ts";
import type { Publication } from "../../../published/publish/publication.ts";
import { DIGESTS, digestPieces } from "../../../store/pieces.ts";
import type { HolderFacts } from "../../left/facts.ts";
import { readResults } from "../../left/results.ts";
import { lotMethods } from "../../left/stage-plan.ts";
import { changeWords, LOT_TABLE } from "../../lots/lot-files.ts";
import { lotTableEnd } from "../../lots/lot-table.ts";
import { periodsOf, publishPeriod } from "../publish-period.ts";
import { type SeriesTable, type TableSeries, type TableWork, tableSeries } from "../table-series.ts";
import { readBook } from "./read-book.ts";

type Checkpoint = NonNullable<Manifest["checkpoint"]>;

/**
 * @param manifest of the build, with its periods and its checkpoint, if it has one
 * @returns the manifest with the lots
 * @throws {CannotResume} a published object that would be extended is damaged
 */
export async function publishLots(
  work: TableWork,
  publication: Publication,
  manifest: Manifest,
  outline: Outline,
): Promise<Manifest> {
  const { plan, folder } = work;
  const methods = lotMethods(plan);
  if (methods.length === 0) return manifest;
  const [holders] = await readResults(folder, plan, "holders");
  const facts: NonNullable<Manifest["lots"]> = {};
  const tables: NonNullable<Checkpoint["lots"]> = {};
  const entries = new Map<string, Partial<Record<LotMethod, SeriesObject>>>();
  for (const method of methods) {
    const state = plan.resume?.lots?.[method];
    const own: Outline = {
      ...outline,
      whose: "lots",
      ...(outline.checkpoint && { checkpoint: { ...outline.checkpoint, ...state } }),
    };
    const series = await seriesOf(work, own, method);
    const table = { symbol: manifest.symbol, of: method, order: lotTable(method), resume: plan.resume };
    for (const [resolution, period] of periodsOf(manifest)) {
      const entry = await publishPeriod(publication, table, resolution, period, series);
      const place = placeOf(resolution, period.name);
      entries.set(place, { ...entries.get(place), [method]: entry });
    }
    facts[method] = { lots: holders!.lots![method]!.written.rows };
    const { last } = manifest.resolutions.day;
    if (manifest.checkpoint && last !== null) {
      tables[method] = await publishTable(work, publication, method, holders!, series, last);
    }
  }
  return withLots(manifest, { facts, tables, entries });
}

const placeOf = (resolution: Resolution, period: string) => `${resolution}/${period}`;

async function seriesOf(work: TableWork, outline: Outline, method: LotMethod): Promise<TableSeries> {
  const days = newBuckets(outline, "day");
  const count = days ? (days.last - days.first) / BUCKET_SECONDS.day + 1 : 0;
  const book = new LotBook(outline.parameters.decimals, changeWords(outline) / 2);
  const closes = new LotCloses(count);
  let close = days?.first ?? 0;
  let isFirst = true;
  for await (const changes of readBook(work, outline, method, count)) {
    book.change(changes);
    if (!isFirst) {
      close += BUCKET_SECONDS.day;
      closes.close(book.keys, close, closePrice(outline.prices, close));
    }
    isFirst = false;
  }
  const flows = await readResults(work.folder, work.plan, "flows");
  const blocks = flows.flatMap(({ lots }) => lots?.[method] ?? []);
  return tableSeries(work, outline, closes.kept, blocks, tableOf(method));
}

const tableOf = (method: LotMethod): SeriesTable => ({
  metrics: LOT_METRICS.map(({ name }) => name),
  order: lotTable(method),
  nameOf: (metric, cohort) => lotSeries(metric, lotSelector(method, cohort)),
  method,
});

/** Puts the table of a method into the store. @param last start of the last complete day, Unix seconds */
async function publishTable(
  { plan, folder }: TableWork,
  publication: Publication,
  method: LotMethod,
  { lots }: HolderFacts,
  series: TableSeries,
  last: number,
): Promise<{ hash: string; size: number }> {
  const name = LOT_TABLE(method);
  await folder.copy(name);
  const path = join(folder.scratch, name);
  const time = last + BUCKET_SECONDS.day;
  const state = { time, coinDaysDestroyed: series.destroyedUntil(last), openBuckets: series.openAt(time) };
  const end = lotTableEnd(lots![method]!, state);
  const pieces = async function* () {
    yield* createReadStream(path);
    yield* end;
  };
  const digests = await digestPieces(pieces(), DIGESTS);
  const hash = namePart(digests.sha256);
  const content = new Blob([await openAsBlob(path), ...(end as Uint8Array<ArrayBuffer>[])]);
  await publication.putNamed(lotsKey(plan.asset.symbol, method, hash), content, digests);
  return { hash, size: digests.size };
}

interface Lots {
  facts: NonNullable<Manifest["lots"]>;
  tables: NonNullable<Checkpoint["lots"]>;
  /** By resolution and period. */
  entries: ReadonlyMap<string, Partial<Record<LotMethod, SeriesObject>>>;
}

function withLots(manifest: Manifest, { facts, tables, entries }: Lots): Manifest {
  const resolutions = Object.entries(manifest.resolutions).map(([resolution, found]) => {
    const periods = found!.periods.map((period) => {
      return { ...period, lots: entries.get(placeOf(resolution as Resolution, period.name)) };
    });
    return [resolution, { ...found, periods }];
  });
  return {
    ...manifest,
    lots: facts,
    ...(manifest.checkpoint && { checkpoint: { ...manifest.checkpoint, lots: tables } }),
    resolutions: Object.fromEntries(resolutions) as Manifest["resolutions"],
  };
}
