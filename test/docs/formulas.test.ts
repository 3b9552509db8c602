/** docs/formulas.md lists what the language has. */

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { FUNCTIONS, signature } from "../../data-schema/formula/functions/functions.ts";
import { MOST_CHARACTERS } from "../../data-schema/formula/parse.ts";
import { MOST_INPUTS, MOST_ROWS } from "../../data-schema/formula/resolve.ts";
import { NAMED_FORMULAS } from "../../data-schema/registry/named-formulas.ts";

const page = readFileSync(new URL("../../docs/formulas.md", import.meta.url), "utf8");

/** The rows of a table under a heading. */
function rowsUnder(heading: string): string[] {
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const [table = ""] = section.split("\n## ");
  return table.split("\n").filter((line) => line.startsWith("| `"));
}

it("every function, with its definition in pandas", () => {
  const rows = FUNCTIONS.map((entry) => {
    const { description, counted, whole, dated, quotient, comparison } = entry;
    const forms = [
      comparison && `\`${comparison.pandas}\``,
      quotient && `\`${quotient.pandas}\``,
      counted && `\`${counted.pandas}\``,
      dated && `\`${dated.pandas}\``,
      whole && `${counted ? "without n " : dated ? "without a date " : ""}\`${whole.pandas}\``,
    ];
    return `| \`${signature(entry)}\` | ${description} | ${forms.filter(Boolean).join("; ")} |`;
  });
  expect(rowsUnder("Functions")).toEqual(rows);
});

it("every named formula", () => {
  const rows = NAMED_FORMULAS.map(({ name, title, text }) => `| \`${name}\` | ${title} | \`${text}\` |`);
  expect(rowsUnder("Named formulas")).toEqual(rows);
});

it("the limits", () => {
  const limits = `at most ${MOST_CHARACTERS.toLocaleString("en")} characters and ${MOST_INPUTS} series`;
  expect(page).toContain(limits);
  expect(page).toContain(`a whole number up to ${MOST_ROWS.toLocaleString("en")}`);
});
