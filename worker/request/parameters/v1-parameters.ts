/**
 * The parameters of /v1 and /v2. Validation, its errors, the catalog and the OpenAPI document all use this list, and those
 * of /v3 take from it what they share with it: see table-parameters.ts.
 */

import { type Metric, type Selector, v1ResolutionsOf } from "../../../data-schema/registry.ts";
import { INSTANT_PATTERN } from "../../../data-schema/text.ts";

const FORMATS = ["json", "csv"] as const;
export type Format = (typeof FORMATS)[number];

export type ParameterName = "api_key" | "a" | "s" | "u" | "r" | "c" | "t" | "f";

/** A parameter as one endpoint takes it. */
export interface Parameter<Name extends string = ParameterName> {
  name: Name;
  title: string;
  description: string;
  required: boolean;
  /** All allowed values; left out if values have a form instead. */
  values?: readonly string[];
  /** The value of a parameter that is left out; one of `values`, if there are any. */
  default?: string;
  /** The forms that a value may have, in words. */
  forms?: readonly string[];
  /** A regular expression for JSON Schema that every value matches. */
  pattern?: string;
  /** A value that the demo's data has. */
  example: string;
  /** Names that people try instead. */
  synonyms: readonly string[];
}

/** What all endpoints share; `choice` gives values and default, or null if the endpoint does not take the parameter. */
type Entry = Omit<Parameter, "name" | "values" | "default" | "title"> & {
  title: string;
  choice?: (
    metric: Metric,
    selector: Selector | null,
  ) => { title?: string; values: readonly string[]; default: string } | null;
};

export const INSTANT_FORMS = ["Unix seconds", "YYYY-MM-DD", "YYYY-MM-DDTHH:MM[:SS[.fff]][Z|±HH:MM]"];

const selected = (parameter: Selector["parameter"]) => ({
  choice: (_: Metric, selector: Selector | null) => (selector?.parameter === parameter ? selector : null),
});

export const PARAMETERS: Record<ParameterName, Entry> = {
  api_key: {
    title: "API key",
    description: "Your key: a UUID, in any case.",
    required: true,
    pattern: "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
    example: "00000000-0000-4000-8000-000000000000",
    synonyms: ["apikey", "key", "token"],
  },
  a: {
    title: "Asset",
    description: "Symbol of the asset, in any case. /v1/assets lists all there are.",
    required: true,
    pattern: "^[0-9A-Za-z._-]{1,20}$",
    example: "ARIA",
    synonyms: ["asset", "symbol"],
  },
  s: {
    title: "Since",
    description: "Points at or after this time, UTC. Left out: from the first point.",
    required: false,
    forms: INSTANT_FORMS,
    pattern: INSTANT_PATTERN,
    example: "2025-03-01",
    synonyms: ["since", "start", "from"],
  },
  u: {
    title: "Until",
    description: "Points at or before this time, UTC; a date means its midnight. Left out: to the last point.",
    required: false,
    forms: INSTANT_FORMS,
    pattern: INSTANT_PATTERN,
    example: "2025-03-31",
    synonyms: ["until", "to", "end"],
  },
  r: {
    title: "Resolution",
    description: "A point a day, an hour or a block. An asset may be published without some of them.",
    required: false,
    example: "day",
    synonyms: ["resolution", "interval"],
    choice: (metric) => {
      const values = v1ResolutionsOf(metric);
      return values.length > 1 ? { values, default: "day" } : null;
    },
  },
  c: {
    title: "Cohort",
    description: "Which of the metric's series: whose coins, or which exchange.",
    required: false,
    example: "total",
    synonyms: ["cohort", "exchange"],
    ...selected("c"),
  },
  t: {
    title: "Sample",
    description: "Which of the metric's series: transfers of which size.",
    required: false,
    example: "all",
    synonyms: ["transfers", "sample"],
    ...selected("t"),
  },
  f: {
    title: "Format",
    description: "The form of the answer.",
    required: false,
    example: "json",
    synonyms: ["format"],
    choice: () => ({ values: FORMATS, default: "json" }),
  },
};

const NAMES = Object.keys(PARAMETERS) as ParameterName[];

/** The parameters that a metric takes if it is offered with the selector. */
export function parametersOf(metric: Metric, selector: Selector | null): Parameter[] {
  return NAMES.flatMap((name) => {
    const { choice, ...entry } = PARAMETERS[name];
    if (choice === undefined) return [{ name, ...entry }];
    const chosen = choice(metric, selector);
    if (chosen === null) return [];
    const { title = entry.title, values, default: fallback } = chosen;
    return [{ name, ...entry, title, values, default: fallback, example: fallback }];
  });
}

/** Whether a parameter describes the series. The key does not, and may also be given in other ways. */
export function describesSeries({ name }: Parameter): boolean {
  return name !== "api_key";
}

/** Whether some endpoint takes a parameter of this name. */
export function isParameter(name: string): boolean {
  return Object.hasOwn(PARAMETERS, name);
}

/** The parameter that people mean by another name. */
export function meantBy(name: string): ParameterName | undefined {
  return NAMES.find((known) => PARAMETERS[known].synonyms.includes(name.toLowerCase()));
}
