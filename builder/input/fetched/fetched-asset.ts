/** An asset whose inputs `soprano fetch` brings: what its fetch.json adds to its ASSET.json. Source: docs/chain.md#layout. */

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Checked, inputsPrefix, type PricesProven } from "../../../data-schema/stored.ts";
import { advised, advisedFetch } from "../../lib/advised.ts";
import { Failure } from "../../lib/failure.ts";
import { type AssetFile, contractDecimals, fetchedTransfers, readAsset } from "../asset/asset.ts";
import type { InputFile } from "../files/files.ts";
import {
  FETCHED_NAME,
  type FetchCheck,
  type Fetched,
  inputsFolder,
  type PriceProof,
  readFetched,
  TABLES,
  type TableRole,
  transferFiles,
} from "./fetched.ts";
import { checkPredecessors } from "./fetched-predecessors.ts";
import { adoptFormerFiles } from "./former-files.ts";

/**
 * Reads the ASSET.json of an asset that is to be built. If its transfers are fetched, the as-of time is that of the last
 * fetch, unless an earlier one is given.
 *
 * @param asOf overrides the file's `asOf`, Unix seconds
 * @throws {Failure} as `readAsset` and `checkPredecessors`; nothing has been fetched, its last check failed, or its files are not those of fetch.json
 */
export async function readAssetToBuild(
  path: string,
  asOf?: number,
  onNotice: (text: string) => void = () => {},
): Promise<AssetFile> {
  const asset = await readAssetAndFetched(path, asOf, onNotice);
  await checkPredecessors(asset);
  return asset;
}

async function readAssetAndFetched(
  path: string,
  asOf: number | undefined,
  onNotice: (text: string) => void,
): Promise<AssetFile> {
  const asset = await readAsset(path, asOf);
  for (const note of await adoptFormerFiles(asset)) onNotice(note);
  const { source, symbol, transfers } = asset;
  // With transfers of the user's own, nothing of fetch.json is about them.
  if (!source || String(transfers) !== fetchedTransfers(symbol)) return asset;
  const folder = inputsFolder(path, symbol);
  const fetched = await readFetched(folder);
  if (!fetched) throw new Failure(`${path}: nothing has been fetched yet. Run ${advisedFetch(path)} first.`);
  checkIdentity(asset, fetched);
  const { check } = fetched;
  if (check?.status === "failed") {
    const [problem = "The balances differ from the chain's."] = check.problems ?? [];
    throw new Failure(
      `${symbol}: the last check against the chain failed, so nothing is built until ${advisedFetch(path)} succeeds. ${problem}`,
    );
  }
  await checkFiles(asset, folder, fetched);
  return withFetched(asset, fetched);
}

/**
 * What a fetch adds to an asset: the as-of time if it has none, and the digests of the files.
 *
 * @throws {Failure} the transfers are not fetched up to the as-of time of the asset
 */
export function withFetched(asset: AssetFile, fetched: Fetched): AssetFile {
  const { path, symbol } = asset;
  const { check } = fetched;
  const complete = Date.parse(fetched.asOf) / 1000;
  if (asset.asOf !== undefined && asset.asOf > complete) {
    const wanted = new Date(asset.asOf * 1000).toISOString();
    throw new Failure(
      `${path}: the transfers are fetched up to ${fetched.asOf}, not up to ${wanted}. Run ${advisedFetch(path)}, or give an earlier time.`,
    );
  }
  const { prices, ...rest } = asset;
  // Pools that are new or too small have not had a price yet: then there is no file.
  const hasFetchedPrices = String(prices) === `inputs/${symbol}/${TABLES.prices}`;
  const hasPrices = fetched.prices?.rows !== 0 || !hasFetchedPrices;
  return {
    ...rest,
    ...(prices && hasPrices && { prices }),
    asOf: asset.asOf ?? complete,
    ...(fetched.labels !== undefined && { labelsVersion: fetched.labels }),
    ...(check && { checked: checkedBy(check) }),
    ...(fetched.repaired && { repaired: fetched.repaired }),
    ...(hasFetchedPrices && fetched.prices?.proof && { priceProof: provenBy(fetched.prices.proof) }),
    digests: new Map([
      ...transferFiles(fetched).map(({ file, sha256 }) => [`inputs/${symbol}/${file}`, sha256] as const),
      ...tableDigests(fetched, symbol),
    ]),
  };
}

