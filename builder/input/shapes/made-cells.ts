/** Cells that are computed, in SQL: exactly, on texts. A cell that can't be computed stays as it is, and is refused behind. */

import { ZERO_ADDRESS } from "../../../data-schema/asset.ts";
import { cell, type Made } from "./shape.ts";

const matches = (text: string, pattern: string) => `regexp_full_match(${text}, '${pattern}')`;

/** Whole numbers, in decimal digits or hexadecimal ones after 0x. Etherscan writes 0 as `0x`. */
export const number = (...names: readonly string[]): Made => ({
  of: [names.join("|")],
  sql([column]) {
    const text = cell(column!);
    return `CASE WHEN ${text} = '0x' THEN '0' WHEN ${matches(text, "0x[0-9a-fA-F]{1,15}")}
      THEN CAST(CAST(${text} AS UBIGINT) AS VARCHAR) ELSE ${text} END`;
  },
});

/** Amounts in whole tokens, as decimal text, to raw units. */
export const scaled = (...names: readonly string[]): Made => ({
  of: [names.join("|")],
  isExact: true,
  expected: ({ decimals }) =>
    `an amount in whole tokens, as a decimal number with at most ${decimals} digits after the point`,
  sql([column], { decimals }) {
    const text = cell(column!);
    const fraction = `rtrim(split_part(${text}, '.', 2), '0')`;
    const digits = `ltrim(split_part(${text}, '.', 1) || rpad(${fraction}, ${decimals}, '0'), '0')`;
    const fits = `${matches(text, "[0-9]+([.][0-9]*)?")} AND length(${fraction}) <= ${decimals}`;
    return `CASE WHEN ${fits} THEN coalesce(nullif(${digits}, ''), '0') ELSE ${text} END`;
  },
});

/** A topic of 32 bytes, as the address in its last 20. */
const addressSql = (topic: string, otherwise: string) =>
  `CASE WHEN ${matches(topic, "0x0{24}[0-9a-f]{40}")} THEN '0x' || ${topic}[27:] ELSE ${otherwise} END`;

/** Topics of a log in one column: a list, or a text with all of them. */
function listedTopic(column: Parameters<typeof cell>[0], at: number): string {
  const text = /^BLOB\[/.test(column.type)
    ? `array_to_string(list_transform(${column.sql}, lambda topic: hex(topic)), ',')`
    : `CAST(${column.sql} AS VARCHAR)`;
  return `('0x' || coalesce(regexp_extract_all(lower(${text}), '[0-9a-f]{64}')[${at + 1}], ''))`;
}

/** The first topic of Transfer(address,address,uint256). */
export const TRANSFER_TOPIC = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

const lower = (column: Parameters<typeof cell>[0]) => `lower(${cell(column)})`;

/** The words of a log's data: digits from `word` on, of a log whose parties are not indexed. */
const wordSql = (data: string, word: number) => `('0x' || ${data}[${3 + 64 * word}:${2 + 64 * (word + 1)}])`;

const UNINDEXED = "0x[0-9a-f]{192}";

interface LogSql {
  topic(at: number): string;
  data: string;
}

/**
 * A party of a transfer: of its topic, or of its data if the log has one topic and three words. Other logs have none, so that
 * they are refused where ASSET.json says that all rows are the asset's.
 */
const partySql = ({ topic, data }: LogSql, place: number) =>
  `CASE WHEN ${topic(0)} <> '${TRANSFER_TOPIC}' THEN ${topic(0)}
    WHEN ${topic(1)} IN ('0x', '') AND ${matches(data, UNINDEXED)}
    THEN ${addressSql(wordSql(data, place), data)} ELSE ${addressSql(topic(place + 1), topic(place + 1))} END`;

const valueSql = ({ topic, data }: LogSql) =>
  `CASE WHEN ${topic(1)} IN ('0x', '') AND ${matches(data, UNINDEXED)} THEN ${wordSql(data, 2)} ELSE ${data} END`;

/** The zero address stands for the contract of other logs, so that they count as rows of another one. */
const contractSql = (contract: string, first: string) =>
  `CASE WHEN ${first} = '${TRANSFER_TOPIC}' THEN ${contract} ELSE '${ZERO_ADDRESS}' END`;

const DATA = "data|raw_log_data";
const PARTY = "a log of Transfer, with an address in a topic of 32 bytes, or in the first words of the data";

/**
 * The columns of raw logs: of `Transfer` only, as the contract of others becomes another one.
 *
 * @param topics where topics are: in one column, or a column each
 */
export function logColumns(contract: string, topics: "listed" | "apart"): Record<string, Made> {
  const of = topics === "listed" ? ["topics|raw_log_topics"] : ["topic0|topic_0", "topic1|topic_1", "topic2|topic_2"];
  const count = of.length;
  const log = (columns: readonly Parameters<typeof cell>[0][]): LogSql => ({
    topic: (at) => (topics === "listed" ? listedTopic(columns[0]!, at) : lower(columns[at]!)),
    data: lower(columns[count]!),
  });
  return {
    token_address: {
      of: [...of, DATA, contract],
      sql: (columns) => contractSql(cell(columns[count + 1]!), log(columns).topic(0)),
    },
    from_address: { of: [...of, DATA], sql: (columns) => partySql(log(columns), 0), expected: () => PARTY },
    to_address: { of: [...of, DATA], sql: (columns) => partySql(log(columns), 1), expected: () => PARTY },
    value_hex: { of: [...of, DATA], sql: (columns) => valueSql(log(columns)) },
  };
}

/** The log index that a subgraph's id ends with: four bytes, the least first, after the transaction's hash. */
export const indexInId: Made = {
  of: ["id"],
  expected: () => "the id of a subgraph's event: the hash of its transaction and four bytes of its log index",
  sql([column]) {
    const id = lower(column!);
    const bytes = [73, 71, 69, 67].map((at) => `${id}[${at}:${at + 1}]`).join(" || ");
    return `CASE WHEN ${matches(id, "0x[0-9a-f]{72}")} THEN CAST(CAST('0x' || ${bytes} AS UBIGINT) AS VARCHAR) ELSE ${id} END`;
  },
};
