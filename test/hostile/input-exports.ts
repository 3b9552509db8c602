/** Exports of several tokens in the shapes that tools give them, and what a build must make of them. */

import fc from "fast-check";
import { ASSET, START, type Table } from "./input-files.ts";
import { share } from "./share.ts";

/** What the column of contracts is called. The names of a list are the same to a reader. */
const NAMES = [
  ["contract_address", "Contract Address", "contractAddress", "CONTRACT_ADDRESS"],
  ["token", "Token", "TOKEN"],
  ["address"],
  ["currency_address", "currencyAddress"],
  ["Vertrag"],
] as const;

/** Columns that say nothing of whose transfer a row is, with what is in them. `own` stands for the asset's contract. */
const BESIDE: Record<string, readonly string[]> = {
  tx_to: ["own", `0x${"d1".repeat(20)}`],
  origin_from_address: [`0x${"d2".repeat(20)}`],
  "Tx To": ["own"],
  miner: [`0x${"d3".repeat(20)}`, ""],
  transaction_hash: [`0x${"ab".repeat(32)}`],
  symbol: ["USDC", "OWN", ""],
  note: ["", "a, b; c", 'say "a"'],
  nothing: [""],
};

export interface Export {
  kind: "export";
  form: "csv" | "parquet";
  files: ExportedFile[];
  separator: string;
  top: string;
  /** Names of `BESIDE`. */
  beside: string[];
  /** Whether there is a column of other addresses. */
  hasPool: boolean;
  /** Whether Parquet has the contracts as bytes. */
  isBytes: boolean;
  /** What ASSET.json says of the column of contracts: nothing, that it is called as in the first file, or that there is none. */
  said: "nothing" | "name" | "none";
}

interface ExportedFile {
  /** Which list of `NAMES`, and as a share which of its names. */
  list: number;
  spelling: number;
  /** A mint each: the number of the token, 0 being the asset, and how many whole tokens. */
  mints: { token: number; amount: number }[];
}

const mint = fc.record({ token: fc.nat(2), amount: fc.integer({ min: 1, max: 1_000 }) });
const file = (lists: fc.Arbitrary<number>) =>
  fc.record({ list: lists, spelling: share, mints: fc.array(mint, { minLength: 1, maxLength: 8 }) });
const list = fc.nat(NAMES.length - 1);

export const exported: fc.Arbitrary<Export> = fc
  .oneof({ weight: 3, arbitrary: list.map((one) => fc.constant(one)) }, fc.constant(list))
  .chain((lists) =>
    fc.record({
      kind: fc.constant("export" as const),
      form: fc.constantFrom("csv" as const, "parquet" as const),
      files: fc.array(file(lists), { minLength: 1, maxLength: 3 }),
      separator: fc.constantFrom(",", ";", "\t"),
      top: fc.constantFrom(
        "",
        "https://www.example.com/data\n",
        "# made by hand, on a Monday; twice\n\n",
        "sep=",
        '"sep="',
      ),
      beside: fc.subarray(Object.keys(BESIDE)),
      hasPool: fc.nat(9).map((number) => number === 0),
      isBytes: fc.boolean(),
      said: fc.constantFrom("nothing" as const, "nothing" as const, "name" as const, "none" as const),
    }),
  );

const nameOf = ({ list, spelling }: ExportedFile): string => {
  const names = NAMES[list]!;
  return names[Math.floor(spelling * names.length)]!;
};

/** Whole tokens; undefined if the build must refuse the files. */
export function supplyOf({ files, hasPool, said }: Export): number | undefined {
  const sum = (mints: ExportedFile["mints"]) => mints.reduce((total, { amount }) => total + amount, 0);
  if (said === "none") return sum(files.flatMap(({ mints }) => mints));
  const own = files.flatMap(({ mints }) => mints).filter(({ token }) => token === 0);
  const isTold = ({ list, mints }: ExportedFile) => {
    if (said === "name" && list === files[0]!.list) return true;
    if (hasPool) return false;
    // A column by another name must hold the contract to be known; without a word of ASSET.json, all have one name.
    return said === "name" ? mints.some(({ token }) => token === 0) : list === files[0]!.list;
  };
  return own.length > 0 && files.every(isTold) ? sum(own) : undefined;
}

/** The files as tables, and the key `columns` of ASSET.json. */
export function tablesOf({ files, beside, hasPool, said }: Export) {
  const tokens = [ASSET.contract, `0x${"71".repeat(20)}`, `0x${"a9".repeat(20)}`];
  let row = 0;
  const tables = files.map((file): Table => {
    const extra = [...beside, ...(hasPool ? ["pool"] : [])];
    const columns = ["block_number", "log_index", "block_timestamp", "from_address", "to_address", "value"];
    const rows = file.mints.map(({ token, amount }) => {
      const at = row++;
      const cells = beside.map((name) => BESIDE[name]![at % BESIDE[name]!.length]!.replace("own", ASSET.contract));
      const transfer = [`0x${"00".repeat(20)}`, `0x${"a1".repeat(20)}`, `${amount}${"0".repeat(ASSET.decimals)}`];
      return [
        ...[String(1_000 + at), "0", String(START + at * 3_600), ...transfer, tokens[token]!, ...cells],
        ...(hasPool ? [`0x${"d4".repeat(20)}`] : []),
      ];
    });
    return { columns: [...columns, nameOf(file), ...extra], rows };
  });
  const contract = said === "none" ? null : nameOf(files[0]!).toUpperCase();
  return { tables, ...(said !== "nothing" && { columns: { contract } }) };
}
