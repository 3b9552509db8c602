/** `events.csv`: what has happened to an asset, in the words of its operator. Source: docs/building.md#events. */

import { UNSAFE_CHARACTER } from "../../data-schema/asset.ts";
import {
  type CalendarEvent,
  LINK_PATTERN,
  LONGEST_LINK,
  LONGEST_TITLE,
  MOST_EVENTS,
} from "../../data-schema/stored.ts";
import { Failure } from "../lib/failure.ts";
import { type CellRule, readCell } from "./cells/rules.ts";
import { parseTime, TIME_PROBLEMS } from "./cells/time.ts";

/** `link` may be left out. */
const COLUMNS = ["date", "title", "link"] as const;
const CELL = `("(?:[^"]|"")*"|[^",]*)`;
const ROW = new RegExp(`^${CELL},${CELL}(?:,${CELL})?$`);

const EMPTY = [/^\s*$/, "is empty"] as const;

const DATE: CellRule<number> = {
  expected: "a day or a time in ISO 8601, such as 2025-03-01 or 2025-03-01T12:00:00Z",
  problems: [EMPTY, [/^\d+$/, "is no date"], ...TIME_PROBLEMS],
  parse: (text) => (/^\d{4}-/.test(text) ? parseTime(text) : undefined),
};

const TITLE: CellRule<string> = {
  expected: `one line of text, of at most ${LONGEST_TITLE} characters`,
  problems: [
    EMPTY,
    [new RegExp(`^[^]{${LONGEST_TITLE + 1}}`), "is longer"],
    [UNSAFE_CHARACTER, "has a control character or a direction override"],
  ],
  parse: (text) =>
    /\S/.test(text) && text.length <= LONGEST_TITLE && !UNSAFE_CHARACTER.test(text) ? text.trim() : undefined,
};

const LINK: CellRule<string> = {
  expected: `a page's address that begins with https://, of at most ${LONGEST_LINK} characters, or nothing`,
  problems: [
    [new RegExp(`^[^]{${LONGEST_LINK + 1}}`), "is longer"],
    [/^(?!https:\/\/)/, "does not begin with https://"],
  ],
  parse: (text) => (text.length <= LONGEST_LINK && LINK_PATTERN.test(text) && URL.canParse(text) ? text : undefined),
};

/**
 * The events of a file, in the order of its rows.
 *
 * @param name of the file, for messages
 * @throws {Failure} the header or a row is malformed
 */
export function parseCalendar(name: string, text: string): CalendarEvent[] {
  const [header, ...rows] = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  if (header !== COLUMNS.join() && header !== COLUMNS.slice(0, 2).join()) {
    throw new Failure(`${name}, row 1: the header is not ${COLUMNS.join()}; correct it.`);
  }
  return rows.flatMap((line, index): CalendarEvent[] => {
    if (line === "") return [];
    // The header is row 1.
    const row = index + 2;
    const [, date, title, link = ""] = ROW.exec(line) ?? [];
    if (date === undefined || title === undefined) {
      throw new Failure(
        `${name}, row ${row}: it has not the cells ${COLUMNS.join()}; write a text with commas or quotation marks in ` +
          'quotation marks, and its own ones twice, such as "Listing, ""spot""".',
      );
    }
    const cell = <T>(rule: CellRule<T>, text: string, column: string) =>
      readCell(rule, unquoted(text), { file: name, row }, column);
    return [
      {
        t: cell(DATE, date, "date"),
        title: cell(TITLE, title, "title"),
        ...(unquoted(link) !== "" && { link: cell(LINK, link, "link") }),
      },
    ];
  });
}

const unquoted = (text: string) => (text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text);

/**
 * The events of all files, in the order of time; those of one time in the order of files and rows.
 *
 * @param path of ASSET.json, for messages
 * @throws {Failure} there are too many
 */
export function eventsInOrder(path: string, events: readonly CalendarEvent[]): CalendarEvent[] {
  if (events.length > MOST_EVENTS) {
    throw new Failure(`${path}: "calendar" has ${events.length} events, and may have ${MOST_EVENTS}; leave some out.`);
  }
  return events.toSorted((a, b) => a.t - b.t);
}
