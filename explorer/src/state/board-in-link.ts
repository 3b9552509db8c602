/**
 * A board: charts in a grid, as a plain value. It lives in a link, in which each chart is its own query string without what
 * all charts share, and in a file of the same parts.
 */

import { readQuery } from "../../../data-schema/link-query.ts";
import { queryValue } from "../api/request.ts";
import { BadFile, formatOwn, type OwnForm, parseOwn } from "./own-file.ts";

export const HEIGHTS = ["low", "medium", "tall"] as const;
export type Height = (typeof HEIGHTS)[number];

export const COLUMNS = [1, 2, 3, 4] as const;
type Columns = (typeof COLUMNS)[number];

export interface BoardChart {
  /** The query string of a chart in the explorer, without its question mark and what is shared: `y=mvrv&price=log`. */
  query: string;
  height: Height;
  /** Null: what the explorer calls the chart. */
  title: string | null;
}

/** A text between the charts, as Markdown. */
export interface BoardText {
  text: string;
  /** Whether it is as wide as the board, or as a chart. */
  isWide: boolean;
}

export type BoardItem = BoardChart | BoardText;

export const isBoardText = (item: BoardItem): item is BoardText => "text" in item;

export interface Board {
  title: string;
  /** What it is for, in a sentence or two. */
  text: string;
  columns: Columns;
  /** And the texts between them. */
  charts: readonly BoardItem[];
}

/** Characters of a text between charts. */
export const LONGEST_TEXT = 4_000;
/** Characters of a title, of what a board is for, and of the query of a chart. */
const LONGEST = { title: 80, text: 400, query: 4_000 } as const;
/** What a text begins with in a link, in place of a chart's query. */
const TEXT_FORM = /^text(-column)?:(.*)$/s;
export const MOST_CHARTS = 24;
/** Characters of a file. */
const LONGEST_FILE = 200_000;

export const EMPTY_BOARD: Board = { title: "", text: "", columns: 2, charts: [] };

/** What all charts of a board have in common: the asset, the range and the zoom. */
const SHARED = ["a", "range", "s", "u", "z"];

/** The shared parameters of a query string, or the others, in their order. */
export function partOf(search: string, which: "shared" | "own"): string {
  const isWanted = ([name]: [string, string]) => SHARED.includes(name) === (which === "shared");
  const kept = [...readQuery(search)].filter(isWanted);
  return kept.map(([name, value]) => `${name}=${queryValue(value)}`).join("&");
}

/** The query string of a board, without defaults. */
export function formatBoard({ title, text, columns, charts }: Board, shared: string): string {
  const parts = Object.entries({ title, text }).flatMap(([name, value]) =>
    value === "" ? [] : `${name}=${queryValue(value)}`,
  );
  if (columns !== EMPTY_BOARD.columns) parts.push(`columns=${columns}`);
  if (shared !== "") parts.push(shared);
  for (const item of charts) {
    if (isBoardText(item)) {
      parts.push(`chart=${queryValue(`text${item.isWide ? "" : "-column"}:${item.text}`)}`);
      continue;
    }
    const { query, height, title } = item;
    const look = [height !== "medium" && `height=${height}`, title !== null && `title=${queryValue(title)}`];
    parts.push(`chart=${queryValue([query, ...look].filter(Boolean).join("&"))}`);
  }
  return `?${parts.join("&")}`;
}

/** Reads a query string; what isn't valid is left out. Without a chart, it is no board. */
export function parseBoard(search: string): Board | null {
  const query = readQuery(search);
  const charts = query.getAll("chart").flatMap((text) => itemOf({ chart: text }) ?? []);
  if (charts.length === 0) return null;
  return {
    title: (query.get("title") ?? "").slice(0, LONGEST.title),
    text: (query.get("text") ?? "").slice(0, LONGEST.text),
    columns: columnsOf(Number(query.get("columns"))) ?? EMPTY_BOARD.columns,
    charts: charts.slice(0, MOST_CHARTS),
  };
}

