/** What chats and networks show of a link to a chart: its card. */

import { SYMBOL_PATTERN } from "../../data-schema/asset.ts";
import {
  AROUND_FORM,
  LOOKS,
  MOST_CHART_LINES,
  MOST_CYCLES,
  PANE_ENDS,
  RANGES,
  SEASON_VALUES,
  SEASONS,
  SMOOTHING_FORM,
} from "../../data-schema/chart-link.ts";
import { readQuery } from "../../data-schema/link-query.ts";
import { DISTRIBUTION_NAMES, DISTRIBUTIONS, RESOLUTIONS } from "../../data-schema/registry.ts";
import { type Line, readLine } from "./line.ts";
import { linkPath } from "./link-path.ts";
import { UnreadableLine } from "./metric.ts";

/** Each null where the page's own text says as much. */
export interface Card {
  title: string | null;
  description: string | null;
  /** Path and query of the chart; null: the link holds a line that only the explorer can read. */
  path: string | null;
}

/** No chart's link is longer. */
const MOST_CHARACTERS = 4000;
/** Titles in a card. */
const MOST_TITLES = 4;

const oneOf = (values: readonly string[]) => new RegExp(`^(?:${values.join("|")})$`);
const TIME = String.raw`\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?)?`;

const STUDY_FORM = new RegExp(
  `^(?:cycles:(?:high|first|year|${TIME}(?:,${TIME}){0,${MOST_CYCLES - 1}})|seasons:(?:${SEASONS.join("|")}):(?:${SEASON_VALUES.join("|")})|scatter|histogram)$`,
);

/** The forms of the other parameters, in the order in which the explorer writes them. Nothing else of a link is repeated. */
const FORMS: [name: string, form: RegExp][] = [
  ["r", oneOf(RESOLUTIONS)],
  ["range", oneOf(RANGES)],
  ["s", new RegExp(`^${TIME}$`)],
  ["u", new RegExp(`^${TIME}$`)],
  ...PANE_ENDS.flatMap((end): [string, RegExp][] => [
    ...Object.entries(LOOKS).map(([name, values]): [string, RegExp] => [
      name + end,
      name === "smooth" ? SMOOTHING_FORM : oneOf(values),
    ]),
    [`around${end}`, AROUND_FORM],
    [`study${end}`, STUDY_FORM],
  ]),
  ["z", new RegExp(`^${TIME},${TIME}$`)],
];

/** The card of the chart that a query string names. It says nothing but known names and forms: a link may hold anything. */
export function cardOf(search: string): Card {
  if (search.length > MOST_CHARACTERS) return { title: null, description: null, path: null };
  const query = readQuery(search);
  const given = query.get("a")?.toUpperCase() ?? "";
  const symbol = SYMBOL_PATTERN.test(given) ? given : null;
  const written = PANE_ENDS.flatMap((end) => {
    const texts = query.getAll(`y${end}`).slice(0, MOST_CHART_LINES);
    return texts.map((text) => ({ name: `y${end}`, line: lineOf(text) }));
  });
  const lines = written.flatMap(({ line }) => line ?? []);
  const pairs: [string, string | undefined][] = [
    ["a", symbol ?? undefined],
    ...written.map(({ name, line }): [string, string | undefined] => [name, line?.text]),
    ...FORMS.map(([name, form]): [string, string | undefined] => [name, form.exec(query.get(name) ?? "")?.[0]]),
  ];
  return {
    title: titleOf(symbol, lines, heatsOf(query)),
    description: descriptionOf(lines[0]),
    // These are anybody's words, and without them it is another chart.
    path: lines.length < written.length || hasWords(query) ? null : linkPath(pairs),
  };
}

/** Parameters with words or formulas of whoever made the link. */
const WORDS = ["note", "alert", ...PANE_ENDS.flatMap((end) => ["level", "zone", "names"].map((name) => name + end))];

const hasWords = (query: URLSearchParams): boolean => WORDS.some((name) => query.has(name));

function lineOf(text: string): Line | null {
  try {
    // No selector contains a space, so a space is an unencoded plus sign.
    return readLine(text.startsWith("=") ? text : text.replaceAll(" ", "+"));
  } catch (error) {
    if (error instanceof UnreadableLine) return null;
    throw error;
  }
}

/** The titles of the distributions below the lines. */
const heatsOf = (query: URLSearchParams): string[] =>
  PANE_ENDS.flatMap((end) => DISTRIBUTION_NAMES.filter((name) => name === query.get(`heat${end}`))).map(
    (name) => DISTRIBUTIONS[name].title,
  );

function titleOf(symbol: string | null, lines: readonly Line[], heats: readonly string[]): string | null {
  // A cohort alone is what the chart is about.
  const own = lines.length === 1 ? [lines[0]!.fullTitle] : lines.map(({ title }) => title);
  const all = [...new Set(lines.length === 0 ? [] : [...own, ...heats])];
  if (all.length === 0) return symbol === null ? null : `${symbol}: on-chain metrics`;
  const titles = joinTitles(all.length > MOST_TITLES ? [...all.slice(0, MOST_TITLES - 1), "more"] : all);
  return symbol === null ? titles : `${symbol}: ${titles}`;
}

function descriptionOf(line: Line | undefined): string | null {
  if (line === undefined) return null;
  const { kind, metrics } = line;
  if (kind !== "formula") return metrics[0]!.description;
  return `Computed from ${joinTitles(metrics.map(({ title }) => inSentence(title)))}.`;
}

/** `Market capitalisation and realised price`, as the explorer writes it. */
const joinTitles = (titles: readonly string[]): string => {
  const inner = titles.map((title, i) => (i > 0 ? inSentence(title) : title));
  return inner.length < 3 ? inner.join(" and ") : `${inner.slice(0, -1).join(", ")} and ${inner.at(-1)}`;
};

/** Abbreviations keep their capitals. */
const inSentence = (title: string): string =>
  /^[A-Z][a-z-]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title;
