/** The errors that a path may answer with. */

import { PROBLEMS, type ProblemType, problemPath, TYPES } from "../../problems/problems.ts";
import { type HeaderName, headers } from "./headers.ts";
import { type Json, listOf, object, reference, textSchema } from "./schema.ts";

/** Problems that no path of the document answers to GET. Each path lists them all the same, so that clients know them. */
const others = TYPES.filter((type) => PROBLEMS[type].on === "none");

export type Kind = "every" | "stored" | "keyed" | "series" | "table" | "distribution" | "file";

/** The kind of path whose errors each kind has besides its own. */
const BASE: Record<Kind, Kind | null> = {
  every: null,
  stored: "every",
  keyed: "stored",
  series: "keyed",
  table: "series",
  distribution: "table",
  file: "keyed",
};
const KINDS = Object.keys(BASE) as Kind[];

/** The errors of a kind of path, by status. */
function problemsOf(kind: Kind): Map<number, ProblemType[]> {
  const kinds: string[] = [];
  for (let one: Kind | null = kind; one !== null; one = BASE[one]) kinds.push(one);
  const types = TYPES.filter((type) => [PROBLEMS[type].on ?? "series"].flat().some((on) => kinds.includes(on)));
  return Map.groupBy(types, (type) => PROBLEMS[type].status);
}

const responseName = (kind: Kind, status: number) => `${kind}.${status}`;

export function problems(kind: Kind): Json {
  const statuses = [...problemsOf(kind).keys()];
  return {
    ...Object.fromEntries(
      statuses.map((status) => [status, { $ref: `#/components/responses/${responseName(kind, status)}` }]),
    ),
    default: { $ref: "#/components/responses/default" },
  };
}

export function problemResponses(): Json {
  const responses = KINDS.flatMap((kind) =>
    [...problemsOf(kind)].map(([status, types]) => [responseName(kind, status), problemResponse(types)]),
  );
  return { ...Object.fromEntries(responses), default: problemResponse(others) };
}

export function problemResponse(types: readonly ProblemType[]) {
  const entries = types.map((type) => PROBLEMS[type]);
  const names = entries.flatMap((entry) => [...Object.keys(entry.headers ?? {}), ...(entry.ownHeaders ?? [])]);
  const own = new Set(names as HeaderName[]);
  const schemas = types.map((type) => reference(problemName(type)));
  return {
    description: entries.map(({ title }) => title).join("; "),
    headers: headers("Cache-Control", "X-Request-Id", ...own),
    content: { "application/problem+json": { schema: schemas.length === 1 ? schemas[0] : { oneOf: schemas } } },
  };
}

/** The problem documents of one type. */
function problemSchema(type: ProblemType): Json {
  const { status, title, meaning } = PROBLEMS[type];
  return object(
    {
      type: { const: problemPath(type) },
      title: { const: title },
      status: { const: status },
      detail: textSchema("What went wrong with this request, for people to read; the wording may change."),
      "parameter?": textSchema("The parameter that is wrong."),
      "allowed?": { ...listOf(textSchema()), description: "The values that are allowed." },
      "suggestion?": textSchema("The allowed value that is nearest to the one given."),
    },
    meaning,
  );
}

/** Its name among the schemas. */
const problemName = (type: ProblemType): string => `Problem.${type}`;

/** The schemas of all problem documents. */
export const problemSchemas = (): Record<string, Json> =>
  Object.fromEntries(TYPES.map((type) => [problemName(type), problemSchema(type)]));
