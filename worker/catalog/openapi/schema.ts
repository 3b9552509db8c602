/** What JSON Schemas (2020-12) are made of. */

/** A part of the document: a JSON Schema, or an object of OpenAPI. */
export type Json = Record<string, unknown>;

/** One of the document's schemas, by its name. */
export const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

export const textSchema = (description?: string): Json => ({ type: "string", ...(description ? { description } : {}) });
export const oneOf = (values: Iterable<string>, description?: string): Json => ({
  ...textSchema(description),
  enum: [...values],
});
export const listOf = (items: Json): Json => ({ type: "array", items });
export const instantSchema: Json = { type: "string", format: "date-time", examples: ["2026-01-01T00:00:00.000Z"] };

/** An object of exactly these members; a name that ends in a question mark may be left out. */
export function object(members: Record<string, Json>, description?: string): Json {
  const entries = Object.entries(members);
  return {
    type: "object",
    ...(description ? { description } : {}),
    properties: Object.fromEntries(entries.map(([name, schema]) => [name.replace(/\?$/, ""), schema])),
    required: entries.map(([name]) => name).filter((name) => !name.endsWith("?")),
    additionalProperties: false,
  };
}

export const TIME: Json = {
  ...textSchema("The start of the day or hour, or the time of the block: UTC, written without an offset."),
  pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d$",
  examples: ["2025-03-01T00:00:00"],
};

export const countSchema: Json = { type: "integer", minimum: 0 };
export const share: Json = { type: "number", minimum: 0, maximum: 1 };