/** What of a link can't be read, in one sentence; null if all of it can, and for a link of no board. */
export function boardProblem(search: string): string | null {
  const query = new URLSearchParams(search);
  const given = query.getAll("chart");
  const read = given.filter((chart) => itemOf({ chart }) !== null).length;
  const isBoard = given.length > 0 || ["title", "text", "columns"].some((name) => query.has(name));
  if (isBoard && read === 0) {
    return "This link holds no chart that can be read. It may have been cut: ask for the file of the board.";
  }
  const left = given.length - read;
  if (left > 0)
    return `${left} of the ${given.length} charts of this link can't be read, and ${left === 1 ? "is" : "are"} left out.`;
  if (read <= MOST_CHARTS) return null;
  return `A board has at most ${MOST_CHARTS} charts, so the last ${read - MOST_CHARTS} of this link are left out.`;
}

/** Cells as they come from a file or a link. */
type Given = Partial<Record<"chart" | "height" | "title" | "text" | "width", unknown>>;

/** A chart or a text as a file has it, or as the value of a link's parameter. */
function itemOf(given: Given): BoardItem | null {
  const { chart, text, width } = given;
  if (chart === undefined) return typeof text === "string" ? textOf(text, width !== "column") : null;
  const [, column, written] = (typeof chart === "string" && TEXT_FORM.exec(chart)) || [];
  return written === undefined ? chartOf(given) : textOf(written, column === undefined);
}

function textOf(given: string, isWide: boolean): BoardText | null {
  const text = given.trim();
  return text === "" || text.length > LONGEST_TEXT ? null : { text, isWide };
}

function chartOf({ chart, height, title }: Given): BoardChart | null {
  if (typeof chart !== "string" || chart.length > LONGEST.query) return null;
  const given = readQuery(chart);
  const [ownHeight, ownTitle] = [height ?? given.get("height"), title ?? given.get("title")];
  for (const name of ["height", "title"]) given.delete(name);
  const query = partOf(given.toString(), "own");
  // Without a line, it would be the chart that the explorer opens with.
  if (!/(?:^|&)y[234]?=[^&]/.test(query)) return null;
  return {
    query,
    height: HEIGHTS.find((one) => one === ownHeight) ?? "medium",
    title: typeof ownTitle === "string" && ownTitle !== "" ? ownTitle.slice(0, LONGEST.title) : null,
  };
}

const columnsOf = (value: unknown): Columns | undefined => COLUMNS.find((count) => count === value);

export const BOARD_FILE: OwnForm = {
  form: "soprano-board",
  longest: LONGEST_FILE,
  tooLarge: "This file is too large for a board: one takes less than 200 kB.",
  what: "board",
};

export function formatFile({ title, text, columns, charts }: Board): string {
  const listed = charts.map((item) => {
    if (isBoardText(item)) return { text: item.text, ...(!item.isWide && { width: "column" }) };
    const { query, height, title } = item;
    return { ...(title !== null && { title }), chart: query, height };
  });
  return formatOwn(BOARD_FILE, { title, text, columns, charts: listed });
}

/**
 * Reads the text of a board's file.
 *
 * @throws {BadFile}
 */
export function parseFile(text: string): Board {
  const file = parseOwn(BOARD_FILE, text);
  const { title, text: about = "", charts } = file;
  const columns = columnsOf(file.columns);
  if (columns === undefined) throw new BadFile("The board in this file has no columns: 1 to 4.");
  if (!isText(title, LONGEST.title)) throw new BadFile(`The board has no title of up to ${LONGEST.title} characters.`);
  if (!isText(about, LONGEST.text))
    throw new BadFile(`The text of the board is longer than ${LONGEST.text} characters.`);
  if (charts.length > MOST_CHARTS) throw new BadFile(`The board in this file has more than ${MOST_CHARTS} charts.`);
  return {
    title,
    text: about,
    columns,
    charts: charts.map((one, index) => {
      const item = itemOf(Object(one));
      if (item === null)
        throw new BadFile(
          `Chart ${index + 1} of the board in this file is neither a chart nor a text of up to ${LONGEST_TEXT} characters.`,
        );
      return item;
    }),
  };
}

const isText = (value: unknown, longest: number): value is string =>
  typeof value === "string" && value.length <= longest;