const checkedBy = ({ block, holders, of, since }: FetchCheck): Checked => ({
  block,
  holders,
  of,
  ...(since !== undefined && { since }),
});

const provenBy = ({ block, since, pools, feeds }: PriceProof): PricesProven => ({
  block,
  since: Date.parse(since) / 1000,
  pools: Object.keys(pools).length,
  feeds: Object.keys(feeds).length,
});

function* tableDigests({ tables = {} }: Fetched, symbol: string): Generator<readonly [string, string]> {
  for (const [role, sha256] of Object.entries(tables)) {
    yield [`inputs/${symbol}/${TABLES[role as TableRole]}`, sha256];
  }
}

/** For a file whose digest is not that of fetch.json. */
export function changedSinceFetch({ name }: InputFile, { path, symbol }: AssetFile): Failure {
  const role = (Object.keys(TABLES) as TableRole[]).find((role) => name === `inputs/${symbol}/${TABLES[role]}`);
  return role
    ? changedTable(path, name, role, false)
    : new Failure(`${name} has changed since it was fetched. ${repair(path)}`);
}

/** What a recheck does. */
const ANEW: Readonly<Record<TableRole, string>> = {
  prices: "which computes all hours again",
  contracts: "which looks at all addresses again",
  labels: "which takes today's labels",
  kinds: "which takes today's kinds of contracts",
};

/** The failure of a table that is not what `fetch` has written. */
export function changedTable(path: string, name: string, role: TableRole, isMissing: boolean): Failure {
  const isEdited = role === "prices" && !isMissing;
  return new Failure(
    `${name} ${isMissing ? "is missing" : "has changed since soprano fetch wrote it"}: restore it, or run ` +
      `${advisedFetch(path, "--recheck", role)}, ${ANEW[role]}.${isEdited ? ` ${correctingText(path)}` : ""}`,
  );
}

/** What to do instead of editing prices.csv. */
export const correctingText = (path: string): string =>
  `To correct a price, run ${advised("prices", path, "--at", "TIME", "--set", "PRICE", "--because", "WHY")}: no fetch undoes that.`;

const repair = (path: string) => `Restore it, or run ${advisedFetch(path, "--repair")}.`;

/** @param said by the contract */
export const wrongDecimals = (asset: AssetFile, said: number): Failure =>
  new Failure(`${asset.path}: "decimals" is ${contractDecimals(asset)}, but the contract says ${said}. Correct it.`);

function checkIdentity(asset: AssetFile, fetched: Fetched): void {
  const { path, symbol, source, contract } = asset;
  const decimals = contractDecimals(asset);
  const said = fetched.check?.decimals ?? decimals;
  if (said !== decimals) throw wrongDecimals(asset, said);
  const asked = { chainId: source!.chainId, contract };
  for (const key of ["chainId", "contract"] as const) {
    if (asked[key] === fetched[key]) continue;
    throw new Failure(
      `${path}: ${key} is ${asked[key]}, but what inputs/${symbol} holds was fetched for ${fetched[key]}. ` +
        `Correct it, or remove that folder, and ${inputsPrefix(symbol)} in the bucket if --store keeps it there, and run ${advisedFetch(path)}.`,
    );
  }
}

/** Compares the files on disk with those of fetch.json, by name and size. Their digests follow when they are read. */
async function checkFiles({ path, symbol }: AssetFile, folder: string, fetched: Fetched): Promise<void> {
  const place = `inputs/${symbol}`;
  const files = transferFiles(fetched);
  const listed = new Set(files.map(({ file }) => file));
  for (const name of (await readdir(join(folder, "transfers")).catch(() => [])).sort()) {
    const file = `transfers/${name}`;
    if (!/\.parquet$/.test(name) || listed.has(file)) continue;
    throw new Failure(`${place}/${file} is not a file that was fetched: ${FETCHED_NAME} does not list it. Remove it.`);
  }
  for (const { file, bytes } of files) {
    const found = await stat(join(folder, file)).catch(() => undefined);
    if (!found) throw new Failure(`${place}/${file} is missing, but ${FETCHED_NAME} lists it. ${repair(path)}`);
    if (found.size === bytes) continue;
    throw new Failure(`${place}/${file} has changed since it was fetched. ${repair(path)}`);
  }
}
