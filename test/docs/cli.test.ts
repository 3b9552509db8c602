/** docs/cli.md describes what `--json` prints as the table of schemas has it. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type * as v from "valibot";
import { expect, it } from "vitest";
import { OUTPUTS } from "../../builder/commands/json-output.ts";

type Schema = v.GenericSchema & {
  type: string;
  wrapped?: Schema;
  item?: Schema;
  value?: Schema;
  literal?: unknown;
  options?: unknown[];
  entries?: Record<string, Schema>;
};

/** A schema as a type of TypeScript. */
function typeText(schema: Schema, indent = ""): string {
  const { type, wrapped, item, value, literal, options = [], entries = {} } = schema;
  const deeper = `${indent}  `;
  switch (type) {
    case "literal":
      return JSON.stringify(literal);
    case "picklist":
      return options.map((option) => JSON.stringify(option)).join(" | ");
    case "union":
      return (options as Schema[]).map((option) => typeText(option, indent)).join(" | ");
    case "nullable":
      return `${typeText(wrapped!, indent)} | null`;
    case "exact_optional":
      return typeText(wrapped!, indent);
    case "array": {
      const text = typeText(item!, indent);
      return item!.type === "union" ? `(${text})[]` : `${text}[]`;
    }
    case "record":
      return `{ [name]: ${typeText(value!, indent)} }`;
    case "strict_object":
    case "loose_object": {
      const rows = Object.entries(entries).map(
        ([name, one]) => `${deeper}${name}${one.type === "exact_optional" ? "?" : ""}: ${typeText(one, deeper)}`,
      );
      return `{\n${[...rows, ...(type === "loose_object" ? [`${deeper}…`] : [])].join("\n")}\n${indent}}`;
    }
    default:
      return type;
  }
}

it("describes every document", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/cli.md"), "utf8");
  const told = [...page.matchAll(/^### `soprano (.*) --json`\n\n```\n([\s\S]*?)\n```$/gm)].map(([, name, type]) => [
    name,
    type,
  ]);
  expect(told).toEqual(Object.entries(OUTPUTS).map(([name, schema]) => [name, typeText(schema as unknown as Schema)]));
});
