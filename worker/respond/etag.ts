/** Entity tags, by which a client asks whether the answer that it has is still the answer. Source: docs/api.md#responses. */

import type { Manifest } from "../../data-schema/stored.ts";
import { textDigest } from "../../data-schema/text.ts";
import { hasFormulas } from "../read/derive.ts";
import type { Distribution } from "../read/distribution.ts";
import type { Table } from "../read/table-parts.ts";
import type { DistributionQuery } from "../request/distribution-query.ts";
import type { FilePath } from "../request/file-path.ts";
import type { TableQuery } from "../request/table-query.ts";
import type { Query } from "../request/validate.ts";

/** Version of the answers: raise it if the same query on the same build gives another text. */
const REPRESENTATION = 1;

/** Version of the answers that are tables. 2: the schema of Arrow has metadata. */
const TABLE_REPRESENTATION = 2;
/** Changes when a formula may give other values of the same series. */
const FORMULA_REPRESENTATION = 1;

/**
 * The strong entity tag of a query's answer: everything that the text depends on, in plain text. The version in the path
 * is left out, since both versions give the same text.
 */
export function entityTag(query: Query, { build }: Manifest): string {
  const { symbol, metric, selector, resolution, since, until, format } = query;
  const bound = (seconds: number) => (Number.isFinite(seconds) ? seconds : "");
  const parts = [REPRESENTATION, symbol, build, metric, selector, resolution, bound(since), bound(until), format];
  return `"${parts.join(":")}"`;
}

/**
 * The strong entity tag of a table: a digest of everything that the text depends on, since the names of many series would
 * be longer than a header may be.
 *
 * @param manifests of all its assets: answers name their builds, also of assets without a column
 */
export async function tableTag(
  { resolution, columns, outputs, since, until, sinceBlock, untilBlock, replacements }: Table,
  { last, time, format }: TableQuery,
  manifests: readonly Manifest[],
): Promise<string> {
  const builds = manifests.map(({ symbol, build, asOf }) => [symbol, build, asOf]);
  const series = columns.map(({ manifest, metric, selector }) => [manifest.symbol, metric.name, selector]);
  const bounds = [since, until, sinceBlock, untilBlock].map((bound) => (Number.isFinite(bound) ? bound : ""));
  const parts = [TABLE_REPRESENTATION, builds, series, resolution, bounds, last, time, format];
  // Without formulas, the columns are what is shown.
  const shown = hasFormulas({ outputs })
    ? [
        FORMULA_REPRESENTATION,
        outputs.map((one) => (one.formula === null ? one.column : [one.asset, one.name, one.text])),
      ]
    : [];
  const text = JSON.stringify([...parts, ...shown, ...(replacements ? [{ known: replacements.tag }] : [])]);
  return `"${(await textDigest(text)).slice(0, 32)}"`;
}

/** The strong entity tag of a distribution. */
export async function distributionTag(
  { manifest, name, selector, resolution, t }: Distribution,
  { time, format }: DistributionQuery,
): Promise<string> {
  const { symbol, build } = manifest;
  const parts = [REPRESENTATION, symbol, build, name, selector, resolution, t.at(0), t.at(-1), time, format];
  return `"${(await textDigest(JSON.stringify(parts))).slice(0, 32)}"`;
}

/** The strong entity tag of the list of files: a build has the same files for ever, at addresses of the host that was asked. */
export function fileListTag({ symbol, build }: Manifest, origin: string): string {
  return `"${[REPRESENTATION, "files", symbol, build, origin].join(":")}"`;
}

/** The strong entity tag of a file, whose name has the digest of its bytes. */
export function fileTag({ hash }: FilePath): string {
  return `"${hash}"`;
}

/** Whether If-None-Match names the tag, compared weakly (RFC 9110 §13.1.2): the edge weakens the tags of what it compresses. */
export function isKnown(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.match(/"[^"]*"/g)?.includes(tag) ?? false;
}
