/** A program in Python, with pandas. */

import type { FunctionForm } from "../../../../data-schema/formula.ts";
import { columnName } from "../../api/request.ts";
import { codeOf } from "./functions/functions.ts";
import {
  definitionsOf,
  givenTime,
  type Notation,
  type Program,
  type ProgramLine,
  textOf,
  variablesOf,
} from "./program.ts";

export function toPython(program: Program): string {
  const { url, key, resolution, lines, since, until } = program;
  const variables = variablesOf(program);
  const functions = definitionsOf(program, "python").map(({ text }) => `\n\n${text}\n`);
  const code = functions.join("");
  const imports = [code.includes("math.") && "import math\n\n", code.includes("np.") && "import numpy as np\n"];
  return `${imports.filter(Boolean).join("")}import pandas as pd
${code}
${code && "\n"}data = pd.read_csv(
    ${JSON.stringify(`${url}&f=csv`)},
    storage_options={"X-Api-Key": ${JSON.stringify(key)}},
    index_col=${resolution === "block" ? '["t", "block"]' : '"t"'},
    parse_dates=["t"],
    float_precision="round_trip",
).astype(float)
chart = pd.DataFrame(index=data.index)

${lines.map((line) => `${statementsOf(line, variables)}\n`).join("")}${since === null && until === null ? "" : `chart = chart[${since === null ? "" : JSON.stringify(since)}:${until === null ? "" : JSON.stringify(until)}]\n`}print(chart)
`;
}

function statementsOf({ title, formula }: ProgramLine, variables: ReadonlyMap<string, string>): string {
  const columns = formula.inputs.map(columnName);
  const inputs = columns.map((column) => [variables.get(column)!, JSON.stringify(column)] as const);
  const notation: Notation = {
    number: pythonNumber,
    input: (index) => inputs[index]![0],
    call: ({ form, of, n, others }) => {
      const given = [of, ...others].map((one) => textOf(one, notation));
      return `${codeOf(form).python.name}(${[...given, ...countOf(form, n)].join(", ")})`;
    },
  };
  return `rows = data[[${inputs.map(([, column]) => column).join(", ")}]].dropna(how="all")
${inputs.map(([variable, column]) => `${variable} = rows[${column}]\n`).join("")}chart[${JSON.stringify(title)}] = ${textOf(formula.expression, notation)}
`;
}

/** What stands after the columns: a number of rows, or a time. */
function countOf(form: FunctionForm, n: number): string[] {
  if ("takesTime" in form) return [givenTime(n)];
  return "least" in form ? [String(n)] : [];
}

function pythonNumber(value: number): string {
  if (Number.isNaN(value)) return 'float("nan")';
  if (!Number.isFinite(value)) return `${value < 0 ? "-" : ""}float("inf")`;
  return Object.is(value, -0) ? "-0.0" : String(value);
}
