/** A program in TypeScript, without dependencies: for Node 20 and newer, and browsers. */

import { columnName } from "../../api/request.ts";
import { codeOf } from "./functions/functions.ts";
import {
  definitionsOf,
  givenTime,
  type Notation,
  type Program,
  type ProgramLine,
  Steps,
  textOf,
  variablesOf,
} from "./program.ts";

export function toTypeScript(program: Program): string {
  const { url, key, resolution, lines, since, until } = program;
  const variables = variablesOf(program);
  const functions = definitionsOf(program, "typescript").map(({ text }) => `\n${text}\n`);
  const block = resolution === "block";
  const fields = [
    "t",
    ...(block ? ["block: data.block[i]"] : []),
    ...lines.map(({ title }, i) => `${JSON.stringify(title)}: line${i + 1}[i]`),
  ];
  const bounds = [
    since !== null && `t >= ${JSON.stringify(since)}`,
    until !== null && `t <= ${JSON.stringify(until)}`,
  ].filter(Boolean);
  const shown = bounds.length === 0 ? "" : `.filter(({ t }) => ${bounds.join(" && ")})`;
  const isTimed = lines.some(({ formula }) => formula.looksAhead);
  return `interface Series {
  asset: string;
  metric: string;
  selector: string;
  v: (number | null)[];
}

const response = await fetch(${JSON.stringify(`${url}&f=json`)}, {
  headers: { "X-Api-Key": ${JSON.stringify(key)} },
});
if (!response.ok) throw new Error((await response.json()).detail);
const data: { t: string[]; ${block ? "block: number[]; " : ""}series: Series[] } = await response.json();
const columns = new Map(data.series.map(({ asset, metric, selector, v }) => [\`\${asset}:\${metric}:\${selector}\`, v]));

/** Computes a line over the rows at which one of its series has a point${isTimed ? ", with their times" : ""}. A missing value is NaN. */
function line(names: string[], compute: (...x: number[][]) => number[]): number[] {
  const x = names.map((name) => columns.get(name)!);
  const rows = data.t.map((_, i) => i).filter((i) => x.some((v) => v[i] !== null));
  const values = compute(...x.map((v) => rows.map((i) => v[i] ?? NaN))${isTimed ? ', rows.map((i) => Date.parse(data.t[i] + "Z"))' : ""});
  const result = data.t.map(() => NaN);
  rows.forEach((row, i) => (result[row] = values[i]));
  return result;
}
${functions.join("")}
${lines.map((line, i) => `const line${i + 1} = ${lineText(line, variables)};\n`).join("")}
const chart = data.t.map((t, i) => ({ ${fields.join(", ")} }))${shown};
console.log(chart);
`;
}

function lineText(
  { formula: { inputs, expression, looksAhead } }: ProgramLine,
  variables: ReadonlyMap<string, string>,
): string {
  const columns = inputs.map(columnName);
  const own = columns.map((column) => variables.get(column)!);
  const steps = new Steps();
  const notation: Notation = {
    number: (value) => (Object.is(value, -0) ? "-0" : String(value)),
    input: (index) => `${own[index]}[i]`,
    call: ({ form, of, n, others }) => {
      const columns = [of, ...others].map((one) => {
        const text = columnText(textOf(one, notation));
        return /^[a-z_]\w*$/i.test(text) ? text : steps.take(text);
      });
      const beside = "takesTime" in form ? [`Date.parse(${givenTime(n, "Z")})`, "t"] : "least" in form ? [n] : [];
      const given = [...columns, ...beside].join(", ");
      return `${steps.take(`${codeOf(form).typescript.name}(${given})`)}[i]`;
    },
  };
  const columnText = (text: string) =>
    /^\w+\[i\]$/.test(text) ? text.slice(0, -3) : `${own[0]}.map((_, i) => ${text})`;
  const result = columnText(textOf(expression, notation));
  return `line(${JSON.stringify(columns)}, (${[...own, ...(looksAhead ? ["t"] : [])].join(", ")}) => {
${steps.all.map(([name, text]) => `  const ${name} = ${text};\n`).join("")}  return ${result};
})`;
}
