/**
 * What further columns of a file say about single rows: that the token is not fungible, which chain a row is of, that a
 * reorganisation has removed it. A cell that is empty, or without a meaning here, says nothing. Source:
 * docs/building.md#what-rows-say-about-themselves.
 */

import { literal } from "../../duckdb/database.ts";
import { type Column, type Table, textSql } from "../../duckdb/input-table.ts";

/** What a column says of some rows. */
export interface Sign {
  of: "not fungible" | "removed" | "chain";
  column: Column;
  /** SQL that a file's rows are grouped by: it has many rows but few of these. */
  key: string;
  /** SQL for what a key means: of a chain, its name, or its id as a decimal number; else whether the sign is there. */
  meaning(key: string): string;
  /** SQL condition on a meaning: it says something. */
  speaks(meaning: string): string;
}

type Rule = (column: Column) => Pick<Sign, "key" | "meaning" | "speaks">;

/** Texts that exporters write for a cell without a value, as a pattern. */
const NO_VALUE = "(null|none|nan|n/?a)?";

const matches = (sql: string, pattern: string) => `regexp_full_match(${sql}, ${literal(pattern)})`;
const plain = (text: string) => `lower(trim(coalesce(${text}, '')))`;
const itself = (sql: string) => sql;

/** ERC-20, as any chain calls it, and the standards that extend it. */
const FUNGIBLE = "([a-z]{0,4}20|erc(223|677|777|1363|4626)|fungible)(tokens?)?";

const otherStandard: Rule = (column) => ({
  key: textSql(column),
  meaning: (key) => `NOT ${matches(`regexp_replace(${plain(key)}, '[^a-z0-9/]', '', 'g')`, `${FUNGIBLE}|${NO_VALUE}`)}`,
  speaks: itself,
});

/** Most cells are NULL, which need no pattern. */
const isFilled = (text: string, empty: string): ReturnType<Rule> => ({
  key: `CASE WHEN ${text} IS NULL THEN false ELSE NOT ${matches(plain(text), `${empty}|${NO_VALUE}`)} END`,
  meaning: itself,
  speaks: itself,
});

/** Some exporters fill the column with zeros where there is nothing. */
const filled: Rule = (column) => isFilled(textSql(column), "(0x)?[0.]*");

/** The fourth of a list, or of a text such as `["0x…", …]`, whose topics have 64 digits each. */
const fourOfThem: Rule = ({ sql, type, ...column }) => {
  const list = type.match(/^(.*)\[\d*\]$/);
  return isFilled(
    list
      ? textSql({ ...column, sql: `${sql}[4]`, type: list[1]! })
      : `regexp_extract_all(lower(CAST(${sql} AS VARCHAR)), '[0-9a-f]{64}')[4]`,
    "(0x)?",
  );
};

const isTrue: Rule = (column) => ({
  key: textSql(column),
  meaning: (key) => `${plain(key)} IN ('true', 't', 'yes', 'y', '1', '1.0')`,
  speaks: itself,
});

/** `0x1` is 1, and `BNB Chain` is `bnb_chain`. */
const chain: Rule = (column) => ({
  key: textSql(column),
  meaning(key) {
    const cell = `regexp_replace(${plain(key)}, '[ _-]+', '_', 'g')`;
    const number = `CASE WHEN ${matches(cell, "0x[0-9a-f]{1,15}")} THEN CAST(CAST(${cell} AS BIGINT) AS VARCHAR) END`;
    return `coalesce(${number}, regexp_replace(${cell}, '^([0-9]+)\\.0$', '\\1'))`;
  },
  speaks: (meaning) => `NOT ${matches(meaning, NO_VALUE)}`,
});

/** SQL for what a sign means in a row, and the condition that it says something there. */
export const signMeaning = ({ meaning, key }: Sign) => meaning(key);
export const speaksSql = (sign: Sign) => sign.speaks(signMeaning(sign));

/** What a file's columns are looked for: of each list, the first column that a file has decides. */
const SIGNS: readonly (readonly [Sign["of"], readonly (readonly [names: readonly string[], Rule])[]])[] = [
  [
    "not fungible",
    [
      // ethereum-etl fills token_id of ERC-20 rows, too.
      [["token_type", "token_standard"], otherStandard],
      [["token_id"], filled],
    ],
  ],
  [
    "not fungible",
    [
      // Some count topics from 1.
      [["topic4", "topic3"], filled],
      [["topics"], fourOfThem],
    ],
  ],
  ["removed", [[["removed", "is_removed"], isTrue]]],
  ["chain", [[["chain_id"], chain]]],
  ["chain", [[["blockchain", "chain"], chain]]],
];

const normalized = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** The column of the first name that a table has, however its words are joined; of several, the first one. */
export function columnByName({ columns }: Table, names: readonly string[]): Column | undefined {
  for (const name of names) {
    const found = columns.find((column) => normalized(column.name) === normalized(name));
    if (found) return found;
  }
  return undefined;
}

/** The signs that a file has. */
export const signsOf = (table: Table): Sign[] =>
  SIGNS.flatMap(([of, rules]) => {
    for (const [names, rule] of rules) {
      const column = columnByName(table, names);
      if (column) return [{ of, column, ...rule(column) }];
    }
    return [];
  });
