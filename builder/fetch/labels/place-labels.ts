/** Copies this chain's shipped exchange labels to an asset's inputs, once. Source: docs/chain.md#labels. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Source } from "../../input/asset/source.ts";
import { TABLES } from "../../input/fetched/fetched.ts";
import { Failure } from "../../lib/failure.ts";
import { counted } from "../../lib/terminal/amount-text.ts";
import { readShippedLabels, SHIPPED_LABELS, WITHOUT_LABELS } from "./shipped.ts";

export interface PlaceLabelsOptions {
  /** `inputs/<SYMBOL>`. */
  folder: string;
  chainId: number;
  /** The `labels` of ASSET.json's `source`. */
  labels: Source["labels"];
  /** The version in fetch.json; undefined before the first fetch. */
  placed: string | undefined;
  /** Replaces labels of an earlier version: `--recheck labels`. */
  recheck: boolean;
}

export interface PlacedLabels {
  /** For fetch.json; undefined where the asset takes no labels. */
  version: string | undefined;
  /** Sentences for the user. */
  notices: string[];
  /** The whole file as it has to be; undefined if it stays as it is. */
  csv: string | undefined;
}

/** @throws {Failure} the file that fetch.json refers to is missing */
export async function placeLabels(options: PlaceLabelsOptions): Promise<PlacedLabels> {
  const { folder, chainId, labels, placed, recheck } = options;
  if (labels === "none") return { version: undefined, notices: [], csv: undefined };
  const path = join(folder, TABLES.labels);
  if (placed !== undefined && !recheck) {
    await readPlaced(folder);
    const isLate = placed === WITHOUT_LABELS && SHIPPED_LABELS.has(chainId);
    return { version: placed, notices: isLate ? [LATE] : [], csv: undefined };
  }
  const shipped = await readShippedLabels(chainId);
  const hasNone = shipped.version === WITHOUT_LABELS;
  const notices = hasNone
    ? [`Soprano ships no exchange labels for chain ${chainId}: name your own as "exchanges".`]
    : [];
  if (placed !== undefined) {
    notices.push(changeNotice(placed, shipped.version, await readFile(path, "utf8").catch(() => ""), shipped.csv));
  }
  return { version: shipped.version, notices, csv: shipped.csv };
}

/** @throws {Failure} the file is missing */
export async function readPlaced(folder: string): Promise<string> {
  const path = join(folder, TABLES.labels);
  return readFile(path, "utf8").catch(() => {
    throw new Failure(`${path} is missing: restore it, or take today's labels with --recheck labels.`);
  });
}

/** For an asset that was first fetched when nothing shipped for its chain. */
const LATE = "Soprano ships exchange labels for this chain now: --recheck labels takes them.";

/** Changed labels that are named; the others are counted. */
const NAMED = 10;

function changeNotice(placed: string, version: string, before: string, now: string): string {
  const [was, is] = [exchangesOf(before), exchangesOf(now)];
  const addresses = [...new Set([...was.keys(), ...is.keys()])].sort();
  const changed = addresses.filter((address) => was.get(address) !== is.get(address));
  if (changed.length === 0) return `The exchange labels have not changed since ${placed}.`;
  const list = changed
    .slice(0, NAMED)
    .map((address) => `${address} (${is.get(address) ?? "none"}, was ${was.get(address) ?? "none"})`);
  const more = changed.length > NAMED ? ` and ${changed.length - NAMED} more` : "";
  return (
    `Exchange labels ${version} replace ${placed}: ${counted(changed.length, "label")} changed: ${list.join(", ")}${more}. ` +
    "If any of them has held the token, the next build is a full one."
  );
}

/** Exchange by address. */
function exchangesOf(csv: string): Map<string, string> {
  const rows = csv
    .split(/\r?\n/)
    .slice(1)
    .filter((row) => row !== "");
  return new Map(
    rows.map((row): [string, string] => {
      const [address = "", exchange = ""] = row.split(",");
      return [address.trim().toLowerCase(), exchange.trim()];
    }),
  );
}
