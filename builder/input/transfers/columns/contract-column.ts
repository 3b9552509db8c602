/**
 * Finds the column that says whose transfer a row is. Exports of many tokens call it by many names, so what it holds counts.
 * Source: docs/building.md#the-column-of-contracts.
 */

import { Failure } from "../../../lib/failure.ts";
import type { AssetFile } from "../../asset/asset.ts";

/** A column with addresses. */
export interface AddressColumn {
  name: string;
  /** Whether the asset's contract is in one of its rows. */
  holdsContract: boolean;
  /** Whether most of its cells are addresses, leaving empty ones aside. */
  isOfAddresses: boolean;
}

/** A file of transfers, as far as it has been looked at. */
export interface FileColumns {
  /** For messages. */
  file: string;
  /** All columns. */
  names: readonly string[];
  /** Its column of contracts, if it has one under a name that says so. */
  standard?: string | undefined;
  /** Other columns with addresses, which may be contracts. */
  addresses: readonly AddressColumn[];
}

/** A name as it is compared: exports differ in case, blanks and underscores. */
export const plainName = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

/** The name of a file's column of contracts; null: there is none. Undefined: it has a standard name, if there is one. */
type Choice = string | null | undefined;

/**
 * Chooses the column of contracts of each file. All files are judged as one: in a month without a transfer of the asset, the
 * column holds other contracts, and another column may hold the asset's by chance.
 *
 * @throws {Failure} what the files hold does not tell which column it is, or ASSET.json names one that no file has
 */
export function chooseContractColumns(
  asset: Pick<AssetFile, "path" | "contract" | "columns">,
  files: readonly FileColumns[],
): Choice[] {
  const { path, contract } = asset;
  const given = asset.columns?.contract;
  if (given === null) return files.map(() => null);
  if (given !== undefined && files.length > 0 && !files.some(({ names }) => called(names, given) !== undefined)) {
    throw new Failure(
      `${path}: "columns.contract" names ${given}, a column that no file of transfers has; correct it.`,
    );
  }
  const answer = (column: string) => `"columns": {"contract": ${JSON.stringify(column)}}`;
  const agreed =
    given ??
    agreedName(files, (one, other) => {
      const [first, second] = [one, other].map(({ file, name }) => `${file} in column ${name}`);
      return new Failure(
        `Contract ${contract} is in ${first}, but in ${second}. Call the column the same in all files, or name it in ${path}, as ${answer(one.name)}.`,
      );
    });
  return files.map(({ file, names, standard, addresses }) => {
    const named = agreed === undefined ? undefined : called(names, agreed);
    if (named !== undefined && given !== undefined) return named;
    if (standard !== undefined) return undefined;
    const own = addresses.filter(isOfContracts);
    const chosen = named ?? (own.length === 1 ? own[0]!.name : undefined);
    if (addresses.every(({ name }) => name === chosen)) return chosen;
    const said = addresses.map(
      ({ name, holdsContract }) => `${name} ${holdsContract ? "holds the asset's contract" : "holds other addresses"}`,
    );
    throw new Failure(
      `${file}: it is unclear which column says whose transfer a row is: ${said.join(", ")}. Name it in ${path}, as ` +
        `${answer(chosen ?? addresses[0]!.name)}, or write null there if all rows are transfers of ${contract}.`,
    );
  });
}

/** Columns of other texts may hold it by chance. */
const isOfContracts = ({ holdsContract, isOfAddresses }: AddressColumn) => holdsContract && isOfAddresses;

/** The column of that name, as written in the file. */
export const called = (names: readonly string[], wanted: string): string | undefined =>
  names.find((name) => name === wanted) ?? names.find((name) => plainName(name) === plainName(wanted));

interface Found {
  file: string;
  name: string;
  isStandard: boolean;
}

/** The name under which files hold the asset's contract; undefined if none does, or under a standard name. */
function agreedName(
  files: readonly FileColumns[],
  disagree: (one: Found, other: Found) => Failure,
): string | undefined {
  const found = files.flatMap(({ file, standard, addresses }): Found[] => {
    if (standard !== undefined) return [{ file, name: standard, isStandard: true }];
    const own = addresses.filter(isOfContracts);
    return own.length === 1 ? [{ file, name: own[0]!.name, isStandard: false }] : [];
  });
  const [one] = found;
  if (!one) return undefined;
  const agrees = ({ name, isStandard }: Found) =>
    isStandard ? one.isStandard : !one.isStandard && plainName(name) === plainName(one.name);
  const other = found.find((other) => !agrees(other));
  if (other) throw disagree(one, other);
  return one.isStandard ? undefined : one.name;
}
