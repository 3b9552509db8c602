/** The parameters of paths and queries. */

import type { TableParameter } from "../../request/parameters/table-parameters.ts";
import { describesSeries, PARAMETERS, type Parameter } from "../../request/parameters/v1-parameters.ts";
import type { Endpoint } from "../../request/route.ts";
import type { Json } from "./schema.ts";

/** The asset that a path names. */
export const ASSET = {
  name: "asset",
  in: "path",
  description: "Symbol of the asset, in any case.",
  required: true,
  schema: { type: "string", pattern: PARAMETERS.a.pattern },
  example: PARAMETERS.a.example,
};

/** A parameter of v3; a list is an array whose items are joined by commas. */
export function tableParameterSchema({
  name,
  description,
  required,
  list,
  values,
  otherValues,
  default: preset,
  pattern,
  example,
}: TableParameter<string>): Json {
  const named = { type: "string", enum: values, default: preset, pattern };
  const schema = otherValues === undefined ? named : { anyOf: [named, { type: "string", pattern: otherValues }] };
  const shared = { name, in: "query", description, required };
  if (list === undefined) return { ...shared, schema, example };
  return {
    ...shared,
    style: "form",
    explode: false,
    schema: { type: "array", items: schema, minItems: 1, maxItems: list.most, uniqueItems: true },
    example: [example],
  };
}

// A selector's title and values depend on the metric; all other parameters are the same everywhere.
export const isShared = ({ name }: Parameter) => name !== "c" && name !== "t";

export const sharedReference = ({ name }: Parameter) => ({ $ref: `#/components/parameters/${name}` });

export function sharedParameters(endpoints: readonly Endpoint[]): Json {
  const shared = endpoints
    .flatMap(({ parameters }) => parameters)
    .filter((parameter) => describesSeries(parameter) && isShared(parameter));
  return Object.fromEntries(shared.map((parameter) => [parameter.name, queryParameter(parameter)]));
}

export function queryParameter({
  name,
  description,
  required,
  values,
  default: preset,
  pattern,
  example,
}: Parameter<string>): Json {
  return {
    name,
    in: "query",
    description,
    required,
    // JSON leaves out the undefined members.
    schema: { type: "string", enum: values, default: preset, pattern },
    example,
  };
}
