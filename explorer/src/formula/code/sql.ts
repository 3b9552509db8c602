/** A program in DuckDB's SQL (1.3 or newer), over a downloaded Parquet file. */

import { columnName } from "../../api/request.ts";
import { codeOf } from "./functions/functions.ts";
import { type Notation, type Program, type ProgramLine, textOf, variablesOf } from "./program.ts";
import { decimal } from "./sql-number.ts";

/** The file's name; the snippet says how to download it. */
export const FILE = "series.parquet";

export function toSql(program: Program): string {
  const { url, key, resolution, lines, since, until } = program;
  const shown = [since !== null && `t >= ${quote(since)}`, until !== null && `t <= ${quote(until)}`].filter(Boolean);
  const variables = variablesOf(program);
  const keys = resolution === "block" ? "t, block" : "t";
  const tables = lines.flatMap((line, i) => tablesOf(line, `line${i + 1}`, keys, variables));
  const join = lines.map((_, i) => (i === 0 ? "line1" : `FULL JOIN line${i + 1} USING (${keys})`)).join(" ");
  return `-- Download the series first:
-- curl -H ${quote(`X-Api-Key: ${key}`)} -o ${FILE} ${quote(`${url}&f=parquet`)}

WITH
${tables.map(([name, text]) => `  ${name} AS (\n    ${text}\n  )`).join(",\n")}
SELECT *
FROM ${join}
${shown.length === 0 ? "" : `WHERE ${shown.join(" AND ")}\n`}ORDER BY ${keys};
`;
}

/** A line's tables, each of which adds a column to the one before it. The last has its values. */
function tablesOf(
  { title, formula: { inputs, expression } }: ProgramLine,
  name: string,
  keys: string,
  variables: ReadonlyMap<string, string>,
): [name: string, text: string][] {
  const columns = inputs.map((input) => [identifier(columnName(input)), variables.get(columnName(input))!] as const);
  const tables: [name: string, text: string][] = [];
  let table = `${name}_rows`;
  const selected = [
    keys,
    `row_number() OVER (ORDER BY ${keys}) AS i`,
    ...columns.map(([column, own]) => `${column} AS ${own}`),
  ];
  const where = columns.map(([, own]) => `${own} IS NOT NULL`).join(" OR ");
  tables.push([table, `SELECT ${selected.join(", ")}\n    FROM '${FILE}'\n    WHERE ${where}`]);
  let steps = 0;
  const addColumn = (text: string): string => {
    const column = `step${++steps}`;
    tables.push([`${name}_${column}`, `SELECT *, ${text} AS ${column}\n    FROM ${table}`]);
    table = `${name}_${column}`;
    return column;
  };
  const notation: Notation = {
    number: sqlNumber,
    input: (index) => columns[index]![1],
    call: ({ form, of, n, others }) => {
      // Each of several columns is a step before the one that takes them.
      const beside = others.map((one) => {
        const text = textOf(one, notation);
        return one.kind === "number" || /^\w+$/.test(text) ? text : addColumn(text);
      });
      const text = textOf(of, notation);
      const { takes, expression } = codeOf(form).sql;
      const isColumn = /^\w+$/.test(text);
      // A published value is finite, or null.
      const x =
        of.kind === "input" || (isColumn && takes === "any")
          ? text
          : addColumn(takes === "finite" ? `CASE WHEN isfinite(${text}) THEN ${text} END` : text);
      return addColumn(expression(x, n, table, beside));
    },
  };
  const result = textOf(expression, notation);
  tables.push([name, `SELECT ${keys}, ${result} AS ${identifier(title)}\n    FROM ${table}`]);
  return tables;
}

function sqlNumber(value: number): string {
  if (!Number.isFinite(value)) return `'${value}'::DOUBLE`;
  return Number.isSafeInteger(value) && !Object.is(value, -0) ? String(value) : decimal(value);
}

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
const identifier = (text: string) => `"${text.replaceAll('"', '""')}"`;
