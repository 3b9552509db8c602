/** Arguments of tools: described to clients as a JSON Schema, and checked by the same table. */

import { nearest } from "../../data-schema/text/nearest.ts";
import { Problem } from "../problems/problem.ts";

/** An argument; `list` is an array of texts. */
interface Argument {
  type: "text" | "list" | "count";
  description: string;
  isRequired?: true;
  values?: readonly string[];
  /** The largest count, or the most characters of a text. */
  most?: number;
}

/** What a tool takes, by names. */
export type Arguments = Readonly<Record<string, Argument>>;

/** What a client gave, each of its argument's type. */
export type GivenArguments = Readonly<Record<string, string | readonly string[] | number | undefined>>;

const TYPES = {
  text: {
    is: (value: unknown): value is string => typeof value === "string" && value !== "",
    form: "a text that is not empty",
    schema: ({ values, most }: Argument) => ({
      type: "string",
      ...(values && { enum: [...values] }),
      ...(most !== undefined && { maxLength: most }),
    }),
  },
  list: {
    is: (value: unknown): value is string[] =>
      Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === "string" && entry !== ""),
    form: "a list of texts, none of them empty",
    schema: ({ values }: Argument) => ({
      type: "array",
      items: { type: "string", ...(values && { enum: [...values] }) },
      minItems: 1,
    }),
  },
  count: {
    is: (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0,
    form: "a whole number",
    schema: ({ most }: Argument) => ({ type: "integer", minimum: 0, ...(most !== undefined && { maximum: most }) }),
  },
} satisfies Record<Argument["type"], object>;

/** The JSON Schema of a tool's input. */
export function inputSchema(taken: Arguments) {
  const entries = Object.entries(taken);
  return {
    type: "object" as const,
    properties: Object.fromEntries(
      entries.map(([name, argument]) => [
        name,
        { ...TYPES[argument.type].schema(argument), description: argument.description },
      ]),
    ),
    required: entries.filter(([, { isRequired }]) => isRequired).map(([name]) => name),
    additionalProperties: false,
  };
}

/**
 * The arguments of a call; null counts as left out, since some clients send it so.
 *
 * @throws {Problem} 400 one that the tool does not take, that is missing, or of another type
 */
export function givenArguments(given: Readonly<Record<string, unknown>>, taken: Arguments): GivenArguments {
  const names = Object.keys(taken);
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(taken, name)) continue;
    throw new Problem("unknown-parameter", "There is no such argument.", {
      // A longer text may be a misplaced key, which no answer may repeat.
      parameter: name.length <= 20 ? name : undefined,
      allowed: names,
      suggestion: nearest(name, names),
    });
  }
  const checked = Object.entries(taken).flatMap(([name, argument]) => {
    const value = inItsType(given[name] ?? undefined, argument);
    if (value !== undefined) return [[name, checkedValue(name, argument, value)] as const];
    if (!argument.isRequired) return [];
    throw new Problem("missing-parameter", "Give this argument.", { parameter: name, allowed: argument.values });
  });
  return Object.fromEntries(checked);
}

/** Models give a single text where a list belongs. */
const inItsType = (value: unknown, { type }: Argument) =>
  type === "list" && typeof value === "string" ? [value] : value;

function checkedValue(name: string, { type, values, most = Number.POSITIVE_INFINITY }: Argument, value: unknown) {
  const { is, form } = TYPES[type];
  if (!is(value)) throw new Problem("invalid-parameter", `The value is not ${form}.`, { parameter: name });
  if (typeof value === "number" && value > most) {
    throw new Problem("invalid-parameter", `The value is at most ${most}.`, { parameter: name });
  }
  if (type === "text" && (value as string).length > most) {
    throw new Problem("invalid-parameter", `The value has at most ${most} characters.`, { parameter: name });
  }
  const stranger = values && [value].flat().find((one) => !values.includes(String(one)));
  if (stranger === undefined) return value;
  throw new Problem("invalid-parameter", "There is no such value.", {
    parameter: name,
    allowed: values,
    suggestion: nearest(String(stranger), values!),
  });
}
