/** What can be wrong with an input file. */

import fc from "fast-check";
import { ANY_CHARACTER } from "../data-schema/text/characters.ts";
import { type Export, exported } from "./input-exports.ts";
import { REFUSED, TABLE_NAMES, TABLES, type Table, type TableName } from "./input-files.ts";
import { share } from "./share.ts";

/** A file of a table, as CSV or as Parquet. */
type Form = "csv" | "parquet";

/** Places as shares. */
export type Change =
  /** The bytes of a file, or of ASSET.json. */
  | { kind: "bytes"; file: TableName | "asset"; form: Form; edits: Edit[] }
  | { kind: "cell"; file: TableName; form: Form; row: number; column: number; text: string; isRefused: boolean }
  | { kind: "column"; file: TableName; form: Form; column: number; becomes: "dropped" | "doubled" | { name: string } }
  /** A type of a Parquet column. */
  | { kind: "type"; file: TableName; column: number; type: string }
  | { kind: "rows"; file: TableName; form: Form; becomes: "none" | "doubled" | "reversed" }
  | { kind: "key"; key: string; value: unknown }
  | Export;

interface Edit {
  place: number;
  /** Bytes to remove there, and to put there. */
  removes: number;
  puts: string;
}

const file = fc.constantFrom(...TABLE_NAMES, "transfers" as const, "prices" as const);
const form = fc.constantFrom<Form[]>("csv", "parquet");

const STRAY = [
  "\0",
  '"',
  "'",
  ",",
  "\n",
  "\r",
  "\r\n",
  "\ufeff",
  "\xff\xfe",
  ";",
  "\t",
  "#",
  "\\",
  "-",
  "e9",
  ".",
  "0x",
  "\u202e",
];
const edit: fc.Arbitrary<Edit> = fc.record({
  place: share,
  removes: fc.oneof(fc.constantFrom(0, 1, 5), fc.constant(1_000_000)),
  puts: fc.oneof(fc.constantFrom("", ...STRAY, "9".repeat(70_000)), fc.string({ unit: ANY_CHARACTER, maxLength: 10 })),
});

const TYPES = [
  "DOUBLE",
  "FLOAT",
  "BOOLEAN",
  "DATE",
  "TIME",
  "TIMESTAMP",
  "TIMESTAMPTZ",
  "INTERVAL",
  "BLOB",
  "VARCHAR[]",
  "STRUCT(a VARCHAR)",
  "MAP(VARCHAR, VARCHAR)",
  "UUID",
  "HUGEINT",
  "DECIMAL(38,10)",
  "TINYINT",
  "BIT",
  "TIMESTAMP_NS",
  "ENUM('a')",
];

const cell = file.chain((name) => {
  const { columns } = TABLES[name];
  const text = (column: string) =>
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...REFUSED[column]!).map((text) => ({ text, isRefused: true })) },
      fc.string({ unit: ANY_CHARACTER, maxLength: 12 }).map((text) => ({ text, isRefused: false })),
    );
  return fc.nat(columns.length - 1).chain((column) =>
    fc.record({ row: share, form, cell: text(columns[column]!) }).map(({ row, form, cell: { text, isRefused } }) => {
      // The only cell of a row of CSV: without it, the line is blank, and blank lines are passed over.
      const isBlankLine = form === "csv" && columns.length === 1 && text.trim() === "";
      return { kind: "cell" as const, file: name, form, row, column, text, isRefused: isRefused && !isBlankLine };
    }),
  );
});

const KEYS = [
  "symbol",
  "name",
  "chain",
  "contract",
  "decimals",
  "maxSupply",
  "asOf",
  "transfers",
  "prices",
  "exchanges",
  "contracts",
  "blocks",
  "resolutions",
  "columns",
  "__proto__",
  "colour",
];
const jsonValue = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    1.5,
    1e308,
    "",
    "..",
    "/",
    "*",
    "../*",
    "nowhere.csv",
    [],
    {},
    "0x",
    "1e3",
    "9".repeat(200),
    ["a", 1],
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

export const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: exported },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("bytes" as const),
      file: fc.oneof(file, fc.constant("asset" as const)),
      form,
      edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 4, arbitrary: cell },
  fc.record({
    kind: fc.constant("column" as const),
    file,
    form,
    column: share,
    becomes: fc.oneof(
      fc.constantFrom("dropped" as const, "doubled" as const),
      fc.record({
        name: fc.oneof(fc.constantFrom("", " value", "VALUE", "file", "row", '"'), fc.string({ maxLength: 8 })),
      }),
    ),
  }),
  fc.record({ kind: fc.constant("type" as const), file, column: share, type: fc.constantFrom(...TYPES) }),
  fc.record({
    kind: fc.constant("rows" as const),
    file,
    form,
    becomes: fc.constantFrom("none" as const, "doubled" as const, "reversed" as const),
  }),
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("key" as const), key: fc.constantFrom(...KEYS), value: jsonValue }),
  },
);

/** The table with the change, if it is one of its table. */
export function changedTable({ columns, rows }: Table, change: Change): Table {
  switch (change.kind) {
    case "cell": {
      const at = Math.floor(change.row * rows.length);
      return { columns, rows: rows.map((row, i) => (i === at ? row.with(change.column, change.text) : row)) };
    }
    case "column": {
      const at = Math.floor(change.column * columns.length);
      const { becomes } = change;
      if (typeof becomes === "object") return { columns: columns.with(at, becomes.name), rows };
      const spliced = (row: readonly string[]) =>
        becomes === "dropped" ? row.toSpliced(at, 1) : row.toSpliced(at, 0, row[at]!);
      return { columns: spliced(columns), rows: rows.map(spliced) };
    }
    case "rows":
      return { columns, rows: { none: [], doubled: [...rows, ...rows], reversed: rows.toReversed() }[change.becomes] };
    default:
      return { columns, rows };
  }
}

/** Edits bytes, one place after the other. */
export function edited(bytes: Buffer, edits: readonly Edit[]): Buffer {
  return edits.reduce((before, { place, removes, puts }) => {
    const at = Math.floor(place * before.length);
    // In Latin-1, stray bytes need not be UTF-8.
    const put = Buffer.from(puts, [...puts].some((letter) => letter > "\xff") ? "utf8" : "latin1");
    return Buffer.concat([before.subarray(0, at), put, before.subarray(at + removes)]);
  }, bytes);
}
